// OutputFile: a file that a user named for a report or a list. It appears whole, in the place of
// what had the name, or not at all (new_file.h); a symlink at the name is followed if it is ours
// (held_folder.h). What lies below /dev (/dev/stdout, /dev/fd/63) is written to as it is.
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
  // It is complete. Dropped without it, nothing has changed.
  [[nodiscard]] Result<void> keep();

 private:
  OutputFile() = default;

  std::string path_;
  Descriptor device_;           // open: this is all
  std::unique_ptr<Spot> spot_;  // at one address: the new file refers to it
  std::optional<NewFile> file_;
};

// All of it at once.
[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view bytes);

}  // namespace tidemill::files
