#include "tidemill/io/walk/filter/sieve.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::walk {

Result<Sieve> Sieve::compile(const std::vector<std::string>& globs,
                             const std::vector<std::string>& excludes) {
  Sieve sieve;
  for (const std::string& pattern : globs) {
    LET(Glob glob, Glob::compile(pattern));
    if (glob.wants_folder()) {
      return std::unexpected(Failure{
          .step = "glob",
          .reason = "pattern '" + pattern + "' matches folders, but only files are selected",
          .hint = "use 'folder/**'"});
    }
    sieve.globs_.push_back(std::move(glob));
  }
  for (const std::string& pattern : excludes) {
    LET(Glob glob, Glob::compile(pattern));
    sieve.excludes_.push_back(std::move(glob));
  }
  return sieve;
}

bool Sieve::excludes(std::string_view path, std::string_view name, bool is_folder) const {
  return std::ranges::any_of(excludes_,
                             [&](const Glob& glob) { return glob.matches(path, name, is_folder); });
}

bool Sieve::takes_file(std::string_view path, std::string_view name) const {
  if (excludes(path, name, false)) return false;
  return globs_.empty() || std::ranges::any_of(globs_, [&](const Glob& glob) {
           return glob.matches(path, name, false);
         });
}

bool Sieve::enters_folder(std::string_view path, std::string_view name) const {
  return !excludes(path, name, true);
}

}  // namespace tidemill::walk
