// Redirect: "MOVED 3999 127.0.0.1:6381" and "ASK 3999 127.0.0.1:6381": the keys are elsewhere, and
// the command was not carried out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tidemill/io/redis/address.h"

namespace tidemill::redis {

struct Redirect {
  bool is_for_good = false;  // MOVED; else ASK: this once
  Host host{};               // without a name: that of the node which says so
  bool operator==(const Redirect&) const = default;
};

// Nothing: the error is another one.
[[nodiscard]] std::optional<Redirect> redirect_of(std::string_view error);

// The same commands, each after an ASKING.
[[nodiscard]] std::string with_asking(std::string_view commands);

}  // namespace tidemill::redis
