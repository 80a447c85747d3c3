// HeldFolder: a folder that is held open, so that a user who can rename a part of its path cannot
// redirect what is written there.
//
//   /home/bob/books ──open──► [ descriptor ] ──openat, renameat, linkat, one name each──► a.epub
//         ▲                                                                                  ▲
//   bob may put a symlink here: it is too late                 bob may put one here: O_NOFOLLOW
//
// A path given by a user is opened component by component. A symlink on the way is followed only
// when root or the user must have created it: one of them owns the link and the folder that
// contains it, and no other user may write to that folder, unless it is sticky (/tmp). below()
// follows no symlinks at all, because its paths were found by a walk.
//
// Failures have the step "folder"; for a refused link, the failure says so and what to do.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::files {

enum class Links : std::uint8_t {
  ours,  // follow only links that root or the user must have created
  all,   // follow all links; for readers only
};

enum class LastLink : std::uint8_t {
  keep,    // the spot is the link itself
  follow,  // the spot is its target, which need not exist; the same rules for links apply
};

struct Spot;

// Thread-safe.
class HeldFolder {
 public:
  [[nodiscard]] static Result<HeldFolder> open(const std::string& path, Links links = Links::ours);
  // Also creates missing folders.
  [[nodiscard]] static Result<HeldFolder> make(const std::string& path);

  // `path` is relative and has no ".."; empty opens this folder again.
  [[nodiscard]] Result<HeldFolder> below(std::string_view path) const;
  [[nodiscard]] Result<HeldFolder> make_below(std::string_view path) const;

  [[nodiscard]] int number() const { return folder_.number(); }
  [[nodiscard]] const std::string& path() const { return path_; }  // for messages
  [[nodiscard]] std::string path_of(std::string_view name) const;  // for messages

  // Syncs the folder itself: the names of the files in it.
  [[nodiscard]] Result<void> sync() const;

 private:
  friend Result<Spot> spot_of(const std::string& path, LastLink last, Links links);
  HeldFolder(Descriptor folder, std::string path);

  Descriptor folder_;
  std::string path_;
};

// A file, as its folder and its name there.
struct Spot {
  HeldFolder folder;
  std::string name;
};

[[nodiscard]] Result<Spot> spot_of(const std::string& path, LastLink last = LastLink::keep,
                                   Links links = Links::ours);

// A path to a file in the folder through its descriptor: /proc/self/fd/7/name. For libraries that
// accept only paths.
[[nodiscard]] std::string held_path(const HeldFolder& folder, std::string_view name);

}  // namespace tidemill::files
