// Helpers for tests of the Redis client.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/client.h"

namespace tidemill::redis {

[[nodiscard]] inline RedisAddress address_of(const std::string& url) {
  auto address = parse_address(url, Origin::hidden);
  EXPECT_TRUE(address) << url << ": " << text_of(address.error());
  return address.value_or(RedisAddress{});
}

[[nodiscard]] inline std::unique_ptr<Client> client_of(ClientOptions options, const Clock& clock) {
  auto client = Client::make(std::move(options), clock);
  EXPECT_TRUE(client) << text_of(client.error());
  return *std::move(client);
}

[[nodiscard]] std::string why(const auto& result) {
  return result ? "it went well" : text_of(result.error());
}
[[nodiscard]] Cure cure_of(const auto& result) {
  return result ? Cure::resume : result.error().cure;
}

}  // namespace tidemill::redis
