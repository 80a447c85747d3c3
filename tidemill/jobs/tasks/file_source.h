// FileSource: where the names of a run come from, folders or a list, and which of them are meant;
// with the flags by which a person says so. Every job whose tasks are files has the same ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::jobs {

// In which order tasks start. By size or by name everything is found first.
enum class Order : std::uint8_t { found, size, name };

struct FileSource {
  std::vector<std::string> roots{};
  std::string files_from{};  // "": walk the roots; "-": standard input
  bool is_nul_separated = false;
  std::vector<std::string> globs{};
  std::vector<std::string> excludes{};
  bool no_hidden = false;
  bool allow_empty = false;
  Order order = Order::found;
};

// files-from, null, glob, exclude, no-hidden, order, allow-empty.
[[nodiscard]] std::vector<command::Flag> source_flags(const std::string& group);
// The roots are the argument ROOT.
[[nodiscard]] Result<FileSource> source_of(const command::Values& values);

// Whether the folders or the list are there and the patterns make sense: to be asked before a run
// is made.
[[nodiscard]] Result<void> check(const FileSource& source);

// For what is said when there was no file.
[[nodiscard]] cli::Selection selection_of(const FileSource& source);

}  // namespace tidemill::jobs
