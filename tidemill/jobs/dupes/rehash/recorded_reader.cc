#include "tidemill/jobs/dupes/rehash/recorded_reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/hash/algorithm.h"

namespace tidemill::dupes {

std::unexpected<Failure> cannot_enter(int error) {
  if (error == EXDEV) {
    return fail(Cure::give_up, FailureKind::untrusted, "open",
                "a symlink on its path leads out of its root");
  }
  const bool is_gone = error == ENOENT || error == ENOTDIR;
  return fail(Cure::give_up, is_gone ? FailureKind::not_found : FailureKind::unreadable,
              is_gone ? "gone" : "open", system_text(error));
}

Result<hash::Digest> unless_fresh(Result<hash::Digest> digest, const FileStamp& stamp,
                                  WallTime read_at) {
  const auto since = std::chrono::nanoseconds(read_at.time_since_epoch());
  if (!digest || !stamp.is_fresh(since.count())) return digest;
  return std::unexpected(Failure{.cure = Cure::retry,
                                 .kind = FailureKind::changed,
                                 .step = "changed",
                                 .reason = "modified a moment ago",
                                 .hint = "try again in a few seconds"});
}

Result<hash::Digest> RecordedReader::read(const RecordedFile& file, const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(Cure::resume, "stop", "stopped");
  LET(hash::FileReader* const reader, reader_for(file.algorithm));
  TRY(enter(file));
  auto digest = reader->whole(
      {.folder = opened_.folder.number(), .name = file.name.c_str(), .stamp = expected(file)},
      stop);
  if (!digest) opened_ = {};  // another try must not meet a stale handle (ESTALE)
  return digest;
}

Result<void> RecordedReader::enter(const RecordedFile& file) {
  if (!opened_.folder.is_open() || top_ != file.top || path_ != file.folder) {
    top_ = file.top;
    path_ = file.folder;
    opened_ = open(file.top, file.folder);
    // For a root that is a file, the catalogue has a folder with the path of the file.
    if (opened_.error == ENOTDIR && file.folder.ends_with("/" + file.name)) {
      opened_ = open(file.top, file.folder.substr(0, file.folder.rfind('/')));
      path_.clear();
      top_ = -1;
    }
  }
  if (opened_.error != 0) return cannot_enter(opened_.error);
  return {};
}

walk::OpenedFolder RecordedReader::open(int top, std::string_view folder) const {
  if (host_ == StampOf::another_host) return walk::open_inside(top, folder);
  return walk::open_below(top, folder, true);
}

// That of a missing file does not matter.
FileStamp RecordedReader::expected(const RecordedFile& file) const {
  FileStamp stamp = file.stamp;
  struct stat seen{};
  if (host_ == StampOf::another_host &&
      ::fstatat(opened_.folder.number(), file.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) == 0) {
    stamp.device = seen.st_dev;
  }
  return stamp;
}

Result<hash::FileReader*> RecordedReader::reader_for(std::uint8_t number) {
  const auto algorithm = hash::algorithm_numbered(number);
  if (!algorithm || number >= readers_.size()) {
    return fail(Cure::give_up, "hash", "unknown hash algorithm " + std::to_string(number));
  }
  auto& reader = readers_[number];
  if (!reader) {
    LET(auto made, hash::FileReader::make(*algorithm));
    reader.emplace(std::move(made));
  }
  return &*reader;
}

}  // namespace tidemill::dupes
