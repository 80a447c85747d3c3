#include "tidemill/io/walk/name_list.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/walk/system_failure.h"

namespace tidemill::walk {
namespace {

constexpr std::string_view kWhat = "the list of names";

std::unexpected<Failure> stopped() {
  return fail(Cure::resume, "read", "stopped while reading the list of names");
}

}  // namespace

NameList::NameList(int source, NameEnd end, Descriptor alarm)
    : source_(source),
      end_(end),
      alarm_(std::move(alarm)),
      buffer_(std::make_unique_for_overwrite<char[]>(kBlock)) {}

Result<NameList> NameList::open(int source, NameEnd end) {
  Descriptor alarm(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!alarm.is_open()) return std::unexpected(failure_of(errno, "open", kWhat));
  return NameList(source, end, std::move(alarm));
}

Result<std::optional<std::string_view>> NameList::next(const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) return stopped();
    if (const auto name = name_in_buffer()) {
      if (name->empty() && end_ == NameEnd::newline) {
        ++blanks_;
        continue;
      }
      ++count_;
      return name;
    }
    if (is_at_end_) return std::nullopt;
    TRY(fill(stop));
  }
}

Result<std::uint64_t> NameList::skip(std::uint64_t n, const std::stop_token& stop) {
  for (std::uint64_t dropped = 0; dropped < n; ++dropped) {
    LET(const auto name, next(stop));
    if (!name) return dropped;
  }
  return n;
}

std::optional<std::string_view> NameList::name_in_buffer() {
  const char* const from = buffer_.get() + scanned_;
  const std::size_t left = filled_ - scanned_;
  if (left > 0) {
    if (const void* found = std::memchr(from, static_cast<char>(end_), left)) {
      const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.get());
      const std::string_view name(buffer_.get() + begin_, end - begin_);
      begin_ = scanned_ = end + 1;
      return name;
    }
    scanned_ = filled_;
  }
  if (!is_at_end_ || begin_ == filled_) return std::nullopt;
  const std::string_view last(buffer_.get() + begin_, filled_ - begin_);
  begin_ = scanned_ = filled_;
  return last;
}

Result<void> NameList::fill(const std::stop_token& stop) {
  make_room();
  while (true) {
    TRY(wait(stop));
    const ssize_t got = ::read(source_, buffer_.get() + filled_, room_ - filled_);
    if (got >= 0) {
      is_at_end_ = got == 0;
      filled_ += static_cast<std::size_t>(got);
      return {};
    }
    if (errno != EINTR && errno != EAGAIN) return std::unexpected(failure_of(errno, "read", kWhat));
  }
}

// Waits until there is something to read. Errors of the source are left to read(), which reports
// the errno.
Result<void> NameList::wait(const std::stop_token& stop) const {
  const int alarm = alarm_.number();
  const std::stop_callback ring(stop, [alarm] {
    const std::uint64_t one = 1;
    // Fails only when the counter is full: then it is readable already.
    [[maybe_unused]] const ssize_t put = ::write(alarm, &one, sizeof one);
  });
  std::array<pollfd, 2> sources{{{.fd = source_, .events = POLLIN, .revents = 0},
                                 {.fd = alarm, .events = POLLIN, .revents = 0}}};
  while (true) {
    if (::poll(sources.data(), sources.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return std::unexpected(failure_of(errno, "read", kWhat));
    }
    if (sources[1].revents == 0) return {};
    // Reset it, for a later call with another token; the signal may be from an earlier token.
    std::uint64_t rings = 0;
    [[maybe_unused]] const ssize_t put = ::read(alarm, &rings, sizeof rings);
    if (stop.stop_requested()) return stopped();
  }
}

// Moves the partial name to the start of the buffer. Doubles the buffer when the name fills it, and
// shrinks it to one block when the name fits into half a block.
void NameList::make_room() {
  const std::size_t kept = filled_ - begin_;
  std::size_t room = room_;
  if (kept == room_) room *= 2;
  if (room_ > kBlock && kept <= kBlock / 2) room = kBlock;
  if (room == room_) {
    if (begin_ > 0) std::memmove(buffer_.get(), buffer_.get() + begin_, kept);
  } else {
    auto other = std::make_unique_for_overwrite<char[]>(room);
    std::memcpy(other.get(), buffer_.get() + begin_, kept);
    buffer_ = std::move(other);
    room_ = room;
  }
  scanned_ -= begin_;
  begin_ = 0;
  filled_ = kept;
}

}  // namespace tidemill::walk
