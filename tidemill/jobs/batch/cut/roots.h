// BatchRoots: the folders that are batched, and the names of the files in them. A file is
// identified by the number of its root and its path below it; a root that is a file is treated as
// a folder with one file. The names of a list (--files-from) are relative to the working folder,
// and the number is the position of the name in the list, from 0.
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

struct BatchRoot {
  std::string given{};  // as typed
  std::string real{};   // absolute, without symlinks; for a file, its folder
  std::string only{};   // the name of the one file, if the root is a file
  Descriptor folder{};
};

// A job's position in its roots: after this file or, with a trailing slash, after everything in
// this folder. Written "<root>/<path below it>".
struct Cursor {
  std::size_t root = 0;
  std::string path{};  // empty: at the beginning of the root
  bool operator==(const Cursor&) const = default;
};

// Immutable.
class BatchRoots {
 public:
  // Fails (step: the path) when a root cannot be opened.
  [[nodiscard]] static Result<BatchRoots> open(const std::vector<std::string>& given);

  // For a list (--files-from).
  [[nodiscard]] static Result<BatchRoots> open_list();

  [[nodiscard]] bool is_list() const { return is_list_; }
  // For a list: an upper bound.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const BatchRoot& at(std::size_t i) const { return roots_[is_list_ ? 0 : i]; }

  // The path as it is shown and as it is sent in batches.
  [[nodiscard]] std::string path(std::size_t root, std::string_view below, Paths how) const;
  // The file or folder at an absolute path, in the first root that contains it; empty if none does.
  [[nodiscard]] std::optional<Cursor> find(std::string_view path) const;

 private:
  std::vector<BatchRoot> roots_;
  bool is_list_ = false;
};

[[nodiscard]] std::string text_of(const Cursor& cursor);
// Empty if the text is not a cursor for this number of roots.
[[nodiscard]] std::optional<Cursor> cursor_of(std::string_view text, std::size_t roots);

// The job id: a digest, in hex, of the job's name, list or roots and of every setting that
// determines the batches.
[[nodiscard]] Result<std::string> job_of(const BatchOptions& options, const BatchRoots& roots,
                                         std::string_view fingerprint, std::string_view prompt);

}  // namespace tidemill::batch
