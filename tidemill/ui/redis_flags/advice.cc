#include "tidemill/ui/redis_flags/advice.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "tidemill/ui/command/usage.h"

namespace tidemill::redis_flags {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.contains(part); });
}

}  // namespace

Failure with_advice(Failure failure, const redis::Address& address, const std::string& key) {
  if (failure.step != "redis") return failure;
  const std::string& reason = failure.reason;
  if (reason.contains("NOAUTH")) {
    failure.hint =
        "it wants a password: --password-file FILE, TIDEMILL_REDIS_PASSWORD or REDIS_URL";
  } else if (reason.contains("WRONGTYPE")) {
    failure.reason = redis::text_of(address) + ": " + command::in_quotes(key) +
                     " is there, and is something else than a queue";
    failure.hint = "choose another name";
  } else if (reason.contains("cluster support disabled")) {
    failure.hint = "it is a single server: redis:// instead of redis+cluster://";
  } else if (failure.hint.empty() && address.has_tls && reason.contains("no answer")) {
    failure.hint = "does it speak TLS? redis:// is without";
  } else if (failure.hint.empty() &&
             has_any(reason, {"connect:", "no answer", "No such file", "not known"})) {
    failure.hint = "is the URL right, and is Redis running there?";
  }
  return failure;
}

}  // namespace tidemill::redis_flags
