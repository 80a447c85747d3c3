#include "tidemill/formats/pdf/fd_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "tidemill/formats/pdf/qpdf.h"

namespace tidemill::pdf {
namespace {

constexpr std::size_t kWindow = 64U << 10U;

// The function names come from the base class. libqpdf seeks back and forth in small steps and
// reads a few bytes at a time, so a window of the file is buffered.
// NOLINTBEGIN(readability-identifier-naming)
class FdSource final : public InputSource {
 public:
  explicit FdSource(int fd) : fd_(fd), size_(static_cast<qpdf_offset_t>(size_of(fd))) {}

  qpdf_offset_t findAndSkipNextEOL() override {
    bool has_seen = false;
    for (;; ++at_) {
      const int next = peek();
      if (next < 0) break;
      const bool is_end = next == '\r' || next == '\n';
      if (has_seen && !is_end) break;
      if (is_end && !has_seen) {
        has_seen = true;
        end_of_line_ = at_;
      }
    }
    return has_seen ? end_of_line_ : size_;
  }
  const std::string& getName() const override { return name_; }
  qpdf_offset_t tell() override { return at_; }
  void rewind() override { at_ = 0; }
  void unreadCh(char /*ch*/) override { at_ = std::max<qpdf_offset_t>(at_ - 1, 0); }

  void seek(qpdf_offset_t offset, int whence) override {
    const qpdf_offset_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? at_ : size_;
    qpdf_offset_t to = 0;
    if (__builtin_add_overflow(base, offset, &to) || to < 0) {
      throw std::runtime_error("seek before the beginning of the file");
    }
    at_ = to;
  }

  std::size_t read(char* into, std::size_t length) override {
    setLastOffset(at_);
    std::size_t done = 0;
    while (done < length && fill()) {
      const auto from = static_cast<std::size_t>(at_ - window_at_);
      const std::size_t take = std::min(length - done, window_.size() - from);
      std::memcpy(into + done, window_.data() + from, take);
      done += take;
      at_ += static_cast<qpdf_offset_t>(take);
    }
    return done;
  }

 private:
  int peek() {
    if (!fill()) return -1;
    return static_cast<unsigned char>(window_[static_cast<std::size_t>(at_ - window_at_)]);
  }

  // Moves the window so that it contains the byte at at_. Backward seeks are as common as forward
  // ones, so the window begins a little before it.
  bool fill() {
    if (at_ >= size_) return false;
    if (at_ >= window_at_ && at_ < window_at_ + static_cast<qpdf_offset_t>(window_.size())) {
      return true;
    }
    window_at_ = std::max<qpdf_offset_t>(at_ - qpdf_offset_t{kWindow / 8}, 0);
    window_.resize(kWindow);
    ssize_t got = -1;
    do {
      got = ::pread(fd_, window_.data(), window_.size(), window_at_);
    } while (got < 0 && errno == EINTR);
    window_.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return at_ < window_at_ + static_cast<qpdf_offset_t>(window_.size());
  }

  int fd_;
  qpdf_offset_t size_;
  qpdf_offset_t at_ = 0;
  qpdf_offset_t end_of_line_ = 0;
  std::string name_ = "file";
  std::vector<char> window_;
  qpdf_offset_t window_at_ = 0;
};
// NOLINTEND(readability-identifier-naming)

}  // namespace

std::shared_ptr<InputSource> source_of(int fd) { return std::make_shared<FdSource>(fd); }

std::uint64_t size_of(int fd) {
  struct stat facts{};
  if (::fstat(fd, &facts) != 0 || facts.st_size < 0) return 0;
  return static_cast<std::uint64_t>(facts.st_size);
}

}  // namespace tidemill::pdf
