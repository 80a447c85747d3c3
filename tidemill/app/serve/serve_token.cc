#include "tidemill/app/serve/serve_token.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/hex.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/files/users.h"
#include "tidemill/io/files/write_all.h"

namespace tidemill::app {
namespace {

std::unexpected<Failure> refuse_token(std::string reason) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = "token",
                                 .reason = std::move(reason),
                                 .hint = "remove the file; a new token is made at the next start"});
}

Result<std::string> new_digits() {
  std::array<unsigned char, kTokenDigits / 2> secret{};
  // Up to 256 bytes arrive at once, and no signal interrupts them.
  if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size())) {
    return fail(Cure::give_up, "token", "no random bytes: " + system_text(errno));
  }
  return hex_of(secret);
}

// Nothing: there is a file now.
Result<std::optional<std::string>> create_token(const std::string& path) {
  LET(std::string digits, new_digits());
  // Under another name first: nobody sees half a token, and of two processes one wins.
  const std::string part = path + "." + std::to_string(::getpid());
  const Descriptor file(
      ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) return files::system_failure(errno, "token", part);
  auto written = files::write_all(file.number(), digits + "\n", part);
  const int error = written && ::link(part.c_str(), path.c_str()) != 0 ? errno : 0;
  ::unlink(part.c_str());
  TRY(written);
  if (error == EEXIST) return std::nullopt;
  if (error != 0) return files::system_failure(error, "token", path);
  return digits;
}

Result<std::string> read_token(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) return files::system_failure(errno, "token", path);
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return files::system_failure(errno, "token", path);
  if (!S_ISREG(status.st_mode)) return refuse_token(path + ": not a regular file");
  if (!files::is_user_or_root(status.st_uid)) {
    return refuse_token(path + ": belongs to another user");
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return refuse_token(path + ": other users can access it");
  }
  std::array<char, kTokenDigits + 2> block{};
  const ssize_t size = ::read(file.number(), block.data(), block.size());
  std::string_view text(block.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  if (text.ends_with('\n')) text.remove_suffix(1);
  const bool is_whole = text.size() == kTokenDigits &&
                        std::ranges::all_of(text, [](char c) { return hex_value(c).has_value(); });
  if (!is_whole) return refuse_token(path + ": not a token");
  return std::string(text);
}

}  // namespace

Result<std::string> serve_token_at(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    LET(auto made, create_token(path));
    if (made) return *std::move(made);
  }
  return read_token(path);
}

bool is_same_token(std::string_view given, std::string_view token) {
  unsigned difference = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = token.empty() ? '\0' : token[i % token.size()];
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(other);
  }
  // Volatile: a compiler may not leave the loop early.
  const volatile unsigned seen = difference;
  return seen == 0 && !token.empty();
}

}  // namespace tidemill::app
