// Utf8Filter: turns any bytes into valid UTF-8. Invalid bytes become U+FFFD, as in browsers and in
// EPUBCheck; valid parts are passed through without a copy.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::xml {

// One thread.
class Utf8Filter {
 public:
  // Returns the bytes kept back from the previous part, then this part. A character that is cut off
  // at the end of the part is kept back. The view is valid until the next call, and no longer than
  // the part.
  [[nodiscard]] std::string_view filtered(std::string_view part);
  // Call at the end of the document: returns the bytes kept back from a cut-off character.
  [[nodiscard]] std::string_view rest();
  [[nodiscard]] bool has_stray_bytes() const { return has_stray_bytes_; }

 private:
  void put(std::string_view bytes);

  std::string kept_{};  // the beginning of a character, up to 3 bytes
  std::string text_{};  // the returned bytes, when a copy was needed
  bool has_stray_bytes_ = false;
};

}  // namespace tidemill::xml
