// Redirect: the errors "MOVED 3999 127.0.0.1:6381" and "ASK 3999 127.0.0.1:6381": the keys are on
// another node, and the command was not executed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemill/io/redis/address.h"

namespace tidemill::redis {

struct Redirect {
  bool is_for_good = false;  // MOVED; false: ASK, for this request only
  Host host{};               // empty name: that of the replying node
  bool operator==(const Redirect&) const = default;
};

// Nothing for any other error.
[[nodiscard]] std::optional<Redirect> redirect_of(std::string_view error);

// The same commands, each preceded by ASKING.
[[nodiscard]] std::string with_asking(std::string_view commands);

}  // namespace tidemill::redis
