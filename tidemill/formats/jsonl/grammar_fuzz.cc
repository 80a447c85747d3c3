// Checks any bytes as JSON: the checker must terminate, read nothing out of bounds, and accept
// exactly what simdjson's DOM parser accepts. Intended differences: invalid UTF-8 (not checked
// here), numbers that fit no type of simdjson, and depth. The same bytes as a number: its text must
// read back as the same number.
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/formats/jsonl/grammar.h"
#include "tidemill/formats/jsonl/number.h"

namespace {

using tidemill::jsonl::Flaw;
using tidemill::jsonl::NumberKind;

bool has_big_number(std::string_view json) {
  std::size_t digits = 0;
  for (const char c : json) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 18 || c == 'e' || c == 'E') return true;
  }
  return false;
}

void compare(std::string_view json, Flaw flaw) {
  static simdjson::dom::parser parser;  // NOLINT: kept for its memory
  simdjson::dom::element root;
  const simdjson::error_code error = parser.parse(json.data(), json.size()).get(root);
  if (error == simdjson::UTF8_ERROR || flaw == Flaw::too_deep) return;
  if (error == simdjson::NUMBER_ERROR && has_big_number(json)) return;
  if ((flaw == Flaw::none) != (error == simdjson::SUCCESS)) std::abort();
}

// Every number is valid JSON, and the text of an integer or real reads back as the same number.
void check_number(std::string_view text, Flaw flaw) {
  const auto number = tidemill::jsonl::number_of(text);
  if (number.kind == NumberKind::none) return;
  if (flaw != Flaw::none) std::abort();
  std::string again;
  if (number.kind == NumberKind::integer) tidemill::jsonl::append_text(number.integer, again);
  if (number.kind == NumberKind::real) tidemill::jsonl::append_text(number.real, again);
  if (again.empty()) return;
  const auto second = tidemill::jsonl::number_of(again);
  if (second.kind != number.kind || second.integer != number.integer ||
      second.real != number.real) {
    std::abort();
  }
}

}  // namespace

// libFuzzer gives the name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  // A copy of exactly this size, so that a read out of bounds is detected.
  const auto copy = std::make_unique<char[]>(size);
  std::copy_n(bytes, size, copy.get());
  const std::string_view json(copy.get(), size);
  const Flaw flaw = tidemill::jsonl::check(json);
  compare(json, flaw);
  check_number(json, flaw);
  // Text that is valid inside a string is also valid with quotes around it.
  const Flaw inside = tidemill::jsonl::check_string(json);
  const Flaw quoted = tidemill::jsonl::check("\"" + std::string(json) + "\"");
  if (inside == Flaw::none && quoted != Flaw::none) std::abort();
  return 0;
}
