// IgnoreRules: the rules of the ignore files of one folder and, through a link, of the folders
// above it, with the semantics of gitignore(5).
//
//   #  a comment           !x  include x again            x/   folders only
//   *  ?  [a-z]            **/ /** /**/ any folders       a/b or /x: from the folder of the file
//
// The last rule that matches decides; a deeper folder takes precedence over a higher one. Nothing
// inside an ignored folder can be included again, because the folder is not entered. Braces are not
// special. An invalid line (an open bracket, a trailing '\') matches nothing, as in git.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/io/walk/filter/globs.h"

namespace tidemill::walk {

// Immutable.
class IgnoreRules {
 public:
  static constexpr std::size_t kMostText = std::size_t{1024} * 1024;  // bytes of one ignore file
  static constexpr std::size_t kMostNested = 1000;  // levels of folders with ignore files

  // `above` may be null; `folder` is the path of the rules' folder below the root.
  IgnoreRules(std::string_view folder, std::shared_ptr<const IgnoreRules> above);

  // Later lines win over earlier ones, including those of earlier texts.
  void add(std::string_view text);

  // `path` is the path below the root, `name` its last component.
  [[nodiscard]] bool ignores(std::string_view path, std::string_view name, bool is_folder) const;
  [[nodiscard]] std::size_t nested() const { return nested_; }

 private:
  struct Rule {
    std::optional<Glob> glob{};  // none: `text` is matched literally
    std::string text{};
    bool is_for_paths = false;
    bool wants_folder = false;
    bool takes_back = false;
    [[nodiscard]] bool matches(std::string_view path, std::string_view name, bool is_folder) const;
  };

  [[nodiscard]] static std::optional<Rule> rule_of(std::string_view line);

  std::shared_ptr<const IgnoreRules> above_;
  std::size_t nested_ = 1;
  std::size_t prefix_ = 0;  // of a path below the root: the folder and its '/'
  std::vector<Rule> rules_;
};

// The rules that apply in the open folder: those of its files with these names, where later names
// win, and `above`. A symlink or FIFO is not an ignore file. Sets `error` to an errno when a file
// cannot be read, is too large (EFBIG), or the rules are nested too deeply (E2BIG): it is then
// unknown which entries are ignored.
struct FoundRules {
  std::shared_ptr<const IgnoreRules> rules{};
  int error = 0;
};
[[nodiscard]] FoundRules read_rules(int folder, std::string_view path,
                                    const std::vector<std::string>& names,
                                    std::shared_ptr<const IgnoreRules> above);

}  // namespace tidemill::walk
