// NewFile: the one way in which a file is written that others can see. At every moment there is
// the whole old file or the whole new one, also after a power cut, whoever owns the folder:
//
//   part file in the same folder ── filled ── fsync ── rename ── fsync of the folder
//
// The part file is made anew, never through a link and never into a file that is there: what has
// its name is removed first. Its name follows from the file's, so one that a killed process left
// behind is removed by the next: there is never more than one. Two at work on the same name take
// the part file from each other, and one of them fails.
//
// Every failure leaves what has the name as it was. The destructor removes the part file if it was
// not put in place.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/files/held_folder.h"

namespace tidemill::files {

enum class Sync : std::uint8_t {
  now,
  later,  // the caller syncs many at once, and counts none of them before
};

inline constexpr mode_t kForTheOwner = 0600;
inline constexpr mode_t kAsTheUmaskSays = 0666;

// One thread.
class NewFile {
 public:
  // The folder must outlive it.
  [[nodiscard]] static Result<NewFile> begin(const HeldFolder& folder, std::string name,
                                             mode_t mode = kForTheOwner);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  [[nodiscard]] int file() const { return part_.number(); }
  [[nodiscard]] Result<void> write(std::string_view bytes);

  // As take_over() below, of the file that it shall replace.
  [[nodiscard]] Result<void> resemble(int other);

  // Puts it in place of whatever has the name.
  [[nodiscard]] Result<void> put(Sync sync = Sync::now);

 private:
  NewFile(const HeldFolder& folder, std::string name, std::string part_name, Descriptor part);
  [[nodiscard]] Result<void> sync_part() const;
  [[nodiscard]] std::unexpected<Failure> failed(int error, std::string_view step) const;

  const HeldFolder* folder_;
  std::string name_;
  std::string part_name_;
  Descriptor part_;
};

// The permissions of an old file, and its owner and group where that is allowed. Bits that lend the
// owner's rights (set-user-ID and its like) are never taken over; where the owner or the group is
// another one, only the new owner may do anything.
[[nodiscard]] Result<void> take_over(const struct stat& old, int file, const std::string& path);

// The name of the part file of a file.
[[nodiscard]] std::string part_name(std::string_view name);

// A file that is open gets a second name; a copy of its own where that cannot be (another file
// system). It is fine when the very bytes have that name already.
[[nodiscard]] Result<void> back_up(int file, const HeldFolder& folder, const std::string& name);

// The first name that is free, or has the bytes of the file already: "a.epub.orig",
// "a.epub.orig-2", …
[[nodiscard]] Result<std::string> free_backup_name(int file, const HeldFolder& folder,
                                                   const std::string& wanted);

}  // namespace tidemill::files
