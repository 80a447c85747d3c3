#include "tidemill/ui/redis_flags/flags.h"

namespace tidemill::redis_flags {

std::vector<command::Flag> flags(const std::string& group) {
  return {
      {.name = "password-file",
       .kind = command::ValueKind::path,
       .metavar = "FILE",
       .help = "file with the Redis password",
       .fallback_text = "$TIDEMILL_REDIS_PASSWORD, or none",
       .group = group},
      {.name = "tls-ca",
       .kind = command::ValueKind::path,
       .metavar = "FILE",
       .help = "CA certificates to verify the server with",
       .fallback_text = "the system's CA certificates",
       .group = group},
      {.name = "tls-cert",
       .kind = command::ValueKind::path,
       .metavar = "FILE",
       .help = "client certificate",
       .group = group},
      {.name = "tls-key",
       .kind = command::ValueKind::path,
       .metavar = "FILE",
       .help = "key of the client certificate",
       .group = group},
  };
}

}  // namespace tidemill::redis_flags
