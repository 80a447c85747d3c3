#include "tidemill/state/fleet/fleet_key.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

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

namespace tidemill::fleet {
namespace {

constexpr std::string_view kStep = "fleet key";
constexpr std::size_t kSecretSize = 32;
constexpr std::size_t kDigits = 2 * kSecretSize;

std::unexpected<Failure> refuse(FailureKind kind, std::string reason, std::string hint) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .kind = kind,
                                 .step = std::string(kStep),
                                 .reason = std::move(reason),
                                 .hint = std::move(hint)});
}

std::unexpected<Failure> fail_open(const std::string& path, int error) {
  if (error == ENOENT) {
    return refuse(FailureKind::not_found, path + ": no such file",
                  "create a key with `tidemill fleet key`, or copy the one of the other hosts");
  }
  return refuse(FailureKind::unreadable, path + ": " + system_text(error),
                "give this user read access to the key");
}

// A key that others may have read or replaced is not a secret.
Result<void> check_access(const std::string& path, const struct stat& file) {
  if (!S_ISREG(file.st_mode)) {
    return refuse(FailureKind::usage, path + ": not a regular file", "give the path of a key file");
  }
  if (!files::is_user_or_root(file.st_uid)) {
    return refuse(FailureKind::usage, path + ": belongs to another user",
                  "make this user or root the owner of the key");
  }
  if ((file.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return refuse(FailureKind::usage, path + ": other users can access it",
                  "run chmod 600, and create a new key if others may have read it");
  }
  return {};
}

std::optional<std::string> secret_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.size() != kDigits) return std::nullopt;
  std::string secret;
  for (std::size_t i = 0; i < kDigits; i += 2) {
    const auto high = hex_value(text[i]);
    const auto low = hex_value(text[i + 1]);
    if (!high || !low) return std::nullopt;
    secret += static_cast<char>(*high * 16 + *low);
  }
  return secret;
}

// One byte more than a key with its newline has: more would not be a key.
Result<std::string> contents_of(const std::string& path, int descriptor) {
  std::array<char, kDigits + 2> block{};
  std::size_t size = 0;
  while (size < block.size()) {
    const ssize_t got = ::read(descriptor, block.data() + size, block.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_open(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  return std::string(block.data(), size);
}

Result<std::string> random_digits() {
  std::array<unsigned char, kSecretSize> secret{};
  std::size_t size = 0;
  while (size < secret.size()) {
    const ssize_t got = ::getrandom(secret.data() + size, secret.size() - size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fail(Cure::give_up, std::string(kStep), "no random bytes: " + system_text(errno));
    }
    size += static_cast<std::size_t>(got);
  }
  return hex_of(secret);
}

}  // namespace

Result<FleetKey> FleetKey::read(const std::string& path) {
  // Without O_NONBLOCK a FIFO in this place would block.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return fail_open(path, errno);
  struct stat status{};
  if (::fstat(file.number(), &status) != 0) return fail_open(path, errno);
  TRY(check_access(path, status));
  LET(const std::string text, contents_of(path, file.number()));
  auto secret = secret_of(text);
  if (!secret) {
    return refuse(FailureKind::usage, path + ": not a fleet key",
                  "a key has 64 hexadecimal digits; create one with `tidemill fleet key`");
  }
  return FleetKey(*std::move(secret));
}

Result<void> FleetKey::create(const std::string& path) {
  LET(const std::string digits, random_digits());
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.is_open()) {
    if (errno == EEXIST) {
      return refuse(FailureKind::usage, path + ": already exists",
                    "use this key, or give another path");
    }
    return refuse(FailureKind::unwritable, path + ": " + system_text(errno),
                  "give the path of a new file in a folder that you can write to");
  }
  auto written = files::write_all(file.number(), digits + "\n", path);
  if (written && ::fsync(file.number()) != 0) {
    written = files::system_failure(errno, "write", path);
  }
  if (!written) {
    ::unlink(path.c_str());
    return std::unexpected(within(kStep, std::move(written).error()));
  }
  return {};
}

// A purpose has no zero byte, so its end is clear.
std::string FleetKey::sign(std::string_view purpose, std::string_view bytes) const {
  if (!is_given()) return {};
  std::string message;
  message.reserve(purpose.size() + 1 + bytes.size());
  message += purpose;
  message += '\0';
  message += bytes;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): OpenSSL's bytes are unsigned
  if (::HMAC(::EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
             reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest.data(),
             &size) == nullptr) {
    return {};  // accepted by no one
  }
  return {reinterpret_cast<const char*>(digest.data()), size};
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
}

bool FleetKey::is_signed(std::string_view purpose, std::string_view bytes,
                         std::string_view signature) const {
  if (!is_given()) return true;
  const std::string own = sign(purpose, bytes);
  // In constant time: how long it takes must not tell how much of a guess was right.
  return !own.empty() && own.size() == signature.size() &&
         ::CRYPTO_memcmp(own.data(), signature.data(), own.size()) == 0;
}

}  // namespace tidemill::fleet
