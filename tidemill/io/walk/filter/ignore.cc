#include "tidemill/io/walk/filter/ignore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/descriptor.h"

namespace tidemill::walk {
namespace {

using ByteClass = std::bitset<256>;

// As in the "C" locale: the meaning of an ignore file must not depend on the user's locale. Each
// pair of bytes is a range.
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

// Translates a pattern of gitignore(5) to the syntax of globs.h; nothing when no name can match it.
// The differences: in an ignore file braces are not special, "**" matches folders only when it is
// alone between slashes, and a class may contain [:alpha:] and the like. One thread.
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
      glob_ += '/';  // unescaped: "**\/" means something else
      ++at_;
    }
  }

  bool take_class() {
    const bool is_negated = at_ < pattern_.size() && (pattern_[at_] == '!' || pattern_[at_] == '^');
    if (is_negated) ++at_;
    ByteClass bytes;
    unsigned char low = 0;  // possible start of a range; 0: none
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

// `pattern` without its '!' and without the '/' at its beginning and end.
std::optional<std::string> glob_of_ignore(std::string_view pattern) {
  return Translator(pattern).run();
}

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view without_trailing_spaces(std::string_view line) {
  std::size_t keep = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') continue;
    if (line[i] == '\\') ++i;  // the next byte is literal, even a space
    keep = std::min(i + 1, line.size());
  }
  return line.substr(0, keep);
}

struct ReadText {
  std::optional<std::string> text{};  // none: no such file
  int error = 0;
};

// `expected` is the size by fstat(); the file may have changed since.
ReadText read_rest(int file, std::size_t expected) {
  std::string text;
  std::size_t size = 0;
  while (size <= IgnoreRules::kMostText) {
    if (size == text.size()) text.resize(std::max(size * 2, expected + 1));
    const ssize_t got = ::read(file, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {.error = errno};
    if (got == 0) {
      text.resize(size);
      return {.text = std::move(text)};
    }
    size += static_cast<std::size_t>(got);
  }
  return {.error = EFBIG};
}

ReadText read_text(int folder, const std::string& name) {
  const Descriptor file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.is_open()) {
    const bool is_none = errno == ENOENT || errno == ELOOP || errno == ENXIO;
    return {.error = is_none ? 0 : errno};
  }
  struct stat seen{};
  if (::fstat(file.number(), &seen) != 0) return {.error = errno};
  if (!S_ISREG(seen.st_mode)) return {};
  const auto size = static_cast<std::size_t>(seen.st_size);
  if (size > IgnoreRules::kMostText) return {.error = EFBIG};
  return read_rest(file.number(), size);
}

}  // namespace

bool IgnoreRules::Rule::matches(std::string_view path, std::string_view name,
                                bool is_folder) const {
  if (wants_folder && !is_folder) return false;
  if (glob) return glob->matches(path, name, is_folder);
  return (is_for_paths ? path : name) == text;
}

IgnoreRules::IgnoreRules(std::string_view folder, std::shared_ptr<const IgnoreRules> above)
    : above_(std::move(above)),
      nested_(above_ ? above_->nested_ + 1 : 1),
      prefix_(folder.empty() ? 0 : folder.size() + 1) {}

std::optional<IgnoreRules::Rule> IgnoreRules::rule_of(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  line = without_trailing_spaces(line.substr(0, line.find('\0')));
  if (line.starts_with('#')) return std::nullopt;
  Rule rule;
  rule.takes_back = line.starts_with('!');
  if (rule.takes_back) line.remove_prefix(1);
  rule.wants_folder = line.ends_with('/');
  if (rule.wants_folder) line.remove_suffix(1);
  rule.is_for_paths = line.contains('/');
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty() || line.ends_with('/')) return std::nullopt;
  if (line.find_first_of("*?[\\") == std::string_view::npos) {
    rule.text = line;
    return rule;
  }
  const auto pattern = glob_of_ignore(line);
  if (!pattern) return std::nullopt;
  auto glob = Glob::compile(rule.is_for_paths ? '/' + *pattern : *pattern);
  if (!glob) return std::nullopt;
  rule.glob = *std::move(glob);
  return rule;
}

void IgnoreRules::add(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto rule = rule_of(text.substr(0, end))) rules_.push_back(*std::move(rule));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool IgnoreRules::ignores(std::string_view path, std::string_view name, bool is_folder) const {
  for (const IgnoreRules* here = this; here != nullptr; here = here->above_.get()) {
    const std::string_view below = path.substr(here->prefix_);
    for (const Rule& rule : here->rules_ | std::views::reverse) {
      if (rule.matches(below, name, is_folder)) return !rule.takes_back;
    }
  }
  return false;
}

FoundRules read_rules(int folder, std::string_view path, const std::vector<std::string>& names,
                      std::shared_ptr<const IgnoreRules> above) {
  std::shared_ptr<IgnoreRules> rules;
  for (const std::string& name : names) {
    const ReadText read = read_text(folder, name);
    if (read.error != 0) return {.error = read.error};
    if (!read.text) continue;
    if (!rules) rules = std::make_shared<IgnoreRules>(path, above);
    rules->add(*read.text);
  }
  if (!rules) return {.rules = std::move(above)};
  if (rules->nested() > IgnoreRules::kMostNested) return {.error = E2BIG};
  return {.rules = std::move(rules)};
}

}  // namespace tidemill::walk
