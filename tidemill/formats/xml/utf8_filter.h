// Utf8Filter: bytes as UTF-8, whatever they are. What is no character becomes U+FFFD, as it does in
// browsers and in EPUBCheck; the rest is handed on without a copy.
#pragma once

#include <string>
#include <string_view>

namespace tidemill::xml {

// One thread.
class Utf8Filter {
 public:
  // The part, with what was kept back of the part before. A character that is cut off at its end is
  // kept back. The view lives until the next call, or as long as the part.
  [[nodiscard]] std::string_view filtered(std::string_view part);
  // What is still kept back: the document ends within a character.
  [[nodiscard]] std::string_view rest();
  [[nodiscard]] bool has_stray_bytes() const { return has_stray_bytes_; }

 private:
  void put(std::string_view bytes);

  std::string kept_{};  // the beginning of a character, up to 3 bytes
  std::string text_{};  // what was handed out, where it had to be copied
  bool has_stray_bytes_ = false;
};

}  // namespace tidemill::xml
