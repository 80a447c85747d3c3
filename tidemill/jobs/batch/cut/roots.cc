#include "tidemill/jobs/batch/cut/roots.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/hash/hasher.h"

namespace tidemill::batch {
namespace {

std::unexpected<Failure> cannot_open(const std::string& path, int error) {
  return fail(Cure::give_up, path, system_text(error));
}

Result<BatchRoot> open_root(const std::string& given) {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): realpath's own memory
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(given.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) return cannot_open(given, errno);
  BatchRoot root{.given = given, .real = real.get()};
  struct stat seen{};
  if (::stat(root.real.c_str(), &seen) != 0) return cannot_open(given, errno);
  if (!S_ISDIR(seen.st_mode)) {
    const std::size_t slash = root.real.rfind('/');
    root.only = root.real.substr(slash + 1);
    root.real.resize(slash == 0 ? 1 : slash);
  }
  root.folder = Descriptor(::open(root.real.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.folder.is_open()) return cannot_open(given, errno);
  return root;
}

void append(std::string& text, std::string_view part) {
  text += std::to_string(part.size());
  text += ':';
  text += part;
}

}  // namespace

Result<BatchRoots> BatchRoots::open(const std::vector<std::string>& given) {
  BatchRoots roots;
  for (const std::string& path : given) {
    LET(auto root, open_root(path));
    roots.roots_.push_back(std::move(root));
  }
  return roots;
}

Result<BatchRoots> BatchRoots::open_list() {
  LET(BatchRoots roots, open({"."}));
  roots.is_list_ = true;
  return roots;
}

std::size_t BatchRoots::size() const {
  return is_list_ ? std::numeric_limits<std::size_t>::max() : roots_.size();
}

std::string BatchRoots::path(std::size_t root, std::string_view below, Paths how) const {
  if (how == Paths::relative) return std::string(below);
  if (is_list_ && below.starts_with('/')) return std::string(below);
  if (is_list_ && below.starts_with("./")) below.remove_prefix(2);
  const std::string& real = at(root).real;
  if (below.empty()) return real;
  return (real == "/" ? real : real + "/") + std::string(below);
}

std::optional<Cursor> BatchRoots::find(std::string_view path) const {
  for (std::size_t i = 0; i < roots_.size(); ++i) {
    const std::string& real = roots_[i].real;
    if (path == real) return Cursor{.root = i};
    const std::string prefix = real == "/" ? real : real + "/";
    if (path.starts_with(prefix)) {
      return Cursor{.root = i, .path = std::string(path.substr(prefix.size()))};
    }
  }
  if (is_list_) return Cursor{.path = std::string(path)};
  return std::nullopt;
}

std::string text_of(const Cursor& cursor) {
  return std::to_string(cursor.root) + "/" + cursor.path;
}

std::optional<Cursor> cursor_of(std::string_view text, std::size_t roots) {
  Cursor cursor;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cursor.root);
  const auto used = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || used == text.size() || text[used] != '/' || cursor.root >= roots) {
    return std::nullopt;
  }
  cursor.path = text.substr(used + 1);
  return cursor;
}

Result<std::string> job_of(const BatchOptions& options, const BatchRoots& roots,
                           std::string_view fingerprint, std::string_view prompt) {
  std::string text = "1";  // version of this list of fields
  if (!options.job.empty()) {
    append(text, options.job);
  } else if (roots.is_list()) {
    append(text, "--files-from");
    append(text, roots.at(0).real);
    append(text, options.list_name);
  } else {
    for (std::size_t i = 0; i < roots.size(); ++i) {
      append(text, roots.at(i).real);
      append(text, roots.at(i).only);
    }
  }
  append(text, fingerprint);
  append(text, prompt);
  for (const auto& list : {options.globs, options.excludes}) {
    append(text, std::to_string(list.size()));
    for (const std::string& pattern : list) append(text, pattern);
  }
  const double margin = options.margin.value_or(0);
  for (const std::uint64_t number :
       {options.max_tokens, options.overhead, static_cast<std::uint64_t>(margin * 1e9),
        options.max_files, options.max_size.count, std::uint64_t{options.hidden},
        std::uint64_t{options.gitignore}, std::uint64_t{options.is_inline},
        static_cast<std::uint64_t>(options.paths)}) {
    append(text, std::to_string(number));
  }
  LET(auto hasher, hash::Hasher::make(hash::Algorithm::sha256));
  return hasher.of(std::as_bytes(std::span(text))).hex().substr(0, 32);
}

}  // namespace tidemill::batch
