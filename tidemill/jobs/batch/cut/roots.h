// Roots: the folders that are batched, and the names of the files in them. A file is known by the
// number of its root and its path below it; a root that is a file itself is a folder with one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/batch/options.h"

namespace tidemill::batch {

struct Root {
  std::string given{};  // as typed
  std::string real{};   // absolute, without symlinks; of a file its folder
  std::string only{};   // the name of the one file
  Descriptor folder{};
};

// Where a job stands in its roots: behind this file, or, with a slash at its end, behind everything
// in this folder. Written "<root>/<path below it>".
struct Cursor {
  std::size_t root = 0;
  std::string path{};  // empty: at the beginning of the root
  bool operator==(const Cursor&) const = default;
};

// Immutable.
class Roots {
 public:
  // Fails (step "open") when one cannot be opened.
  [[nodiscard]] static Result<Roots> open(const std::vector<std::string>& given);

  [[nodiscard]] std::size_t size() const { return roots_.size(); }
  [[nodiscard]] const Root& at(std::size_t i) const { return roots_[i]; }

  // For people and for batches.
  [[nodiscard]] std::string path(std::size_t root, std::string_view below, Paths how) const;
  // The file or folder at an absolute path, in the first root that has it. Nothing: in none.
  [[nodiscard]] std::optional<Cursor> find(std::string_view path) const;

 private:
  std::vector<Root> roots_;
};

[[nodiscard]] std::string text_of(const Cursor& cursor);
// Nothing: no cursor of these roots.
[[nodiscard]] std::optional<Cursor> cursor_of(std::string_view text, std::size_t roots);

// Stands for the roots and every setting that decides which batches there are; in hex.
[[nodiscard]] Result<std::string> job_of(const Options& options, const Roots& roots,
                                         std::string_view fingerprint, std::string_view prompt);

}  // namespace tidemill::batch
