// JsonWriter: appends JSON to a string, one value after the other.
//
//   std::string line;
//   JsonWriter json(line);
//   json.begin_object().key("v").value(1).bytes("path", name).end_object();
//
// The output is valid UTF-8 on one line. Numbers are written in the shortest form that reads back
// as the same value, independent of the locale. Bytes from outside go through bytes(): a name that
// is not UTF-8 is written as base64 under another key, so it is lossless and unambiguous.
//
// Misuse is a bug and asserts: a value without a key in an object, a key in an array, an end
// without a beginning, a number that is not finite, text that is not UTF-8. Without asserts the
// last two are written as null and U+FFFD, so that the line is still valid JSON.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::text {

// One thread.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}  // must outlive the writer

  JsonWriter& begin_object() { return begin('{', Level{.is_object = true}); }
  JsonWriter& end_object() { return end('}', true); }
  JsonWriter& begin_array() { return begin('[', Level{.is_object = false}); }
  JsonWriter& end_array() { return end(']', false); }

  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::nullptr_t) { return raw("null"); }
  template <std::same_as<bool> Bool>
  JsonWriter& value(Bool truth) {
    return raw(truth ? "true" : "false");
  }
  template <std::integral Number>
    requires(!std::same_as<Number, bool> && !std::same_as<Number, char>)
  JsonWriter& value(Number number) {
    if constexpr (std::signed_integral<Number>) {
      return whole(static_cast<std::int64_t>(number));
    } else {
      return whole(static_cast<std::uint64_t>(number));
    }
  }

  // In an object: writes "path": "…", or "pathBase64": "…" if the bytes are not UTF-8.
  JsonWriter& bytes(std::string_view name, std::string_view bytes);

  // True after one value, with every object and array closed.
  [[nodiscard]] bool is_complete() const { return has_value_ && levels_.empty(); }

 private:
  struct Level {
    bool is_object = false;
    bool is_empty = true;
    bool has_key = false;  // a value must follow
  };

  JsonWriter& begin(char bracket, Level level);
  JsonWriter& end(char bracket, bool is_object);
  JsonWriter& raw(std::string_view text);
  JsonWriter& whole(std::int64_t number);
  JsonWriter& whole(std::uint64_t number);
  void start_value();
  void append_string(std::string_view text);

  std::string& out_;
  std::vector<Level> levels_;
  bool has_value_ = false;
};

}  // namespace tidemill::text
