// HeldFolder: a folder that is held open, so that nobody who may rename what leads to it can send
// what is written there to another place.
//
//   /home/bob/books ──open──► [ descriptor ] ──openat, renameat, linkat, one name each──► a.epub
//         ▲                                                                                  ▲
//   bob may put a symlink here: it is too late                 bob may put one here: O_NOFOLLOW
//
// A path that a user gave is opened part by part. A symlink on the way is followed only when
// nobody but root and the user could have put it there: one of them owns the link and the folder it
// is in, and nobody else may write to that folder, unless it is sticky (/tmp). The other way in,
// below(), follows no symlinks at all: what leads there was found by a walk.
//
// Failures have the step "folder"; a link that was refused says so, and what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::files {

enum class Links : std::uint8_t {
  ours,  // that nobody but root and the user could have put there
  all,   // for who only reads
};

enum class LastLink : std::uint8_t {
  keep,    // the spot is that of the link itself
  follow,  // of what it leads to, also when nothing is there; under the same rule as on the way
};

struct Spot;

// Several threads may use one.
class HeldFolder {
 public:
  [[nodiscard]] static Result<HeldFolder> open(const std::string& path, Links links = Links::ours);
  // And makes what is missing.
  [[nodiscard]] static Result<HeldFolder> make(const std::string& path);

  // `path` is relative and has no ".."; empty: this one, opened again.
  [[nodiscard]] Result<HeldFolder> below(std::string_view path) const;
  [[nodiscard]] Result<HeldFolder> make_below(std::string_view path) const;

  [[nodiscard]] int number() const { return folder_.number(); }
  [[nodiscard]] const std::string& path() const { return path_; }  // for messages
  [[nodiscard]] std::string path_of(std::string_view name) const;  // likewise

  // On the disk: which files are in it.
  [[nodiscard]] Result<void> sync() const;

 private:
  friend Result<Spot> spot_of(const std::string& path, LastLink last, Links links);
  HeldFolder(Descriptor folder, std::string path);

  Descriptor folder_;
  std::string path_;
};

// A file by the folder it is in and its name there.
struct Spot {
  HeldFolder folder;
  std::string name;
};

[[nodiscard]] Result<Spot> spot_of(const std::string& path, LastLink last = LastLink::keep,
                                   Links links = Links::ours);

// What can be opened by name although only the folder's descriptor is known: /proc/self/fd/7/name.
// For libraries that take nothing but paths.
[[nodiscard]] std::string held_path(const HeldFolder& folder, std::string_view name);

}  // namespace tidemill::files
