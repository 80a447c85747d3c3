#include "tidemill/io/walk/entries.h"

#include <dirent.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace tidemill::walk {
namespace {

constexpr std::size_t kRoom = std::size_t{256} * 1024;
constexpr std::size_t kLeastPiece = std::size_t{64} * 1024;
constexpr std::size_t kMostKept = std::size_t{4} * 1024 * 1024;  // after a very large folder

// The layout of getdents64(2); the C library's dirent64 has the same fields, but a fixed-size name.
constexpr std::size_t kLengthAt = offsetof(dirent64, d_reclen);
constexpr std::size_t kTypeAt = offsetof(dirent64, d_type);
constexpr std::size_t kNameAt = offsetof(dirent64, d_name);

bool is_dots(const char* name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

}  // namespace

void Entries::grow() {
  const std::size_t room = std::max(kRoom, room_ * 2);
  auto text = std::make_unique_for_overwrite<char[]>(room);
  if (used_ > 0) std::memcpy(text.get(), text_.get(), used_);
  text_ = std::move(text);
  room_ = room;
}

void Entries::parse() {
  for (std::size_t at = 0; at < used_;) {
    const char* record = text_.get() + at;
    std::uint64_t inode = 0;
    std::uint16_t length = 0;
    std::memcpy(&inode, record, sizeof inode);
    std::memcpy(&length, record + kLengthAt, sizeof length);
    const char* name = record + kNameAt;
    if (!is_dots(name)) {
      all_.push_back({.inode = inode,
                      .name = name,
                      .size = static_cast<std::uint32_t>(std::strlen(name)),
                      .type = static_cast<unsigned char>(record[kTypeAt])});
    }
    at += length;
  }
}

int Entries::read(int folder, const std::stop_token& stop) {
  if (room_ > kMostKept) {
    text_.reset();
    room_ = 0;
    all_ = {};
  }
  used_ = 0;
  all_.clear();
  while (true) {
    if (stop.stop_requested()) return ECANCELED;
    if (room_ - used_ < kLeastPiece) grow();
    const ssize_t got = ::getdents64(folder, text_.get() + used_, room_ - used_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    used_ += static_cast<std::size_t>(got);
  }
  parse();
  std::ranges::sort(all_, {}, &FolderEntry::inode);
  return 0;
}

}  // namespace tidemill::walk
