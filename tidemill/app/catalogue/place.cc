#include "tidemill/app/catalogue/place.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/cli/state_place.h"

namespace tidemill::app {

namespace fs = std::filesystem;
using catalogue::Catalogue;
using catalogue::RootSummary;

command::Flag catalogue_flag() {
  return {.name = "catalogue",
          .kind = command::ValueKind::path,
          .metavar = "FILE",
          .help = "catalogue to use",
          .fallback_text = "catalogue.db in the state folder",
          .is_basic = true};
}

std::string catalogue_path(const cli::CliContext& cli) {
  const std::string path = cli.values.text("catalogue");
  return path.empty() ? cli::default_catalogue(cli) : path;
}

Result<Catalogue> open_catalogue(const cli::CliContext& cli, Catalogue::Access access) {
  const std::string path = catalogue_path(cli);
  TRY(cli::demand_own_catalogue(path, cli));
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    return std::unexpected(Failure{.cure = Cure::give_up,
                                   .step = text::printable(path),
                                   .reason = "no such catalogue",
                                   .hint = "run tidemill dupes DIR to create one"});
  }
  return Catalogue::open(path, access);
}

std::vector<std::string> names_of(const std::string& typed) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  std::error_code wrong;
  if (const fs::path whole = fs::absolute(typed, wrong); !wrong) {
    add(whole.lexically_normal().string());
  }
  if (const fs::path real = fs::weakly_canonical(typed, wrong); !wrong) add(real.string());
  // The last component itself may be a symlink.
  const fs::path path = names.empty() ? fs::path(typed) : fs::path(names.front());
  if (const fs::path above = fs::weakly_canonical(path.parent_path(), wrong); !wrong) {
    add((above / path.filename()).string());
  }
  return names;
}

std::optional<RootSummary> root_named(const std::string& typed,
                                      const std::vector<RootSummary>& roots) {
  for (const std::string& name : names_of(typed)) {
    const auto found = std::ranges::find(roots, name, &RootSummary::path);
    if (found != roots.end()) return *found;
  }
  return std::nullopt;
}

std::string root_above(const std::string& typed, const std::vector<RootSummary>& roots) {
  std::string above;
  for (const std::string& name : names_of(typed)) {
    for (const RootSummary& root : roots) {
      const bool is_below = name.starts_with(root.path == "/" ? "/" : root.path + "/");
      if (is_below && root.path.size() > above.size()) above = root.path;
    }
  }
  return above;
}

std::unexpected<Failure> no_such_root(const std::string& typed,
                                      const std::vector<RootSummary>& roots) {
  const std::string above = root_above(typed, roots);
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = text::printable(typed),
                                 .reason = "not a root of the catalogue",
                                 .hint = above.empty()
                                             ? "use tidemill catalogue ls to list the roots"
                                             : "try its root: " + text::printable(above)});
}

}  // namespace tidemill::app
