// Hints for failures of Redis. The client reports what happened (io/redis/client.h); the flags and
// variables that would help are only known here.
#pragma once

#include <string>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"

namespace tidemill::redis_flags {

// Adds a hint where one is known; other failures are unchanged. `key`: the stream or queue.
[[nodiscard]] Failure with_advice(Failure failure, const redis::RedisAddress& address,
                                  const std::string& key);

}  // namespace tidemill::redis_flags
