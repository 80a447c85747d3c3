#include "tidemill/jobs/batch/cut/weigher.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/walk/open_below.h"

namespace tidemill::batch {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10U;
constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

// For paths of any length, and kernels without openat2.
Descriptor open_by_parts(int root, std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const bool is_deep = slash != std::string_view::npos;
  const walk::OpenedFolder opened = walk::open_below(root, is_deep ? path.substr(0, slash) : "");
  if (opened.error != 0) {
    errno = opened.error;
    return {};
  }
  const std::string name(is_deep ? path.substr(slash + 1) : path);
  return Descriptor(::openat(opened.folder.number(), name.c_str(), kFlags));
}

Descriptor open_file(int root, std::string_view path) {
  const std::string name(path);
  open_how how{};
  how.flags = static_cast<std::uint64_t>(kFlags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const long number = ::syscall(SYS_openat2, root, name.c_str(), &how, sizeof how);
  if (number >= 0) return Descriptor(static_cast<int>(number));
  const bool wants_parts =
      errno == ENOSYS || errno == EPERM || errno == ENAMETOOLONG || errno == EAGAIN;
  return wants_parts ? open_by_parts(root, path) : Descriptor();
}

Descriptor open_listed(int root, std::string_view path) {
  return Descriptor(::openat(root, std::string(path).c_str(), kFlags & ~O_NOFOLLOW));
}

std::unexpected<Failure> system_failure(const char* step, int error) {
  const bool may_pass = error == EIO || error == EMFILE || error == ENFILE || error == ENOMEM ||
                        error == ESTALE || error == ETIMEDOUT;
  return fail(may_pass ? Cure::retry : Cure::give_up, step, system_text(error));
}

Weight passed_over(Passed passed) { return {.passed = passed}; }

}  // namespace

std::string_view name_of(Passed passed) {
  constexpr std::string_view kNames[] = {"", "binary", "too large", "not a regular file",
                                         "vanished"};
  return kNames[static_cast<std::size_t>(passed)];
}

Weigher::Weigher(std::unique_ptr<tokens::TokenCounter> counter, hash::Hasher hasher,
                 Options options)
    : counter_(std::move(counter)),
      hasher_(std::move(hasher)),
      options_(std::move(options)),
      buffer_(std::make_unique_for_overwrite<char[]>(kBuffer)) {}

Result<std::unique_ptr<Weigher>> Weigher::make(const tokens::Tokenizer& tokenizer,
                                               Options options) {
  LET(auto hasher, hash::Hasher::make(hash::Algorithm::xxh3));
  return std::unique_ptr<Weigher>(
      new Weigher(tokenizer.counter(), std::move(hasher), std::move(options)));
}

Result<Weight> Weigher::weigh(int root, std::string_view path, const std::stop_token& stop) {
  constexpr int kTries = 2;
  for (int tries = 1;; ++tries) {
    const Descriptor file = options_.is_listed ? open_listed(root, path) : open_file(root, path);
    if (!file.is_open()) {
      if (options_.is_listed && errno != ENXIO) return system_failure("open", errno);
      // ENXIO: a socket or FIFO; ELOOP: a symlink has replaced the file.
      if (errno == ENOENT || errno == ENOTDIR) return passed_over(Passed::gone);
      if (errno == ENXIO || errno == ELOOP) return passed_over(Passed::not_regular);
      return system_failure("open", errno);
    }
    struct stat seen{};
    if (::fstat(file.number(), &seen) != 0) return system_failure("open", errno);
    if (!S_ISREG(seen.st_mode)) return passed_over(Passed::not_regular);
    auto weight = weigh_once(file.number(), stamp_of(seen), stop);
    const bool has_changed = !weight && weight.error().kind == FailureKind::changed;
    if (!has_changed || tries == kTries) return weight;
  }
}

std::optional<Weight> Weigher::known(const FileStamp& stamp) const {
  if (!options_.recall || options_.keeps_content) return std::nullopt;
  const auto seen = options_.clock.wall().time_since_epoch();
  auto weight = options_.recall(stamp);
  if (!weight) return std::nullopt;
  weight->stamp = stamp;
  weight->seen_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(seen).count();
  return weight;
}

Result<Weight> Weigher::weigh_once(int file, const FileStamp& before, const std::stop_token& stop) {
  if (before.size > options_.max_size.count) return passed_over(Passed::too_large);
  if (auto weight = known(before)) return *std::move(weight);
  const auto seen = options_.clock.wall().time_since_epoch();
  LET(auto weight, read_all(file, before, stop));
  struct stat after{};
  if (::fstat(file, &after) != 0) return system_failure("read", errno);
  if (stamp_of(after) != before) {
    return fail(Cure::retry, FailureKind::changed, "changed", "changed while being read");
  }
  weight.stamp = before;
  weight.seen_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(seen).count();
  weight.is_new = true;
  return weight;
}

// Reads until the end of the file or past the size in the stamp, so that growth is detected without
// reading a growing file without bound.
Result<Weight> Weigher::read_all(int file, const FileStamp& before, const std::stop_token& stop) {
  Weight weight;
  std::uint64_t total = 0;
  while (true) {
    if (stop.stop_requested()) {
      (void)counter_->finish();
      (void)hasher_.finish();
      return fail(Cure::resume, "stop", "stopped");
    }
    const ssize_t got = ::read(file, buffer_.get(), kBuffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      (void)counter_->finish();
      (void)hasher_.finish();
      return system_failure("read", error);
    }
    const std::string_view part(buffer_.get(), static_cast<std::size_t>(got));
    if (total == 0 && std::memchr(part.data(), 0, std::min(part.size(), kBinaryLook)) != nullptr) {
      return passed_over(Passed::binary);
    }
    total += part.size();
    if (part.empty() || total > before.size) break;
    counter_->feed(part);
    hasher_.update(std::as_bytes(std::span(part)));
    if (options_.keeps_content) weight.content += part;
  }
  weight.tokens = counter_->finish();
  const hash::Digest digest = hasher_.finish();
  std::copy_n(digest.bytes.begin(), weight.digest.size(), weight.digest.begin());
  if (total != before.size) {
    return fail(Cure::retry, FailureKind::changed, "changed", "size changed while being read");
  }
  return weight;
}

}  // namespace tidemill::batch
