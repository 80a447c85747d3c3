#include "tidemill/io/walk/filter/ignore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/io/walk/filter/ignore_pattern.h"

namespace tidemill::walk {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view without_trailing_spaces(std::string_view line) {
  std::size_t keep = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') continue;
    if (line[i] == '\\') ++i;  // what stands behind it is meant, a space too
    keep = std::min(i + 1, line.size());
  }
  return line.substr(0, keep);
}

struct ReadText {
  std::optional<std::string> text{};  // none: there is no such file
  int error = 0;
};

// `expected` bytes, as far as one knows.
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
