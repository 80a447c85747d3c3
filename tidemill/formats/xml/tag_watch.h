// TagWatch: counts the attributes of each tag, and the declarations of the document type, in the
// bytes of a document before a parser sees them.
//
// The parser compares each attribute of a tag with all others before it tells of the tag, and takes
// longer for each declaration the more there are: hundreds of thousands take minutes. So a document
// with too many must not reach it.
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

  // The next bytes, in any parts, of UTF-8 or another superset of ASCII. False: a tag has more
  // attributes than that, or the document more declarations. Linear.
  [[nodiscard]] bool see(std::string_view bytes);

 private:
  enum class State : std::uint8_t { text, open, tag, value, skipped };

  bool step(char byte);
  void open(char byte);
  bool attribute(char byte);
  void skip_until(std::string_view end);

  const std::size_t most_;
  State state_ = State::text;
  std::string seen_{};      // behind '<', or the last bytes of what is skipped
  std::string_view end_{};  // of what is skipped: a comment, CDATA, an instruction
  char quote_ = 0;
  std::size_t count_ = 0;
  std::size_t declarations_ = 0;
};

}  // namespace tidemill::xml
