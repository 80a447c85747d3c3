// Sieve: the globs and excludes of one walk. An invalid pattern is rejected by compile(); after
// that nothing fails.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/filter/globs.h"

namespace tidemill::walk {

// Immutable.
class Sieve {
 public:
  // Fails with step "glob"; the failure names the pattern.
  [[nodiscard]] static Result<Sieve> compile(const std::vector<std::string>& globs,
                                             const std::vector<std::string>& excludes);

  // Without globs every file is taken; an exclude wins over every glob.
  [[nodiscard]] bool takes_file(std::string_view path, std::string_view name) const;
  [[nodiscard]] bool enters_folder(std::string_view path, std::string_view name) const;

 private:
  [[nodiscard]] bool excludes(std::string_view path, std::string_view name, bool is_folder) const;

  std::vector<Glob> globs_;
  std::vector<Glob> excludes_;
};

}  // namespace tidemill::walk
