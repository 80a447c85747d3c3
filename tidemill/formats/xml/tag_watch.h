// TagWatch: counts the attributes of each tag and the declarations of the document type, in the
// bytes of a document before the parser reads them.
//
// The parser compares each attribute of a tag with all others before it reports the tag, and each
// declaration takes longer the more there are: hundreds of thousands take minutes. So a document
// with too many of either must not reach the parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::xml {

// One thread.
class TagWatch {
 public:
  explicit TagWatch(std::size_t most) : most_(most) {}

  // Takes the next bytes, split anywhere, in UTF-8 or another superset of ASCII. False: a tag has
  // more than `most` attributes, or the document more than `most` declarations. Linear time.
  [[nodiscard]] bool see(std::string_view bytes);

 private:
  enum class State : std::uint8_t { text, open, tag, value, skipped };

  bool step(char byte);
  void open(char byte);
  bool attribute(char byte);
  void skip_until(std::string_view end);

  const std::size_t most_;
  State state_ = State::text;
  std::string seen_{};      // the bytes after '<', or the last bytes skipped
  std::string_view end_{};  // ends the skipped part: comment, CDATA, instruction
  char quote_ = 0;
  std::size_t count_ = 0;
  std::size_t declarations_ = 0;
};

}  // namespace tidemill::xml
