// Any bytes as the replies of a server: the parser must end, read nothing outside them, and give
// the same replies, up to the same failure, however the bytes are cut. The same bytes as an error:
// what is told of it can be printed.
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

struct Heard {
  std::vector<Reply> replies{};
  bool has_failed = false;
  bool operator==(const Heard&) const = default;
};

Heard hear(std::string_view bytes, std::size_t piece) {
  Heard heard;
  Parser parser;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    heard.has_failed = !parser.feed(part);
    while (!heard.has_failed) {
      const auto reply = parser.next();
      heard.has_failed = !reply.has_value();
      if (!reply || *reply == nullptr) break;
      heard.replies.push_back(**reply);
    }
    if (heard.has_failed) break;
  }
  return heard;
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Heard whole = hear(bytes, std::max<std::size_t>(size, 1));
  for (const std::size_t piece : {1U, 2U, 7U}) {
    if (hear(bytes, piece) != whole) std::abort();
  }
  const tidemill::Failure failure = tidemill::redis::failure_of(bytes, "server");
  if (!std::ranges::all_of(failure.reason, [](char c) { return c >= ' ' && c <= '~'; })) {
    std::abort();
  }
  (void)tidemill::redis::redirect_of(bytes);
  (void)tidemill::redis::parse_address(bytes, tidemill::redis::Origin::hidden);
  return 0;
}
