#include "tidemill/ui/redis_flags/place.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/io/http/secret.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::redis_flags {
namespace {

constexpr const char* kDefault = "redis://127.0.0.1:6379";

// The same rules as for every other secret file.
Result<std::optional<redis::HiddenText>> password(const std::string& file) {
  auto secret = http::read_secret(file, "TIDEMILL_REDIS_PASSWORD");
  if (!secret) {
    Failure failure = std::move(secret).error();
    failure.reason = text::printable(failure.reason);
    failure.hint = text::printable(failure.hint);
    return std::unexpected(std::move(failure));
  }
  if (secret->is_empty()) return std::nullopt;
  return redis::HiddenText(secret->reveal());
}

Result<redis::RedisAddress> address_of(const std::string& url) {
  if (!url.empty()) {
    LET(auto address, redis::parse_address(url, redis::Origin::hidden));
    if (address.password.is_empty()) return address;
    return command::misuse("a password on the command line is visible to all users of this machine",
                           "use --password-file FILE, TIDEMILL_REDIS_PASSWORD or REDIS_URL");
  }
  if (const auto hidden = cli::variable("REDIS_URL"); hidden && !hidden->empty()) {
    return redis::parse_address(*hidden, redis::Origin::hidden);
  }
  return redis::parse_address(kDefault, redis::Origin::command_line);
}

}  // namespace

Result<redis::RedisAddress> redis_address(const std::string& url,
                                          const std::string& password_file) {
  LET(auto address, address_of(url));
  LET(auto secret, password(password_file));
  if (secret) address.password = *std::move(secret);
  return address;
}

std::string owner_name() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  const bool has_name = ::gethostname(host.data(), host.size() - 1) == 0;
  return (has_name ? std::string(host.data()) : "unknown") + ":" + std::to_string(::getpid());
}

}  // namespace tidemill::redis_flags
