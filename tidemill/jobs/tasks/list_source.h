// ListSource: the flags --files-from and --null for the jobs that walk folders in their own way
// (import, batch, tokens): file names from a list instead of a walk. each_name() (names.h) reads
// the names.
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::jobs {

struct ListSource {
  std::string files_from{};  // "": no list; "-": standard input
  bool is_nul_separated = false;

  [[nodiscard]] bool is_given() const { return !files_from.empty(); }
};

// files-from, null, glob, exclude, no-hidden, allow-empty.
[[nodiscard]] std::vector<command::Flag> list_source_flags(const std::string& group);

// `roots` are the files and folders of the command line. Combining a list with roots or with a
// filter, which only applies to folders, is a usage error.
[[nodiscard]] Result<ListSource> list_source_of(const command::Values& values,
                                                const std::vector<std::string>& roots);

// Whether the list exists. Call it before the run is created.
[[nodiscard]] Result<void> check(const ListSource& list);

// The list as a FileSource, for each_name().
[[nodiscard]] FileSource names_of(const ListSource& list);

}  // namespace tidemill::jobs
