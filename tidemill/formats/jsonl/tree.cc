#include "tidemill/formats/jsonl/tree.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "tidemill/base/try.h"

namespace tidemill::jsonl {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t kDeepest = 512;  // each nested list of a document takes four levels
// A value takes about 70 bytes here but may take only two in the text ("1,"): without a limit a
// response of 16 MiB would become half a gigabyte.
constexpr std::size_t kMostValues = 500'000;
constexpr std::size_t kSafeDigits = 18;  // this many digits always fit an int64

std::unexpected<Failure> no_json(std::string_view why) {
  return fail(Cure::give_up, "json", std::string(why));
}

bool is_of_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

std::size_t end_of_string(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// simdjson rejects integers beyond 64 bits, which JSON allows: they are rewritten as doubles,
// "…e0".
std::string with_doubles(std::string_view text) {
  std::string changed;
  changed.reserve(text.size() + text.size() / 8);
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    bool is_large = false;
    if (text[i] == '"') {
      end = end_of_string(text, i);
    } else if (is_of_number(text[i])) {
      while (end < text.size() && is_of_number(text[end])) ++end;
      const std::string_view number = text.substr(i, end - i);
      is_large =
          number.size() > kSafeDigits && number.find_first_of(".eE") == std::string_view::npos;
    }
    changed += text.substr(i, end - i);
    if (is_large) changed += "e0";
    i = end;
  }
  return changed;
}

simdjson::simdjson_result<dom::element> parse_text(dom::parser& parser, std::string_view text) {
  if (const auto error = parser.allocate(text.size(), kDeepest); error != simdjson::SUCCESS) {
    return error;
  }
  return parser.parse(text.data(), text.size());
}

}  // namespace

// The recursion is at most kDeepest levels deep: the parser rejects deeper documents.
struct Json::Maker {
  std::size_t left = kMostValues;

  Result<Json> make(dom::element from) {
    if (left == 0) return no_json("more than 500,000 values");
    --left;
    Json json;
    switch (from.type()) {
      case dom::element_type::ARRAY:
        return make_array(dom::array(from));
      case dom::element_type::OBJECT:
        return make_object(dom::object(from));
      case dom::element_type::STRING:
        json.value_.emplace<std::string>(std::string_view(from));
        break;
      case dom::element_type::INT64:
        json.value_ = std::int64_t(from);
        break;
      case dom::element_type::UINT64:  // only values that do not fit an int64
        json.value_ = static_cast<double>(std::uint64_t(from));
        break;
      case dom::element_type::DOUBLE:
        json.value_ = double(from);
        break;
      case dom::element_type::BOOL:
        json.value_ = bool(from);
        break;
      case dom::element_type::NULL_VALUE:
        break;
    }
    return json;
  }

  Result<Json> make_array(dom::array from) {
    std::vector<Json> items;
    items.reserve(std::min(from.size(), left));
    for (const dom::element item : from) {
      LET(auto made, make(item));
      items.push_back(std::move(made));
    }
    Json json;
    json.value_ = std::move(items);
    return json;
  }

  Result<Json> make_object(dom::object from) {
    std::vector<Member> members;
    members.reserve(std::min(from.size(), left));
    for (const auto& [key, value] : from) {
      LET(auto made, make(value));
      members.emplace_back(std::string(key), std::move(made));
    }
    Json json;
    json.value_ = std::move(members);
    return json;
  }
};

Result<Json> Json::parse(std::string_view text) {
  dom::parser parser;
  auto parsed = parse_text(parser, text);
  if (parsed.error() == simdjson::NUMBER_ERROR) {
    parsed = parse_text(parser, with_doubles(text));
  }
  if (parsed.error() == simdjson::DEPTH_ERROR) return no_json("nested more than 512 levels deep");
  if (parsed.error() != simdjson::SUCCESS) return no_json(error_message(parsed.error()));
  return Maker().make(parsed.value_unsafe());
}

bool Json::is_null() const { return std::holds_alternative<std::monostate>(value_); }
bool Json::is_object() const { return std::holds_alternative<std::vector<Member>>(value_); }
bool Json::is_array() const { return std::holds_alternative<std::vector<Json>>(value_); }
bool Json::is_text() const { return std::holds_alternative<std::string>(value_); }

const Json& Json::operator[](std::string_view key) const {
  static const Json kNull;
  const auto* members = std::get_if<std::vector<Member>>(&value_);
  if (members == nullptr) return kNull;
  const auto found = std::ranges::find(*members, key, &Member::first);
  return found == members->end() ? kNull : found->second;
}

std::span<const Json> Json::items() const {
  const auto* items = std::get_if<std::vector<Json>>(&value_);
  return items == nullptr ? std::span<const Json>() : std::span<const Json>(*items);
}

const std::string& Json::text() const {
  static const std::string kEmpty;
  const auto* text = std::get_if<std::string>(&value_);
  return text == nullptr ? kEmpty : *text;
}

std::optional<double> Json::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  return std::nullopt;
}

std::optional<std::int64_t> Json::whole() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return *whole;
  const auto* number = std::get_if<double>(&value_);
  const bool fits = number != nullptr && *number >= -0x1p63 && *number < 0x1p63;
  if (!fits || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<bool> Json::truth() const {
  const auto* truth = std::get_if<bool>(&value_);
  return truth == nullptr ? std::nullopt : std::optional(*truth);
}

}  // namespace tidemill::jsonl
