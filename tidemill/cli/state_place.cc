#include "tidemill/cli/state_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "tidemill/text/printable.h"

namespace tidemill::cli {
namespace {

// 0, or what is wrong.
int make_folders(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    struct stat seen{};  // a folder that is there is good enough, whatever mkdir() says of its disk
    if (::mkdir(part.c_str(), 0700) != 0 && ::stat(part.c_str(), &seen) != 0) return errno;
    if (end == std::string::npos) break;
  }
  return ::access(path.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

}  // namespace

Result<std::string> file_in_state(const durable::StateFolder& state, std::string_view name,
                                  const std::string& what, std::string_view without) {
  if (const int error = make_folders(state.path()); error != 0) {
    return std::unexpected(Failure{
        .cure = Cure::give_up,
        .step = what,
        .reason = text::printable(state.path()) + ": " + std::generic_category().message(error),
        .hint = "set TIDEMILL_STATE to a folder that this user can write, or add " +
                std::string(without)});
  }
  return state.path() + "/" + std::string(name);
}

}  // namespace tidemill::cli
