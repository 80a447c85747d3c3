// FileSource: where the names of a run come from (folders or a list) and which of them are
// selected, with the flags for both. All jobs whose tasks are files share these flags.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::jobs {

// The order in which tasks start. With size and name, all files are found before the first starts.
enum class FileOrder : std::uint8_t { found, size, name };

struct FileSource {
  std::vector<std::string> roots{};
  std::string files_from{};  // "": walk the roots; "-": standard input
  bool is_nul_separated = false;
  std::vector<std::string> globs{};
  std::vector<std::string> excludes{};
  bool no_hidden = false;
  bool allow_empty = false;
  FileOrder order = FileOrder::found;
};

// files-from, null, glob, exclude, no-hidden, order, allow-empty.
[[nodiscard]] std::vector<command::Flag> source_flags(const std::string& group);
// The roots come from the argument ROOT.
[[nodiscard]] Result<FileSource> source_of(const command::Values& values);

// Whether the folders or the list exist and the patterns are valid. Call it before the run is
// created.
[[nodiscard]] Result<void> check(const FileSource& source);

// For the message when no file was found.
[[nodiscard]] cli::Selection selection_of(const FileSource& source);

}  // namespace tidemill::jobs
