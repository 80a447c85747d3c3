#include "tidemill/io/proc/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/io/proc/system_failure.h"

namespace tidemill::proc {
namespace {

constexpr std::string_view kDefaultPath = "/bin:/usr/bin";  // as execvp() without PATH

// 0 when the file can be executed, else an errno.
int obstacle(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EACCES;  // as execve() for a folder
  return ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

std::unexpected<Failure> refuse(int error, std::string_view name) {
  Failure failure{.cure = Cure::give_up, .step = "start"};
  if (error == EACCES) {
    failure.reason = std::string(name) + ": not an executable file";
    failure.hint = "use chmod +x to make a script executable";
  } else if (error == ENOENT) {
    failure.reason = std::string(name) + ": no such program";
    if (name.find('/') == std::string_view::npos)
      failure.hint = "check PATH: no folder in it has this program";
  } else {
    return fail_to_start(error, name);
  }
  if (name.find_first_of(" \t\n|&;<>()$`\"'*?") != std::string_view::npos) {
    failure.hint = "use --shell to run a shell command line";
  }
  return std::unexpected(std::move(failure));
}

}  // namespace

Result<std::string> resolve_program(std::string_view name) {
  // Called once at the start of a run, before any thread could change the environment.
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  return resolve_program(name, path == nullptr ? kDefaultPath : std::string_view(path));
}

Result<std::string> resolve_program(std::string_view name, std::string_view search_path) {
  if (name.empty() || name.find('\0') != std::string_view::npos) return refuse(ENOENT, name);
  if (name.find('/') != std::string_view::npos) {
    std::string path(name);
    if (const int error = obstacle(path); error != 0) return refuse(error, name);
    return path;
  }
  int worst = ENOENT;  // EACCES of a skipped file is reported if no other is found
  for (std::size_t from = 0; from <= search_path.size();) {
    const std::size_t colon = std::min(search_path.find(':', from), search_path.size());
    std::string path(search_path.substr(from, colon - from));
    if (path.empty()) path = ".";
    path += '/';
    path += name;
    const int error = obstacle(path);
    if (error == 0) return path;
    if (error == EACCES) worst = EACCES;
    from = colon + 1;
  }
  return refuse(worst, name);
}

}  // namespace tidemill::proc
