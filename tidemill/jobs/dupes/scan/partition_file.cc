#include "tidemill/jobs/dupes/scan/partition_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "tidemill/base/try.h"
#include "tidemill/io/walk/folder_of.h"
#include "tidemill/io/walk/system_failure.h"

namespace tidemill::dupes {
namespace {

std::unexpected<Failure> failure(int error, const std::string& folder) {
  if (error != ENOSPC && error != EDQUOT) {
    return std::unexpected(walk::failure_of(error, "partition file", folder));
  }
  return std::unexpected(
      Failure{.cure = Cure::retry,
              .kind = FailureKind::disk_full,
              .step = "disk full",
              .reason = folder + ": no space left for the data that does not fit into --memory",
              .hint = "free some space, or use --catalogue to put the catalogue on another disk"});
}

// Not every file system supports O_TMPFILE.
Descriptor make_unnamed(const std::string& folder) {
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  std::string name = folder + "/tidemill-partition-XXXXXX";
  file = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (file.is_open()) (void)::unlink(name.c_str());
  return file;
}

}  // namespace

Result<std::unique_ptr<PartitionFile>> PartitionFile::beside(const std::string& path) {
  std::string folder(walk::folder_of(path));
  Descriptor file = make_unnamed(folder);
  if (!file.is_open()) return failure(errno, folder);
  return std::unique_ptr<PartitionFile>(new PartitionFile(std::move(file), std::move(folder)));
}

Result<void> PartitionFile::write(const PartitionChunk& chunk, std::string_view bytes) const {
  for (std::uint64_t at = chunk.at; !bytes.empty();) {
    const ssize_t put =
        ::pwrite(file_.number(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return failure(put < 0 ? errno : ENOSPC, folder_);
    bytes.remove_prefix(static_cast<std::size_t>(put));
    at += static_cast<std::uint64_t>(put);
  }
  return {};
}

Result<void> PartitionFile::read(const PartitionChunk& chunk, std::string& into) const {
  into.resize(chunk.size);
  for (std::size_t done = 0; done < into.size();) {
    const ssize_t got = ::pread(file_.number(), into.data() + done, into.size() - done,
                                static_cast<off_t>(chunk.at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return failure(got < 0 ? errno : EIO, folder_);
    done += static_cast<std::size_t>(got);
  }
  return {};
}

Result<std::string_view*> PartitionReader::rest() {
  if (rest_.empty() && next_ < run_->size()) {
    TRY(partition_file_->read((*run_)[next_++], *text_));
    rest_ = *text_;
  }
  return &rest_;
}

}  // namespace tidemill::dupes
