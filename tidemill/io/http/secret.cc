#include "tidemill/io/http/secret.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/http/field.h"

namespace tidemill::http {
namespace {

constexpr std::size_t kLargest = std::size_t{64} << 10U;
constexpr std::size_t kShortest = 4;  // shorter ones occur in ordinary words
constexpr std::string_view kMask = "[secret]";

std::unexpected<Failure> refuse(const std::string& place, std::string_view reason,
                                std::string hint = {}) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = "secret",
                                 .reason = place + ": " + std::string(reason),
                                 .hint = std::move(hint)});
}

std::unexpected<Failure> refuse(const std::string& place, int error) {
  return refuse(place, system_text(error));
}

Result<void> check_file(const std::string& path, const Descriptor& file) {
  struct stat seen{};
  if (::fstat(file.number(), &seen) != 0) return refuse(path, errno);
  if (!S_ISREG(seen.st_mode)) return refuse(path, "not a regular file");
  if ((seen.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return refuse(path, "other users can read it", "run chmod 600 " + path);
  }
  return {};
}

Result<std::string> contents_of(const std::string& path) {
  // Without O_NONBLOCK, a FIFO would block here.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.is_open()) return refuse(path, errno);
  TRY(check_file(path, file));
  std::string text(kLargest + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const auto count = ::read(file.number(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse(path, errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  if (size > kLargest) return refuse(path, "larger than 64 KiB");
  text.resize(size);
  return text;
}

// The secret is sent in a header.
Result<Secret> secret_of(std::string_view value, const std::string& place) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::ranges::any_of(value, is_control))
    return refuse(place, "it contains a control character");
  return Secret(std::string(value));
}

// For each prefix of the text, the length of its longest border (Knuth, Morris and Pratt): with
// this table a search never backtracks.
std::vector<std::size_t> borders_of(std::string_view text) {
  std::vector<std::size_t> borders(text.size());
  for (std::size_t i = 1, length = 0; i < text.size(); ++i) {
    while (length > 0 && text[i] != text[length]) length = borders[length - 1];
    if (text[i] == text[length]) ++length;
    borders[i] = length;
  }
  return borders;
}

}  // namespace

// One mask covers overlapping occurrences, so that no part of the second remains.
std::string Secret::hide(std::string text) const {
  const std::size_t size = value_.size();
  if (size < kShortest || text.size() < size) return text;
  const auto borders = borders_of(value_);
  std::string hidden;
  std::size_t done = 0;  // this much of the text is in `hidden`, or masked
  for (std::size_t i = 0, length = 0; i < text.size(); ++i) {
    while (length > 0 && text[i] != value_[length]) length = borders[length - 1];
    if (text[i] == value_[length]) ++length;
    if (length < size) continue;
    const std::size_t start = i + 1 - size;
    if (start >= done) hidden.append(text, done, start - done).append(kMask);
    done = i + 1;
    length = borders[length - 1];
  }
  if (done == 0) return text;
  return hidden.append(text, done);
}

Result<Secret> read_secret(const std::string& file, const char* variable) {
  if (!file.empty()) {
    LET(const std::string text, contents_of(file));
    const auto line = trimmed(std::string_view(text).substr(0, text.find('\n')));
    if (line.empty()) return refuse(file, "its first line is empty");
    return secret_of(line, file);
  }
  const char* const value =
      variable == nullptr ? nullptr : std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr) return Secret();
  return secret_of(trimmed(value), variable);
}

}  // namespace tidemill::http
