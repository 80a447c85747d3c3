// Replacement: a new file in the place of an old one, such that at every moment there is the whole
// old one or the whole new one, also after a power cut.
//
//   part file beside the target ── filled ── fsync ── backup of the old (a link, or a copy) ──
//   rename ── fsync of the folder
//
// The name of the part file follows from the target's, so one that a killed process left behind is
// found and used again by the next: there is never more than one. Nobody else may be at work on the
// same target: take the lock of the book first (lock_book).
//
// Every failure leaves the target as it was. The destructor removes the part file if it was not put
// in place.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::books {

// One at a time for each book, over all processes of this machine: flock on the file, for as long
// as it is open. Fails with Cure::retry when somebody else has it.
[[nodiscard]] Result<void> lock_book(int book);

// One thread.
class Replacement {
 public:
  // Makes the part file. The folder of the target must exist.
  [[nodiscard]] static Result<Replacement> begin(const std::string& target);
  Replacement(Replacement&& other) noexcept;
  Replacement& operator=(Replacement&&) = delete;
  ~Replacement();

  [[nodiscard]] int file() const { return part_.number(); }

  // Mode and, where that is allowed, owner of the book that was mended.
  [[nodiscard]] Result<void> resemble(int book);
  // Puts it in place. With a backup the old file gets a second name first; it fails if that name is
  // taken.
  [[nodiscard]] Result<void> put(const std::string& backup);

 private:
  Replacement(std::string target, std::string part_path, Descriptor part);

  std::string target_;
  std::string part_path_;
  Descriptor part_;
  bool is_put_ = false;
};

[[nodiscard]] Result<bool> have_same_bytes(int one, int other);

// The name of the part file of a target.
[[nodiscard]] std::string part_of(const std::string& target);

// The first name that is free, or has the bytes of the book already: "a.epub.orig",
// "a.epub.orig-2", …
[[nodiscard]] Result<std::string> free_backup_name(const std::string& wanted, int book);

}  // namespace tidemill::books
