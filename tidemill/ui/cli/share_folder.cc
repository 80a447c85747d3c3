#include "tidemill/ui/cli/share_folder.h"

#include <filesystem>
#include <system_error>

#include "tidemill/ui/cli/cli_context.h"

namespace tidemill::cli {

std::string share_folder() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  constexpr const char* kBelow = "share/tidemill";
  const auto beside = program / kBelow;
  if (std::filesystem::is_directory(beside, ignored)) return beside.string();
  return (program.parent_path() / kBelow).string();
}

std::string token_tables() {
  if (auto chosen = variable("TIDEMILL_TOKENS"); chosen && !chosen->empty()) return *chosen;
  return share_folder() + "/tokens";
}

}  // namespace tidemill::cli
