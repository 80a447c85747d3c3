#include "tidemill/jobs/tasks/names.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/walk/name_list.h"
#include "tidemill/io/walk/walker.h"

namespace tidemill::jobs {
namespace {

// A position is "<index of the root>:<last path>", or for a list "<names read>".
std::pair<std::uint64_t, std::string_view> split_position(std::string_view position) {
  std::uint64_t number = 0;
  const char* const from = position.data();
  const auto [end, wrong] = std::from_chars(from, from + position.size(), number);
  if (wrong != std::errc()) return {0, {}};
  position.remove_prefix(static_cast<std::size_t>(end - from));
  if (position.starts_with(':')) position.remove_prefix(1);
  return {number, position};
}

struct ListFile {
  int fd;
  explicit ListFile(const std::string& path)
      : fd(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ListFile(const ListFile&) = delete;
  ListFile& operator=(const ListFile&) = delete;
  ~ListFile() {
    if (fd > STDERR_FILENO) ::close(fd);
  }
};

// The limit for one argument of a command (Linux: MAX_ARG_STRLEN, including the NUL).
constexpr std::size_t kLongestName = std::size_t{128} << 10U;
constexpr std::size_t kShownOfIt = 200;

// A name that is too long for a command becomes a failed task with only its beginning as the name.
TaskName listed(std::string_view name, std::uint64_t count) {
  TaskName found{
      .subject = std::string(name.substr(0, name.size() < kLongestName ? name.size() : kShownOfIt)),
      .position = std::to_string(count)};
  if (name.size() >= kLongestName) {
    found.failure = Failure{
        .cure = Cure::give_up,
        .step = "name",
        .reason = "a name of " + std::to_string(name.size()) + " bytes is too long for an argument",
        .hint = "add -0 if the names in the list end with NUL"};
  }
  return found;
}

std::unexpected<Failure> stopped(const std::string& where) {
  return fail(Cure::resume, "find", "stopped while reading " + where);
}

Result<void> walk_root(const std::string& root, std::size_t index, std::string_view after,
                       const FileSource& source, const std::stop_token& stop,
                       const OnName& on_name) {
  const walk::WalkOptions how{.globs = source.globs,
                              .excludes = source.excludes,
                              .hidden = !source.no_hidden,
                              .sizes = source.order == FileOrder::size};
  const std::string prefix = std::to_string(index) + ":";
  const auto on_file = [&](const walk::FoundFile& file) {
    return on_name({.subject = std::string(file.path),
                    .weight = file.size,
                    .position = prefix + std::string(file.path)});
  };
  const auto on_failure = [&](std::string_view path, const Failure& failure) {
    (void)on_name({.subject = std::string(path), .failure = failure, .is_folder = true});
  };
  LET(const auto report, walk::walk(root, how, after, stop, on_file, on_failure));
  return report.end == walk::WalkEnd::complete ? Result<void>() : stopped(root);
}

Result<void> read_list(const FileSource& source, std::uint64_t before, const std::stop_token& stop,
                       const OnName& on_name) {
  const std::string& path = source.files_from;
  const ListFile file(path);
  if (file.fd < 0) {
    return fail(Cure::give_up, "find", path + ": " + system_text(errno));
  }
  LET(auto names, walk::NameList::open(file.fd, source.is_nul_separated ? walk::NameEnd::nul
                                                                        : walk::NameEnd::newline));
  LET(const auto skipped, names.skip(before, stop));
  if (skipped < before) {
    return fail(Cure::give_up, "find",
                path + " has become shorter: " + std::to_string(skipped) + " names, at least " +
                    std::to_string(before) + " before");
  }
  for (;;) {
    LET(const auto name, names.next(stop));
    if (!name) return {};
    if (!on_name(listed(*name, names.count()))) {
      return stopped("the list");
    }
  }
}

}  // namespace

Result<void> each_name(const FileSource& source, std::string_view position,
                       const std::stop_token& stop, const OnName& on_name) {
  const auto [first, after] = split_position(position);
  if (!source.files_from.empty()) return read_list(source, first, stop, on_name);
  for (std::size_t i = first; i < source.roots.size(); ++i) {
    TRY(walk_root(source.roots[i], i, i == first ? after : std::string_view(), source, stop,
                  on_name));
  }
  return {};
}

Result<void> each_name_below(const std::string& root, const FileSource& source,
                             const std::stop_token& stop, const OnName& on_name) {
  return walk_root(root, 0, {}, source, stop, on_name);
}

}  // namespace tidemill::jobs
