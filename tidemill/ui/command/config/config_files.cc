#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/io/files/own_path.h"
#include "tidemill/ui/command/config/config.h"

namespace tidemill::command {
namespace {

std::unexpected<Failure> unreadable(const std::string& path, int error) {
  Failure failure{.cure = Cure::give_up,
                  .step = "read config",
                  .reason = text::printable(path) + ": " + system_text(error)};
  if (error == EACCES) {
    failure.hint = "let this user read the file and enter its folder";
    // Possibly another user who kept the HOME of the first one.
    if (!path.starts_with("/etc/")) failure.hint += ", or set XDG_CONFIG_HOME to another";
  }
  return std::unexpected(std::move(failure));
}

}  // namespace

std::vector<std::string> config_paths(const Program& program, const VariableLookup& environment) {
  const std::string file = "/" + program.name + "/" + program.name + ".toml";
  std::vector<std::string> paths{"/etc" + file};
  const auto folder = environment("XDG_CONFIG_HOME");
  const auto home = environment("HOME");
  // The XDG specification says that a path that is not absolute is ignored.
  if (folder && folder->starts_with('/')) {
    paths.push_back(*folder + file);
  } else if (home && home->starts_with('/')) {
    paths.push_back(*home + "/.config" + file);
  }
  return paths;
}

Result<std::optional<std::string>> read_config_file(const std::string& path) {
  // A missing file is fine even if its folder belongs to another user.
  if (::access(path.c_str(), F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    return std::nullopt;
  }
  TRY(files::demand_own(
      path, {.name = "config file",
             .owner = files::Owner::user_or_root,
             .instead = path.starts_with("/etc/") ? "ask the administrator"
                                                  : "set XDG_CONFIG_HOME to another folder"}));
  const auto close = [](std::FILE* file) { (void)std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "re"), close);
  if (!file) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    return unreadable(path, errno);
  }
  std::string text;
  std::array<char, 4096> block{};
  while (const auto length = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), length);
  }
  if (std::ferror(file.get()) != 0) return unreadable(path, errno);
  return text;
}

}  // namespace tidemill::command
