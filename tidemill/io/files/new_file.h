// NewFile: how reports, repaired books and outputs are written. At every moment either
// the complete old file or the complete new file exists, also after a power failure:
//
//   part file in the same folder ── filled ── fsync ── rename ── fsync of the folder
//
// This holds for any owner of the folder. The part file is always created, never opened through a
// link or over an existing file: whatever has its name is removed first. Its name is derived from
// that of the file, so the next process removes a part file that a killed process left behind:
// there is never more than one. If two processes write the same name, one removes the part file of
// the other, and one of them fails.
//
// Every failure before the rename leaves the old file unchanged. The destructor removes the part
// file if it was not put in place.
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
  later,  // the caller syncs many files at once and relies on none before that
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

  // Applies take_over() with the file that it will replace.
  [[nodiscard]] Result<void> resemble(int other);

  // Renames the part file to the final name, replacing any existing file.
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

// Copies the permissions of an old file to `file`, and its owner and group where permitted.
// Set-user-ID, set-group-ID and sticky bits are never copied. If the owner or the group could not
// be kept, only the owner keeps permissions.
[[nodiscard]] Result<void> take_over(const struct stat& old, int file, const std::string& path);

// The name of the part file for a file name.
[[nodiscard]] std::string part_name(std::string_view name);

// Gives an open file a second name by a hard link, or by a verified copy where that is not possible
// (another file system). Succeeds if a file with the same bytes already has that name.
[[nodiscard]] Result<void> back_up(int file, const HeldFolder& folder, const std::string& name);

// The first name that is free or belongs to a file with the same bytes: "a.epub.orig",
// "a.epub.orig-2", …
[[nodiscard]] Result<std::string> free_backup_name(int file, const HeldFolder& folder,
                                                   const std::string& wanted);

}  // namespace tidemill::files
