// Counts any bytes as a text: the count must equal the reference count (plain_count.h), and must
// not depend on how the text is split into parts. The first byte selects the encoding and the
// split.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/formats/tokens/plain_count.h"
#include "tidemill/formats/tokens/test_folders.h"
#include "tidemill/formats/tokens/tokenizer.h"

namespace {

using tidemill::tokens::PlainCount;
using tidemill::tokens::SplitRules;
using tidemill::tokens::TokenCounter;

struct Encoding {
  explicit Encoding(const std::string& name, SplitRules its_rules)
      : rules(its_rules),
        plain(std::string(tidemill::tokens::kRanksFolder) + "/" + name + ".tiktoken") {
    auto opened = tidemill::tokens::open_tokenizer(name, tidemill::tokens::kTablesFolder);
    if (!opened || plain.is_empty()) {
      std::fputs("tokens_fuzz: no tables of tokens were built, nothing to try\n", stderr);
      std::exit(0);  // NOLINT(concurrency-mt-unsafe): there is one thread
    }
    tokenizer = *std::move(opened);
    counter = tokenizer->counter();
  }
  SplitRules rules;
  PlainCount plain;
  std::unique_ptr<tidemill::tokens::Tokenizer> tokenizer{};
  std::unique_ptr<TokenCounter> counter{};
};

std::uint64_t count_in_parts(TokenCounter& counter, std::string_view text, std::size_t part) {
  for (std::size_t at = 0; at < text.size(); at += part) counter.feed(text.substr(at, part));
  return counter.finish();
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static Encoding cl100k("cl100k_base", SplitRules::cl100k);
  static Encoding o200k("o200k_base", SplitRules::o200k);
  if (size == 0) return 0;
  Encoding& encoding = bytes[0] % 2 == 0 ? cl100k : o200k;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::size_t part = std::max<std::size_t>(1, bytes[0] / 2U);
  const std::uint64_t wanted = encoding.plain.of_text(text, encoding.rules);
  const std::uint64_t whole = encoding.counter->count(text);
  const std::uint64_t in_parts = count_in_parts(*encoding.counter, text, part);
  if (whole != wanted || in_parts != wanted) std::abort();
  return 0;
}
