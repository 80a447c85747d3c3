#include <memory>
#include <string>
#include <utility>

#include "tidemill/app/serve/access_gate.h"
#include "tidemill/app/serve/run_lister.h"
#include "tidemill/app/serve/serve_address.h"
#include "tidemill/app/serve/serve_token.h"
#include "tidemill/app/serve/served_site.h"
#include "tidemill/app/verbs.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/io/web/listener.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/signals.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::app {
namespace {

using command::ValueKind;

constexpr std::size_t kServeThreads = 4;

// Bodies are of no use here, but a request with one is told so (405), up to a limit.
web::ListenerOptions listener_options(const ServeAddress& address) {
  return {.address = address.listened,
          .threads = kServeThreads,
          .most_body = kib(64),
          .most_held = mib(8),
          .most_unsent = mib(16)};
}

// On a terminal the URL has the token in it. Elsewhere it may end in a log that others can read.
std::string where_text(const ServeAddress& address, std::uint16_t port, const std::string& token,
                       const std::string& token_file, bool is_terminal) {
  if (address.is_unix()) {
    return "Listening on " + text::printable(address.listened) + "; the token is in " +
           text::printable(token_file) + "\n";
  }
  const std::string url = "http://" + address.host + ":" + std::to_string(port) + "/";
  if (is_terminal) return url + "?token=" + token + "\n";
  return url + "; add ?token=TOKEN, which is in " + text::printable(token_file) + "\n";
}

}  // namespace

command::Verb describe_serve(const App& /*app*/) {
  return {.name = "serve",
          .summary = "show runs in a web browser",
          .usage = {"%program serve [--listen ADDRESS]"},
          .examples = {{"%program serve", "print a URL, and serve the pages until Ctrl-C"},
                       {"%program serve --listen 127.0.0.1:0", "use any free port"},
                       {"%program serve --listen unix:/run/user/1000/tidemill.sock",
                        "listen at a socket that only this user can open"}},
          .description =
              {"Shows the runs of the state folder and of their tasks, failures, plots and "
               "settings, in a browser. Pages of a run in progress follow it. Nothing can be "
               "changed there: pages show the commands to copy.",
               "It listens on this machine only. To read the pages from another one, use "
               "ssh -L 8585:127.0.0.1:8585 HOST and the same URL, or a reverse proxy with TLS.",
               "The URL that it prints contains a token: whoever has it can read the pages. It is "
               "stored in serve.token in the state folder; remove the file to get a new one at the "
               "next start. When standard output is not a terminal, the token is not printed.",
               "It ends with exit status 0 at Ctrl-C or SIGTERM."},
          .flags = {{.name = "listen",
                     .kind = ValueKind::text,
                     .metavar = "ADDRESS",
                     .help = "127.0.0.1:PORT, [::1]:PORT or unix:/PATH; port 0: any",
                     .fallback = "127.0.0.1:8585",
                     .is_basic = true}}};
}

Result<int> run_serve(cli::CliContext& cli, const App& app) {
  LET(const auto address, serve_address_of(cli.values.text("listen")));
  TRY(cli.state.make());
  const std::string token_file = cli.state.path() + "/serve.token";
  LET(const std::string token, serve_token_at(token_file));

  // Before the threads of the listener, which must not receive the signals.
  Guarded<bool> is_over(false);
  const auto nothing = [] {};
  const cli::Signals signals(
      {.on_stop = [&](int, bool) { is_over.update([](bool& over) { over = true; }); },
       .on_status = nothing,
       .before_pause = nothing,
       .after_pause = nothing});

  RunLister runs(cli.state, cli.clock);
  std::unique_ptr<ServedSite> site;
  std::uint16_t port = 0;
  // The gate needs the port, which is known when the listener has it: until then nobody is
  // answered.
  Guarded<bool> is_ready(false);
  LET(const auto listener,
      web::Listener::start(listener_options(address), [&](const web::Incoming& incoming) {
        is_ready.lock().wait([](bool ready) { return ready; });
        return site->answer(incoming);
      }));
  port = listener->port();
  site = std::make_unique<ServedSite>(
      ServeContext{.app = app, .program = cli.program, .clock = cli.clock, .runs = runs},
      AccessGate(token, port));
  is_ready.update([](bool& ready) { ready = true; });

  TRY(cli.console->out(where_text(address, port, token, token_file, cli.is_out_tty)));
  cli.console->say(command::Tone::plain, "Press Ctrl-C to end.");
  is_over.lock().wait([](bool over) { return over; });
  return cli::kDone;
}

}  // namespace tidemill::app
