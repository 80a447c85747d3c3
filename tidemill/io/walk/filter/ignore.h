// IgnoreRules: the rules of the ignore files of one folder, and through it of those above, as
// gitignore(5) has them.
//
//   #  a comment           !x  x is wanted after all      x/   folders only
//   *  ?  [a-z]            **/ /** /**/ any folders       a/b or /x: from the folder of the file
//
// The last rule that matches decides; a deeper folder is asked before a higher one; nothing comes
// back out of an ignored folder, because nobody looks into it. Braces mean nothing. A line that
// makes no sense (an open bracket, a '\' at its end) matches nothing, as in git.
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
  static constexpr std::size_t kMostText = std::size_t{1024} * 1024;  // of one ignore file
  static constexpr std::size_t kMostNested = 1000;  // rules below rules below rules

  // `above` may be null; `folder` is the path of the rules' folder below the root.
  IgnoreRules(std::string_view folder, std::shared_ptr<const IgnoreRules> above);

  // Later lines win over earlier ones, also of another text.
  void add(std::string_view text);

  // `path` is the path below the root, `name` its last part.
  [[nodiscard]] bool ignores(std::string_view path, std::string_view name, bool is_folder) const;
  [[nodiscard]] std::size_t nested() const { return nested_; }

 private:
  struct Rule {
    std::optional<Glob> glob{};  // none: `text` stands for itself
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

// The rules of the open folder: those of the files of these names that it holds, later names
// winning, and those above. A symlink or FIFO is no ignore file. Fails with errno in `error`, for a
// file that cannot be read, is too large (EFBIG), or lies too deep in others (E2BIG): what is not
// wanted is not known then.
struct FoundRules {
  std::shared_ptr<const IgnoreRules> rules{};
  int error = 0;
};
[[nodiscard]] FoundRules read_rules(int folder, std::string_view path,
                                    const std::vector<std::string>& names,
                                    std::shared_ptr<const IgnoreRules> above);

}  // namespace tidemill::walk
