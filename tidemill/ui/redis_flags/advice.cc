#include "tidemill/ui/redis_flags/advice.h"

#include "tidemill/ui/command/usage.h"

namespace tidemill::redis_flags {

Failure with_advice(Failure failure, const redis::RedisAddress& address, const std::string& key) {
  const bool is_silent = failure.kind == FailureKind::timed_out;
  const bool is_away = is_silent || failure.kind == FailureKind::unreachable;
  if (failure.kind == FailureKind::unauthenticated) {
    failure.hint =
        "set the password with --password-file FILE, TIDEMILL_REDIS_PASSWORD or REDIS_URL";
  } else if (failure.kind == FailureKind::wrong_type) {
    failure.reason =
        redis::text_of(address) + ": " + command::in_quotes(key) + " exists, but is not a queue";
    failure.hint = "use another name";
  } else if (failure.kind == FailureKind::unsupported) {
    failure.hint = "use redis:// instead of redis+cluster://: it is a single server";
  } else if (failure.hint.empty() && address.has_tls && is_silent) {
    failure.hint = "check that the server uses TLS; redis:// connects without TLS";
  } else if (failure.hint.empty() && is_away) {
    failure.hint = "check the URL and that Redis is running there";
  }
  return failure;
}

}  // namespace tidemill::redis_flags
