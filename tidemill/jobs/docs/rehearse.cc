// --dry-run: prints what would be done.
#include <stop_token>
#include <string>
#include <unordered_set>

#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/docs/command/commands.h"
#include "tidemill/jobs/docs/docs.h"
#include "tidemill/jobs/docs/server/servers.h"
#include "tidemill/jobs/docs/sweep.h"

namespace tidemill::docs {

Result<void> print_commands(const DocsOptions& options, const Secrets& secrets,
                            command::Context& context) {
  DocsServer server(outline_options(options, secrets), context.clock);
  LET(const auto outline, connect_outline(server, context.stop));
  TRY(server.options().gate.check());
  warn_of_exposed(options, secrets, context.console);
  std::unordered_set<std::string> printed;  // pages overlap
  const auto print = [&](const OutlineDocument& document) -> Result<void> {
    if (!printed.insert(document.id).second) return {};
    for (const Command& one : commands_in(document.text)) {
      TRY(context.console.out(document.id + "\t" + text::printable(line_of(one)) + "\t" +
                              text::printable(document.title) + "\n"));
    }
    return {};
  };
  for (const std::string& id : options.documents) {
    LET(const auto document, outline->document(id));
    if (document && !document->is_gone) TRY(print(*document));
  }
  if (!options.documents.empty()) return {};
  Guarded<bool> has_stopped{false};
  const std::stop_callback at_stop(
      context.stop, [&] { has_stopped.update([](bool& stopped) { stopped = true; }); });
  const auto pause = [&](std::chrono::milliseconds wait) {
    auto stopped = has_stopped.lock();
    return !stopped.wait_until(context.clock, context.clock.now() + wait,
                               [](const bool& has) { return has; });
  };
  Sweep sweep({.collections = options.collections, .retry = options.retry}, *outline, print, pause);
  return sweep.run();
}

}  // namespace tidemill::docs
