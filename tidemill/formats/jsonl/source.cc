#include "tidemill/formats/jsonl/source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::jsonl {
namespace {

bool may_pass(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO || error == ESTALE ||
         error == ETIMEDOUT;
}

// "read: /data/x: Input/output error".
std::unexpected<Failure> fail_with(int error, std::string step, const std::string& path) {
  return fail(may_pass(error) ? Cure::retry : Cure::give_up, std::move(step),
              path + ": " + system_text(error));
}

// Without O_NONBLOCK, opening a FIFO without a writer would block and could not be stopped.
int open_retrying(const std::string& path) {
  int number = -1;
  do {
    number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  } while (number < 0 && errno == EINTR);
  return number;
}

}  // namespace

Result<void> Source::open() {
  is_standard_input_ = path_ == "-";
  if (is_standard_input_) {
    path_ = "standard input";
    file_ = Descriptor(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  } else {
    file_ = Descriptor(open_retrying(path_));
  }
  if (!file_.is_open()) return fail_with(errno, "open", path_);
  struct stat seen{};
  if (::fstat(file_.number(), &seen) != 0) return fail_with(errno, "open", path_);
  if (S_ISDIR(seen.st_mode)) return fail_with(EISDIR, "open", path_);
  stamp_ = stamp_of(seen);
  is_regular_ = S_ISREG(seen.st_mode);
  if (!is_regular_) TRY(watch_for_stop());
  if (is_regular_) ::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return read_front();
}

Result<void> Source::watch_for_stop() {
  bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell_.is_open()) return fail_with(errno, "open", path_);
  ringer_.emplace(stop_, [number = bell_.number()] { (void)::eventfd_write(number, 1); });
  return {};
}

// Also needed because standard input may be inherited in non-blocking mode.
Result<void> Source::wait_for_bytes() const {
  pollfd waiting[] = {{.fd = file_.number(), .events = POLLIN, .revents = 0},
                      {.fd = bell_.number(), .events = POLLIN, .revents = 0}};
  while (::poll(waiting, 2, -1) < 0 && errno == EINTR) {
  }
  if (waiting[1].revents != 0) return fail(Cure::resume, "stopped", "stopped by the user");
  return {};
}

// The first bytes of a pipe may arrive one by one.
Result<void> Source::read_front() {
  while (front_size_ < front_.size()) {
    LET(const std::size_t size, read_file(std::span(front_).subspan(front_size_)));
    if (size == 0) break;
    front_size_ += size;
  }
  return {};
}

Result<std::size_t> Source::read_file(std::span<char> into) const {
  while (true) {
    if (!is_regular_) TRY(wait_for_bytes());
    const ssize_t size = ::read(file_.number(), into.data(), into.size());
    if (size >= 0) return static_cast<std::size_t>(size);
    if (errno != EAGAIN && errno != EINTR) return fail_with(errno, "read", path_);
  }
}

Result<std::size_t> Source::read(std::span<char> into) {
  std::size_t size = std::min(front_size_ - front_given_, into.size());
  if (size > 0) {
    std::memcpy(into.data(), front_.data() + front_given_, size);
    front_given_ += size;
  } else {
    LET(size, read_file(into));
  }
  give_out(into.first(size));
  return size;
}

void Source::give_out(std::span<const char> bytes) {
  if (tap_ != nullptr) tap_(context_, bytes);
  position_.store(consumed() + bytes.size(), std::memory_order_relaxed);
}

Result<bool> Source::is_unchanged() const {
  if (!is_regular_) return true;  // bytes read from a pipe cannot change afterwards
  struct stat seen{};
  const int answer =
      is_standard_input_ ? ::fstat(file_.number(), &seen) : ::stat(path_.c_str(), &seen);
  if (answer != 0 && (errno == ENOENT || errno == ENOTDIR)) return false;
  if (answer != 0) return fail_with(errno, "read", path_);
  return stamp_of(seen) == stamp_;
}

}  // namespace tidemill::jsonl
