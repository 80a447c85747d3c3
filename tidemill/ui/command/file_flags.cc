#include "tidemill/ui/command/file_flags.h"

namespace tidemill::command {

std::vector<Flag> file_flags(const std::string& group) {
  return {{.name = "glob",
           .letter = 'g',
           .kind = Kind::text,
           .metavar = "PATTERN",
           .help = "only files that match; without a slash the name is matched, with one the path "
                   "below ROOT",
           .is_list = true,
           .group = group},
          {.name = "exclude",
           .letter = 'x',
           .kind = Kind::text,
           .metavar = "PATTERN",
           .help = "not these files, and do not enter these folders",
           .is_list = true,
           .group = group},
          {.name = "no-hidden", .help = "leave out names that begin with a dot", .group = group}};
}

Flag allow_empty_flag(const std::string& group) {
  return {.name = "allow-empty",
          .help = "exit status 0, not 1, when there is no file to work on",
          .group = group};
}

}  // namespace tidemill::command
