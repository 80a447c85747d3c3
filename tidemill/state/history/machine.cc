#include "tidemill/state/history/machine.h"

#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <fstream>
#include <string>
#include <string_view>
#include <thread>

namespace tidemill::history {
namespace {

// "Debian GNU/Linux 12 (bookworm)".
std::string distribution() {
  constexpr std::string_view kKey = "PRETTY_NAME=";
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    line.erase(0, kKey.size());
    if (line.size() >= 2 && line.front() == '"') line = line.substr(1, line.size() - 2);
    return line;
  }
  return "";
}

}  // namespace

RunSession this_machine() {
  RunSession session{.system = distribution(), .cores = std::thread::hardware_concurrency()};
  utsname names{};
  if (::uname(&names) == 0) {
    session.host = names.nodename;
    if (!session.system.empty()) session.system += ", ";
    session.system += std::string(names.sysname) + " " + names.release;
  }
  struct sysinfo sizes{};
  if (::sysinfo(&sizes) == 0) session.memory = std::uint64_t{sizes.totalram} * sizes.mem_unit;
  return session;
}

}  // namespace tidemill::history
