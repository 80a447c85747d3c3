#include "tidemill/jobs/tasks/list_source.h"

#include <algorithm>

#include "tidemill/ui/command/usage.h"

namespace tidemill::jobs {

using command::misuse;

std::vector<command::Flag> list_source_flags(const std::string& group) {
  std::vector<command::Flag> flags = source_flags(group);
  std::erase_if(flags, [](const command::Flag& flag) { return flag.name == "order"; });
  return flags;
}

Result<ListSource> list_source_of(const command::Values& values,
                                  const std::vector<std::string>& roots) {
  ListSource list{.files_from = values.text("files-from"),
                  .is_nul_separated = values.is_on("null")};
  if (!list.is_given()) {
    if (list.is_nul_separated) return misuse("-0 needs --files-from", "add --files-from -");
    return list;
  }
  if (!roots.empty()) {
    return misuse("--files-from cannot be used with files or folders",
                  "name the files in the list or on the command line, not both");
  }
  const bool filters = !values.texts("glob").empty() || !values.texts("exclude").empty() ||
                       values.is_on("no-hidden");
  if (filters) {
    return misuse("--files-from cannot be used with --glob, --exclude or --no-hidden",
                  "filter the list before tidemill reads it");
  }
  return list;
}

Result<void> check(const ListSource& list) {
  return list.is_given() ? check(names_of(list)) : Result<void>();
}

FileSource names_of(const ListSource& list) {
  return {.files_from = list.files_from, .is_nul_separated = list.is_nul_separated};
}

}  // namespace tidemill::jobs
