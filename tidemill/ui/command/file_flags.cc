#include "tidemill/ui/command/file_flags.h"

namespace tidemill::command {

std::vector<Flag> file_flags(const std::string& group) {
  return {{.name = "glob",
           .letter = 'g',
           .kind = ValueKind::text,
           .metavar = "PATTERN",
           .help = "only files that match; with a /, by path",
           .is_list = true,
           .group = group,
           .is_basic = true},
          {.name = "exclude",
           .letter = 'x',
           .kind = ValueKind::text,
           .metavar = "PATTERN",
           .help = "skip files and folders that match",
           .is_list = true,
           .group = group,
           .is_basic = true},
          {.name = "no-hidden", .help = "skip hidden files and folders", .group = group}};
}

Flag allow_empty_flag(const std::string& group) {
  return {.name = "allow-empty",
          .help = "exit with status 0, not 1, when no file matches",
          .group = group};
}

}  // namespace tidemill::command
