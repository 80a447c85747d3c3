#include "tidemill/formats/text/json.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>

#include "tidemill/base/hex.h"
#include "tidemill/formats/text/base64.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::text {
namespace {

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> digits{};  // the longest double has 24
  out.append(digits.data(),
             std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr);
}

void append_ascii(std::string& out, char c) {
  static constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
  static constexpr std::string_view kLetters = "\"\\bfnrt";
  if (const auto at = kPlain.find(c); at != std::string_view::npos) {
    out += '\\';
    out += kLetters[at];
  } else if (c < 0x20 || c == 0x7f) {
    out += "\\u00";
    append_hex(out, static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

}  // namespace

void JsonWriter::start_value() {
  if (levels_.empty()) {
    assert(!has_value_ && "a second value");
    has_value_ = true;
    return;
  }
  Level& level = levels_.back();
  if (level.is_object) {
    assert(level.has_key && "a value without a key");
    level.has_key = false;
  } else if (!level.is_empty) {
    out_ += ',';
  }
  level.is_empty = false;
}

JsonWriter& JsonWriter::begin(char bracket, Level level) {
  start_value();
  out_ += bracket;
  levels_.push_back(level);
  return *this;
}

JsonWriter& JsonWriter::end(char bracket, [[maybe_unused]] bool is_object) {
  assert(!levels_.empty() && levels_.back().is_object == is_object && "an end without a beginning");
  assert(!levels_.back().has_key && "a key without a value");
  levels_.pop_back();
  out_ += bracket;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  assert(!levels_.empty() && levels_.back().is_object && "a key outside of an object");
  assert(!levels_.back().has_key && "two keys for one value");
  if (!levels_.back().is_empty) out_ += ',';
  append_string(name);
  out_ += ':';
  levels_.back().has_key = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  start_value();
  append_string(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  assert(std::isfinite(number) && "a number that is not finite");
  if (!std::isfinite(number)) return raw("null");
  start_value();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::bytes(std::string_view name, std::string_view bytes) {
  if (is_utf8(bytes)) return key(name).value(bytes);
  return key(std::string(name) + "Base64").value(base64(bytes));
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  start_value();
  out_ += text;
  return *this;
}

JsonWriter& JsonWriter::whole(std::int64_t number) {
  start_value();
  append_number(out_, number);
  return *this;
}

JsonWriter& JsonWriter::whole(std::uint64_t number) {
  start_value();
  append_number(out_, number);
  return *this;
}

void JsonWriter::append_string(std::string_view text) {
  assert(is_utf8(text) && "text that is no UTF-8");
  out_ += '"';
  while (!text.empty()) {
    const std::size_t length = front_character(text).length;
    if (length == 0) {
      out_ += "\xEF\xBF\xBD";
    } else if (length == 1) {
      append_ascii(out_, text[0]);
    } else {
      out_ += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  out_ += '"';
}

}  // namespace tidemill::text
