// OutputFile: a file that a user named for a report or a list. It replaces an existing file
// completely or not at all (new_file.h); a symlink at the name is followed if it is trusted
// (held_folder.h). Paths below /dev (/dev/stdout, /dev/fd/63) are written to directly.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/files/new_file.h"

namespace tidemill::files {

// One thread.
class OutputFile {
 public:
  [[nodiscard]] static Result<OutputFile> begin(const std::string& path);

  [[nodiscard]] Result<void> write(std::string_view bytes);
  // Puts the complete file in place. Without this call, nothing changes.
  [[nodiscard]] Result<void> keep();

 private:
  OutputFile() = default;

  std::string path_;
  Descriptor device_;           // open for a path below /dev; the others are then unused
  std::unique_ptr<Spot> spot_;  // at a fixed address: the new file refers to it
  std::optional<NewFile> file_;
};

// Writes a complete file.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view bytes);

}  // namespace tidemill::files
