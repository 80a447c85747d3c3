#include "tidemill/formats/zip/window.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::zip {

Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<char> buffer) {
  constexpr auto kFarthest = static_cast<std::uint64_t>(std::numeric_limits<off_t>::max());
  std::size_t done = 0;
  while (done < buffer.size() && offset + done <= kFarthest) {
    const ssize_t got =
        ::pread(fd, buffer.data() + done, buffer.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fail(Cure::give_up, FailureKind::unreadable, "read", system_text(errno));
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<std::string_view> Window::view(std::uint64_t offset, std::size_t length) {
  const bool is_inside = offset >= start_ && offset - start_ <= buffer_.size() &&
                         length <= buffer_.size() - (offset - start_);
  if (!is_inside) {
    start_ = offset;
    const std::uint64_t left = offset < file_size_ ? file_size_ - offset : 0;
    buffer_.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(left, std::max(chunk_, length))));
    const auto got = read_at(fd_, offset, buffer_);
    buffer_.resize(got ? *got : 0);
    if (!got) return std::unexpected(got.error());
  }
  return std::string_view(buffer_).substr(offset - start_, length);
}

Result<std::string_view> Window::ahead(std::uint64_t offset, std::size_t least) {
  TRY(view(offset, least));
  return std::string_view(buffer_).substr(offset - start_);
}

}  // namespace tidemill::zip
