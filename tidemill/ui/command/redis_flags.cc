#include "tidemill/ui/command/redis_flags.h"

namespace tidemill::command {

std::vector<Flag> redis_flags(const std::string& group) {
  return {
      {.name = "password-file",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "where the password of Redis is",
       .fallback_text = "$TIDEMILL_REDIS_PASSWORD, or none",
       .group = group},
      {.name = "tls-ca",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "who may sign the server's certificate",
       .fallback_text = "whom the system trusts",
       .group = group},
      {.name = "tls-cert",
       .kind = Kind::path,
       .metavar = "FILE",
       .help = "our certificate",
       .group = group},
      {.name = "tls-key", .kind = Kind::path, .metavar = "FILE", .help = "its key", .group = group},
  };
}

}  // namespace tidemill::command
