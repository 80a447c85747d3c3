#include "tidemill/io/proc/stream.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/proc/system_failure.h"

namespace tidemill::proc {

Result<void> Stream::open(std::size_t cap, std::string spill) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail_to_start(errno, "pipe");
  read_end_ = Descriptor(ends[0]);
  write_end_ = Descriptor(ends[1]);
  cap_ = cap;
  spill_path_ = std::move(spill);
  is_nonblocking_ = false;
  captured_ = {};
  return {};
}

Result<std::size_t> Stream::take(std::span<char> buffer) {
  // Non-blocking, because the child can open its end of the pipe for reading and take the data
  // first. Set here and not for every pipe: most children write nothing.
  if (!is_nonblocking_) ::fcntl(read_end_.number(), F_SETFL, O_NONBLOCK);
  is_nonblocking_ = true;
  const ssize_t count = ::read(read_end_.number(), buffer.data(), buffer.size());
  if (count < 0 && errno != EAGAIN && errno != EINTR) return fail_with(errno, "output", "pipe");
  if (count <= 0) return 0U;
  const auto size = static_cast<std::size_t>(count);
  TRY(keep(buffer.first(size)));
  return size;
}

Result<void> Stream::take_rest(std::span<char> buffer) {
  LET(const std::size_t first, take(buffer));
  if (first < buffer.size()) return {};  // a short read has emptied the pipe
  int left = 0;
  if (::ioctl(read_end_.number(), FIONREAD, &left) != 0) return fail_with(errno, "output", "pipe");
  for (auto more = static_cast<std::size_t>(std::max(left, 0)); more > 0;) {
    LET(const std::size_t size, take(buffer.first(std::min(buffer.size(), more))));
    if (size == 0) return {};
    more -= size;
  }
  return {};
}

Captured Stream::finish() {
  close();
  return std::exchange(captured_, {});
}

void Stream::discard() {
  if (!captured_.spill.empty()) ::unlink(captured_.spill.c_str());
  close();
  captured_ = {};
}

Result<void> Stream::keep(std::span<const char> bytes) {
  const std::size_t room = cap_ - captured_.head.size();
  const bool fits = bytes.size() <= room && !spill_.is_open();
  if (!fits && !spill_path_.empty()) {
    if (!spill_.is_open()) TRY(start_spill());
    TRY(write_spill(bytes));
  }
  const auto head = bytes.first(std::min(room, bytes.size()));
  captured_.head.append(head.data(), head.size());
  captured_.total += bytes.size();
  return {};
}

Result<void> Stream::start_spill() {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;  // replaces one of a killed run
  constexpr mode_t kForTheOwner = 0600;
  spill_ = Descriptor(::open(spill_path_.c_str(), kFlags, kForTheOwner));
  if (!spill_.is_open() && errno == ENOENT) {
    ::mkdir(spill_path_.substr(0, spill_path_.rfind('/')).c_str(), 0700);
    spill_ = Descriptor(::open(spill_path_.c_str(), kFlags, kForTheOwner));
  }
  if (!spill_.is_open()) {
    const int error = errno;
    auto failure = fail_with(error, "output", spill_path_).error();
    failure.cure = Cure::retry;
    return std::unexpected(std::move(failure));
  }
  captured_.spill = spill_path_;
  return write_spill(captured_.head);
}

Result<void> Stream::write_spill(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(spill_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      auto failure = fail_with(errno, "output", spill_path_).error();
      failure.cure = Cure::retry;  // the disk may have space, or be mounted, at the next attempt
      return std::unexpected(std::move(failure));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

void Stream::close() {
  read_end_.close();
  write_end_.close();
  spill_.close();
}

}  // namespace tidemill::proc
