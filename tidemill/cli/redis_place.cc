#include "tidemill/cli/redis_place.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <fstream>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/cli/desk.h"
#include "tidemill/command/usage.h"
#include "tidemill/text/printable.h"

namespace tidemill::cli {
namespace {

constexpr const char* kDefault = "redis://127.0.0.1:6379";

// The first line: an editor puts a line end behind it.
Result<std::optional<redis::Secret>> password(const std::string& file) {
  if (file.empty()) {
    auto text = variable("TIDEMILL_REDIS_PASSWORD");
    if (!text || text->empty()) return std::nullopt;
    return redis::Secret(*std::move(text));
  }
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  if (!stream || !std::getline(stream, line)) {
    return fail(Cure::give_up, "usage",
                "--password-file " + text::printable(file) + " cannot be read, or is empty");
  }
  if (line.ends_with('\r')) line.pop_back();
  return redis::Secret(std::move(line));
}

Result<redis::Address> address_of(const std::string& url) {
  if (!url.empty()) {
    LET(auto address, redis::parse_address(url, redis::Origin::hidden));
    if (address.password.is_empty()) return address;
    return command::misuse("a password on a command line can be read by everybody on this machine",
                           "--password-file FILE, TIDEMILL_REDIS_PASSWORD or REDIS_URL");
  }
  if (const auto hidden = variable("REDIS_URL"); hidden && !hidden->empty()) {
    return redis::parse_address(*hidden, redis::Origin::hidden);
  }
  return redis::parse_address(kDefault, redis::Origin::command_line);
}

}  // namespace

Result<redis::Address> redis_address(const std::string& url, const std::string& password_file) {
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

}  // namespace tidemill::cli
