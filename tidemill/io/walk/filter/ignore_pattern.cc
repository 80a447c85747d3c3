#include "tidemill/io/walk/filter/ignore_pattern.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <utility>

namespace tidemill::walk {
namespace {

using ByteClass = std::bitset<256>;

// Of the locale "C": what an ignore file means must not depend on the user's. Bounds in pairs.
using NamedClass = std::pair<std::string_view, std::string_view>;
constexpr std::array<NamedClass, 12> kNamedClasses{{{"alnum", "AZaz09"},
                                                    {"alpha", "AZaz"},
                                                    {"blank", "  \t\t"},
                                                    {"cntrl", "\x01\x1f\x7f\x7f"},
                                                    {"digit", "09"},
                                                    {"graph", "!~"},
                                                    {"lower", "az"},
                                                    {"print", " ~"},
                                                    {"punct", "!/:@[`{~"},
                                                    {"space", "  \t\r"},
                                                    {"upper", "AZ"},
                                                    {"xdigit", "09AFaf"}}};

void add_range(ByteClass& bytes, unsigned char low, unsigned char high) {
  for (unsigned byte = low; byte <= high; ++byte) bytes.set(byte);
}

// One thread.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::optional<std::string> run() {
    while (at_ < pattern_.size()) {
      if (!take(pattern_[at_++])) return std::nullopt;
    }
    return glob_;
  }

 private:
  bool take(char sign) {
    switch (sign) {
      case '*':
        take_stars();
        return true;
      case '?':
        glob_ += sign;
        return true;
      case '[':
        return take_class();
      case '\\':
        if (at_ == pattern_.size()) return false;
        sign = pattern_[at_++];
        break;
      default:
        break;
    }
    glob_ += '\\';
    glob_ += sign;
    return true;
  }

  void take_stars() {
    const std::size_t first = at_ - 1;
    while (at_ < pattern_.size() && pattern_[at_] == '*') ++at_;
    const bool begins_part = first == 0 || pattern_[first - 1] == '/';
    const bool ends_part = at_ == pattern_.size() || pattern_[at_] == '/';
    const bool is_folders = at_ - first > 1 && begins_part && ends_part;
    glob_ += is_folders ? "**" : "*";
    if (is_folders && at_ < pattern_.size()) {
      glob_ += '/';  // as it is: "**\/" would be another thing
      ++at_;
    }
  }

  bool take_class() {
    const bool is_negated = at_ < pattern_.size() && (pattern_[at_] == '!' || pattern_[at_] == '^');
    if (is_negated) ++at_;
    ByteClass bytes;
    unsigned char low = 0;  // the byte a range may begin with; 0: none
    for (bool is_first = true; is_first || peek() != ']'; is_first = false) {
      if (!take_class_part(bytes, low)) return false;
    }
    ++at_;
    if (is_negated) bytes.flip();
    return emit(bytes);
  }

  bool take_class_part(ByteClass& bytes, unsigned char& low) {
    if (at_ >= pattern_.size()) return false;
    if (pattern_.substr(at_).starts_with("[:")) {
      const std::size_t end = pattern_.find(']', at_ + 2);
      if (end == std::string_view::npos) return false;
      if (end > at_ + 2 && pattern_[end - 1] == ':') {
        const std::string_view name = pattern_.substr(at_ + 2, end - 1 - (at_ + 2));
        at_ = end + 1;
        low = 0;
        return add_named(bytes, name);
      }
    }
    const bool is_range =
        pattern_[at_] == '-' && low != 0 && at_ + 1 < pattern_.size() && pattern_[at_ + 1] != ']';
    if (is_range) ++at_;
    if (pattern_[at_] == '\\' && ++at_ >= pattern_.size()) return false;
    const auto byte = static_cast<unsigned char>(pattern_[at_++]);
    add_range(bytes, is_range ? low : byte, byte);
    low = is_range ? 0 : byte;
    return true;
  }

  static bool add_named(ByteClass& bytes, std::string_view name) {
    const auto* named = std::ranges::find(kNamedClasses, name, &NamedClass::first);
    if (named == kNamedClasses.end()) return false;
    for (std::size_t i = 0; i < named->second.size(); i += 2) {
      add_range(bytes, static_cast<unsigned char>(named->second[i]),
                static_cast<unsigned char>(named->second[i + 1]));
    }
    return true;
  }

  bool emit(const ByteClass& bytes) {
    if (bytes.none()) return false;
    glob_ += '[';
    for (unsigned byte = 0; byte < bytes.size(); ++byte) {
      if (!bytes.test(byte)) continue;
      const unsigned low = byte;
      while (byte + 1 < bytes.size() && bytes.test(byte + 1)) ++byte;
      glob_ += {'\\', static_cast<char>(low), '-', '\\', static_cast<char>(byte)};
    }
    glob_ += ']';
    return true;
  }

  [[nodiscard]] char peek() const { return at_ < pattern_.size() ? pattern_[at_] : '\0'; }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string glob_;
};

}  // namespace

std::optional<std::string> glob_of_ignore(std::string_view pattern) {
  return Translator(pattern).run();
}

}  // namespace tidemill::walk
