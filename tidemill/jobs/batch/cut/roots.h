// Roots: the folders that are batched, and the names of the files in them. A file is known by the
// number of its root and its path below it; a root that is a file itself is a folder with one file.
// The names of a list (--files-from) are below the working folder, whatever they are; there the
// number is that of the name in the list, from 0.
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
  // Fails (step: its path) when one cannot be opened.
  [[nodiscard]] static Result<Roots> open(const std::vector<std::string>& given);

  // Of a list.
  [[nodiscard]] static Result<Roots> open_list();

  [[nodiscard]] bool is_list() const { return is_list_; }
  // Of a list: more than it can have.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const Root& at(std::size_t i) const { return roots_[is_list_ ? 0 : i]; }

  // For people and for batches.
  [[nodiscard]] std::string path(std::size_t root, std::string_view below, Paths how) const;
  // The file or folder at an absolute path, in the first root that has it. Nothing: in none.
  [[nodiscard]] std::optional<Cursor> find(std::string_view path) const;

 private:
  std::vector<Root> roots_;
  bool is_list_ = false;
};

[[nodiscard]] std::string text_of(const Cursor& cursor);
// Nothing: no cursor of these roots.
[[nodiscard]] std::optional<Cursor> cursor_of(std::string_view text, std::size_t roots);

// Stands for the roots and every setting that decides which batches there are; in hex.
[[nodiscard]] Result<std::string> job_of(const Options& options, const Roots& roots,
                                         std::string_view fingerprint, std::string_view prompt);

}  // namespace tidemill::batch
