#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/doctor/gather.h"
#include "tidemill/app/doctor/judge.h"
#include "tidemill/app/doctor/text.h"
#include "tidemill/app/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/jobs/books/judge/epubcheck.h"
#include "tidemill/state/fleet/fleet_key.h"
#include "tidemill/state/fleet/keys.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/share_folder.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/config/config.h"
#include "tidemill/ui/redis_flags/flags.h"
#include "tidemill/ui/redis_flags/fleet_flags.h"
#include "tidemill/ui/redis_flags/place.h"
#include "tidemill/ui/term/screen/canvas.h"

namespace tidemill::app {
namespace {

using command::Tone;
using command::ValueKind;

// A server that takes longer to reply is too slow to be useful.
constexpr std::chrono::milliseconds kPatience{2'000};

ScreenFacts gather_screen(const cli::CliContext& cli) {
  ScreenFacts facts{.is_out_tty = cli.is_out_tty,
                    .is_err_tty = term::is_tty(2),
                    .has_colour = cli.is_out_tty ? cli.has_colour_out : cli.has_colour_err,
                    .size = term::size_of(cli.is_out_tty ? 1 : 2),
                    .term = cli::variable("TERM").value_or("")};
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    facts.locale = cli::variable(name).value_or("");
    if (!facts.locale.empty()) break;
  }
  if (!facts.is_out_tty && !facts.is_err_tty) return facts;
  if (auto can = term::FullScreenCanvas::check({.term = facts.term}); !can) {
    facts.no_screen = can.error().reason;
  }
  return facts;
}

PartFacts gather_parts() {
  PartFacts facts{.tables = cli::token_tables()};
  for (const char* name : {"o200k_base.tokens", "cl100k_base.tokens"}) {
    if (::access((facts.tables + "/" + name).c_str(), R_OK) != 0) facts.missing.emplace_back(name);
  }
  auto place = books::find_epubcheck("", cli::share_folder());
  if (place) {
    facts.epubcheck = place->class_path.substr(0, place->class_path.find(':'));
  } else {
    facts.epubcheck = std::unexpected(std::move(place).error());
  }
  return facts;
}

ConfigFacts gather_config(const command::Program& program) {
  ConfigFacts facts{.looked = command::config_paths(
                        program, [](const std::string& name) { return cli::variable(name); })};
  std::ranges::copy_if(facts.looked, std::back_inserter(facts.found),
                       [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; });
  return facts;
}

// nullopt: no fleet was given. Whether its key can be used is a finding.
Result<std::optional<FleetFacts>> gather_named_fleet(const cli::CliContext& cli) {
  const std::string typed = cli.values.text("fleet");
  if (typed.empty()) return std::nullopt;
  LET(std::string name, redis_flags::fleet_name(typed));
  FleetFacts facts{
      .name = std::move(name),
      .key = {.path = redis_flags::key_file(cli), .is_named = cli.values.has("fleet-key")}};
  if (facts.key.path.empty()) {
    facts.key.problem = Failure{.kind = FailureKind::not_found, .reason = "HOME is not set"};
  } else if (const auto key = fleet::FleetKey::read(facts.key.path); !key) {
    facts.key.problem = key.error();
  }
  return facts;
}

// Nothing if no server was given. An invalid URL on the command line is a failure; one in the
// environment is a finding, because it may be meant for other programs.
Result<void> gather_server(const cli::CliContext& cli, const std::stop_token& stop,
                           MachineFacts& facts) {
  const command::Values& values = cli.values;
  const std::string url = values.text("redis");
  const bool is_named = !url.empty() || !cli::variable("REDIS_URL").value_or("").empty();
  if (!is_named && !facts.fleet) return {};
  const std::string password_file = values.text("password-file");
  auto address = redis_flags::redis_address(url, password_file);
  const bool is_typed = !url.empty() || !password_file.empty();
  if (!address && is_typed) return std::unexpected(std::move(address).error());
  if (!address) {
    facts.redis = RedisFacts{.problem = std::move(address).error()};
    return {};
  }
  redis::ClientOptions options{.address = *std::move(address),
                               .tls = {.authorities = values.text("tls-ca"),
                                       .certificate = values.text("tls-cert"),
                                       .key = values.text("tls-key")},
                               .name = "tidemill-doctor",
                               .timeout = kPatience};
  if (facts.fleet) options.home = fleet::FleetKeys(facts.fleet->name).runs;
  facts.redis = gather_redis(options, cli.clock, stop);
  if (!facts.fleet || facts.redis->problem) return {};
  gather_fleet(std::move(options), cli.clock, stop, *facts.fleet);
  const auto& rights = facts.fleet->rights;
  if (rights && *rights && facts.redis->version.empty()) facts.redis->version = (*rights)->version;
  return {};
}

}  // namespace

command::Verb describe_doctor() {
  std::vector<command::Flag> flags = {
      {.name = "json", .help = "print one JSON object", .is_configurable = false, .is_basic = true},
      {.name = "redis",
       .kind = ValueKind::text,
       .metavar = "URL",
       .help = "Redis server to check, as for batch",
       .fallback_text = "$REDIS_URL, or none",
       .group = "Redis",
       .is_basic = true}};
  std::ranges::move(redis_flags::flags("Redis"), std::back_inserter(flags));
  flags.push_back({.name = "fleet",
                   .kind = ValueKind::text,
                   .metavar = "redis:NAME",
                   .help = "check what this fleet needs, on that server or the local one",
                   .is_configurable = false,
                   .group = "Redis",
                   .is_basic = true});
  flags.push_back(redis_flags::fleet_key_flag("Redis"));
  return {.name = "doctor",
          .summary = "check this machine for problems that affect runs",
          .usage = {"tidemill doctor [OPTIONS]"},
          .examples = {{"tidemill doctor", "check this machine, user and terminal"},
                       {"tidemill doctor --redis redis://127.0.0.1",
                        "also check a Redis server for batch"},
                       {"tidemill doctor --fleet redis:films --redis redis://10.0.0.5",
                        "check what this host needs to coordinate a fleet, or to work for it"},
                       {"tidemill doctor --json | jq .status", "print the overall status"}},
          .description =
              {"Checks the state folder and its file system (permissions, time of a sync, free "
               "space), the limits of the system (open files, processes, file size, memory), the "
               "sandbox of books, the files installed with the program, the terminal, unfinished "
               "runs, and a Redis server if you name one (without a password in the URL). Each "
               "problem comes with what to do.",
               "With --fleet also what the user of Redis may do, the clock, and the key of the "
               "fleet. Nothing is written to Redis.",
               "STATUS is ok, note (good to know), warning (works, but slowly, or data may be "
               "lost) or error (something will fail). doctor changes nothing: it writes a small "
               "file to the state folder and to the temporary folder, and removes it.",
               "The exit status is 0 if there are no errors, and 1 otherwise."},
          .flags = std::move(flags)};
}

Result<int> run_doctor(cli::CliContext& cli) {
  MachineFacts facts;
  facts.sandbox = gather_sandbox();  // before there is a second thread
  const cli::SignalScope signal_scope(cli);
  LET(facts.fleet, gather_named_fleet(cli));
  TRY(gather_server(cli, signal_scope.signals.stop(), facts));
  facts.limits = gather_limits();
  facts.memory = gather_memory();
  facts.state = gather_state(cli.state, facts.limits.file_size, cli.clock);
  facts.temporary = gather_temporary(facts.limits.file_size);
  facts.screen = gather_screen(cli);
  facts.parts = gather_parts();
  facts.config = gather_config(cli.program);
  facts.runs = gather_runs(cli.state, facts.limits.file_size, cli.clock);
  if (signal_scope.signals.first() != 0) return cli::exit_code_of(signal_scope.signals.first());
  const std::vector<DoctorFinding> findings = judge(facts);
  const bool has_errors = level_of(findings) == CheckLevel::error;
  if (cli.values.is_on("json")) {
    TRY(cli.console->out(json_of(findings)));
    return has_errors ? cli::kFailed : cli::kDone;
  }
  const auto width = cli::columns_of(1);
  TRY(cli.console->out(text_of(findings, width, cli.has_colour_out)));
  const bool is_bad = level_of(findings) >= CheckLevel::warning;
  cli.console->say(is_bad ? Tone::warning : Tone::good, "doctor: " + summary_of(findings));
  return has_errors ? cli::kFailed : cli::kDone;
}

}  // namespace tidemill::app
