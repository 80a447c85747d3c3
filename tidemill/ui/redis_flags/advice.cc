#include "tidemill/ui/redis_flags/advice.h"

#include "tidemill/ui/command/usage.h"

namespace tidemill::redis_flags {

Failure with_advice(Failure failure, const redis::Address& address, const std::string& key) {
  const bool is_silent = failure.kind == FailureKind::timed_out;
  const bool is_away = is_silent || failure.kind == FailureKind::unreachable;
  if (failure.kind == FailureKind::unauthenticated) {
    failure.hint =
        "it wants a password: --password-file FILE, TIDEMILL_REDIS_PASSWORD or REDIS_URL";
  } else if (failure.kind == FailureKind::wrong_type) {
    failure.reason = redis::text_of(address) + ": " + command::in_quotes(key) +
                     " is there, and is something else than a queue";
    failure.hint = "choose another name";
  } else if (failure.kind == FailureKind::unsupported) {
    failure.hint = "it is a single server: redis:// instead of redis+cluster://";
  } else if (failure.hint.empty() && address.has_tls && is_silent) {
    failure.hint = "does it speak TLS? redis:// is without";
  } else if (failure.hint.empty() && is_away) {
    failure.hint = "is the URL right, and is Redis running there?";
  }
  return failure;
}

}  // namespace tidemill::redis_flags
