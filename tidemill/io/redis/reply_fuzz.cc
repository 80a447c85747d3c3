// Any bytes as the replies of a server: the parser must terminate, stay within the input, and give
// the same replies, up to the same failure, however the bytes are split. The same bytes as an
// error: the reason of the failure must be printable.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tidemill/io/redis/client.h"
#include "tidemill/io/redis/parser.h"
#include "tidemill/io/redis/redirect.h"

namespace {

using tidemill::redis::Parser;
using tidemill::redis::Reply;

struct Parsed {
  std::vector<Reply> replies{};
  bool has_failed = false;
  bool operator==(const Parsed&) const = default;
};

Parsed parse(std::string_view bytes, std::size_t piece) {
  Parsed parsed;
  Parser parser;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    parsed.has_failed = !parser.feed(part);
    while (!parsed.has_failed) {
      const auto reply = parser.next();
      parsed.has_failed = !reply.has_value();
      if (!reply || *reply == nullptr) break;
      parsed.replies.push_back(**reply);
    }
    if (parsed.has_failed) break;
  }
  return parsed;
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Parsed whole = parse(bytes, std::max<std::size_t>(size, 1));
  for (const std::size_t piece : {1U, 2U, 7U}) {
    if (parse(bytes, piece) != whole) std::abort();
  }
  const tidemill::Failure failure = tidemill::redis::failure_of(bytes, "server");
  if (!std::ranges::all_of(failure.reason, [](char c) { return c >= ' ' && c <= '~'; })) {
    std::abort();
  }
  (void)tidemill::redis::redirect_of(bytes);
  (void)tidemill::redis::parse_address(bytes, tidemill::redis::Origin::hidden);
  return 0;
}
