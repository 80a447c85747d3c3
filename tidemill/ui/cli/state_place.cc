#include "tidemill/ui/cli/state_place.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/io/files/own_path.h"

namespace tidemill::cli {
namespace {

Result<void> make_writable(const run::StateFolder& state) {
  TRY(state.make());
  if (::access(state.path().c_str(), W_OK | X_OK) == 0) return {};
  return fail(Cure::give_up, "create", text::printable(state.path()) + ": " + system_text(errno));
}

}  // namespace

Result<std::string> file_in_state(const run::StateFolder& state, std::string_view name,
                                  const std::string& what, std::string_view without) {
  if (auto made = make_writable(state); !made) {
    Failure failure = std::move(made).error();
    if (failure.kind == FailureKind::usage) return std::unexpected(std::move(failure));
    failure.step = what;
    failure.hint = "set " + state.variable() + " to a folder that you can write, or add " +
                   std::string(without);
    return std::unexpected(std::move(failure));
  }
  std::string path = state.path() + "/" + std::string(name);
  TRY(demand_own_file(path, what));
  return path;
}

Result<void> demand_own_file(const std::string& path, const std::string& what) {
  return files::demand_own(path, {.name = what,
                                  .owner = files::Owner::user_or_root,
                                  .instead = "use another one with --" + what});
}

std::string default_catalogue(const CliContext& cli) {
  return cli.state.path() + "/" + std::string(kCatalogueName);
}

Result<void> demand_own_catalogue(const std::string& path, const CliContext& cli) {
  if (path == default_catalogue(cli)) TRY(cli.state.demand_own());
  return demand_own_file(path, "catalogue");
}

}  // namespace tidemill::cli
