// ListSource: the flags --files-from and --null of the jobs that walk folders in their own way
// (import, batch, tokens): names of files from a list instead of a walk. The names are read by
// each_name() (names.h).
#pragma once

#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::jobs {

struct ListSource {
  std::string files_from{};  // "": there is no list; "-": standard input
  bool is_nul_separated = false;

  [[nodiscard]] bool is_given() const { return !files_from.empty(); }
};

// files-from, null, glob, exclude, no-hidden, allow-empty.
[[nodiscard]] std::vector<command::Flag> list_source_flags(const std::string& group);

// `roots` are the files and folders of the command line. A misuse: a list with any of them, or with
// a filter, which is for folders.
[[nodiscard]] Result<ListSource> list_source_of(const command::Values& values,
                                                const std::vector<std::string>& roots);

// Whether the list is there: to be asked before a run is made.
[[nodiscard]] Result<void> check(const ListSource& list);

// For each_name().
[[nodiscard]] FileSource names_of(const ListSource& list);

}  // namespace tidemill::jobs
