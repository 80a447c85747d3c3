#include "tidemill/ui/redis_flags/flags.h"

namespace tidemill::redis_flags {

std::vector<command::Flag> flags(const std::string& group) {
  return {
      {.name = "password-file",
       .kind = command::Kind::path,
       .metavar = "FILE",
       .help = "where the password of Redis is",
       .fallback_text = "$TIDEMILL_REDIS_PASSWORD, or none",
       .group = group},
      {.name = "tls-ca",
       .kind = command::Kind::path,
       .metavar = "FILE",
       .help = "who may sign the server's certificate",
       .fallback_text = "whom the system trusts",
       .group = group},
      {.name = "tls-cert",
       .kind = command::Kind::path,
       .metavar = "FILE",
       .help = "our certificate",
       .group = group},
      {.name = "tls-key",
       .kind = command::Kind::path,
       .metavar = "FILE",
       .help = "its key",
       .group = group},
  };
}

}  // namespace tidemill::redis_flags
