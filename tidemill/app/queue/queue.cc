#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/queue/text.h"
#include "tidemill/app/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/state/queue/view.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/redis_flags/advice.h"
#include "tidemill/ui/redis_flags/flags.h"
#include "tidemill/ui/redis_flags/place.h"

namespace tidemill::app {
namespace {

using command::Tone;
using command::ValueKind;
using queue::DeadBatch;
using queue::QueueView;

constexpr std::size_t kPage = 100;

// Visits every dead batch, a page at a time. The visitor may remove it.
template <class Visit>
Result<void> each_dead(QueueView& view, const std::stop_token& stop, const Visit& visit) {
  std::string after;
  while (true) {
    LET(const auto page, view.dead(after, kPage, stop));
    for (const DeadBatch& dead : page) TRY(visit(dead));
    if (page.size() < kPage) return {};
    after = page.back().entry;
  }
}

// Indistinguishable from a stream that does not exist: a producer creates a group before its first
// batch.
bool is_blank(const queue::QueueStanding& standing) {
  return standing.depth == 0 && standing.dead == 0 && standing.groups.empty() &&
         standing.holder.empty();
}

Result<int> show(QueueView& view, cli::CliContext& cli, const std::stop_token& stop) {
  LET(const auto standing, view.standing(stop));
  const std::string& stream = cli.values.argument("STREAM").front();
  if (cli.values.is_on("json")) {
    TRY(cli.console->out(json_of(standing, stream)));
  } else {
    TRY(cli.console->out(text_of(standing, cli::columns_of(1))));
  }
  if (is_blank(standing)) {
    cli.console->say(Tone::warning, "No batches, groups or lease in the stream " +
                                        command::in_quotes(stream) +
                                        ".\n"
                                        "  hint: check the name; BullMQ queues are not shown here");
  }
  return cli::kDone;
}

Result<int> list(QueueView& view, cli::CliContext& cli, const std::stop_token& stop) {
  std::vector<DeadBatch> page;
  bool is_first = true;
  const auto flush = [&]() -> Result<void> {
    if (page.empty()) return {};
    const auto width = cli::columns_of(1);
    TRY(cli.console->out(table_of(page, std::exchange(is_first, false), width)));
    page.clear();
    return {};
  };
  TRY(each_dead(view, stop, [&](const DeadBatch& dead) -> Result<void> {
    if (cli.values.is_on("json")) return cli.console->out(json_of(dead));
    page.push_back(dead);
    return page.size() < kPage ? Result<void>() : flush();
  }));
  TRY(flush());
  if (is_first && !cli.values.is_on("json")) {
    cli.console->say(Tone::plain, "No dead batches.");
  }
  return cli::kDone;
}

// Retries or drops all dead batches or some.
Result<int> act(QueueView& view, bool is_retry, cli::CliContext& cli, const std::stop_token& stop) {
  const auto& entries = cli.values.argument("ENTRY");
  const bool is_all = cli.values.is_on("all");
  std::uint64_t done = 0;
  std::uint64_t gone = 0;
  const auto one = [&](const std::string& entry) -> Result<void> {
    LET(const bool was_there, is_retry ? view.retry(entry, stop) : view.drop(entry, stop));
    ++(was_there ? done : gone);
    return {};
  };
  if (is_all) {
    TRY(each_dead(view, stop, [&](const DeadBatch& dead) { return one(dead.entry); }));
  }
  for (const std::string& entry : entries) TRY(one(entry));
  std::string text = (is_retry ? "Put back into the queue: " : "Dropped: ") +
                     text::counted(done, "batch", "batches");
  if (gone > 0) text += "; not found: " + text::count_text(gone);
  cli.console->say(gone > 0 ? Tone::warning : Tone::good, text + ".");
  return gone > 0 ? cli::kSomeFailed : cli::kDone;
}

std::unexpected<Failure> unknown_action(const std::string& typed) {
  static const std::array<std::string, 4> kActions = {"show", "dead", "retry", "drop"};
  return command::misuse(
      "unknown action " + command::in_quotes(typed),
      command::did_you_mean(command::nearest(typed, kActions)) + "use show, dead, retry or drop");
}

// Checks the command line before connecting.
Result<void> check(const command::Values& values, const std::string& action) {
  const bool is_act = action == "retry" || action == "drop";
  if (!is_act && action != "show" && action != "dead") return unknown_action(action);
  const bool has_entries = !values.argument("ENTRY").empty();
  const bool is_all = values.is_on("all");
  if (is_act && has_entries == is_all) {
    return command::misuse(has_entries ? "--all cannot be used with entries" : "no entries given",
                           "name entries as `dead` lists them, or use --all");
  }
  if (!is_act && (has_entries || is_all)) {
    return command::misuse("entries and --all can only be used with retry and drop",
                           "remove them, or use retry or drop");
  }
  return {};
}

Result<int> carry_out(const std::string& action, QueueView& view, cli::CliContext& cli,
                      const std::stop_token& stop) {
  if (action == "show") return show(view, cli, stop);
  if (action == "dead") return list(view, cli, stop);
  return act(view, action == "retry", cli, stop);
}

}  // namespace

command::Verb describe_queue() {
  command::Verb verb{
      .name = "queue",
      .summary = "show a stream of batches and its dead letters",
      .usage = {"tidemill queue URL STREAM [show|dead] [OPTIONS]",
                "tidemill queue URL STREAM retry|drop ENTRY...|--all [OPTIONS]"},
      .examples = {{"tidemill queue redis://127.0.0.1 files", "show depth, age and workers"},
                   {"tidemill queue redis://127.0.0.1 files dead",
                    "list the batches that failed, with the reason"},
                   {"tidemill queue redis://127.0.0.1 files retry --all", "retry all of them"}},
      .description =
          {"show: the number of batches in the stream, the age of the oldest, what each worker has "
           "in progress and for how long, and who holds the lease. dead: batches that "
           "failed for good, with the reason.",
           "retry: put dead batches back into the stream, also while a producer is running. drop: "
           "delete them.",
           "URL has the same form as in `tidemill batch --redis`; - means REDIS_URL. The password "
           "comes from --password-file, TIDEMILL_REDIS_PASSWORD or REDIS_URL, never from the "
           "command line."},
      .arguments = {{.name = "URL",
                     .help = "URL of the Redis server, or - for REDIS_URL",
                     .kind = ValueKind::text,
                     .is_required = true},
                    {.name = "STREAM",
                     .help = "key of the stream",
                     .kind = ValueKind::text,
                     .is_required = true},
                    {.name = "ACTION",
                     .help = "show, dead, retry or drop",
                     .kind = ValueKind::text},
                    {.name = "ENTRY",
                     .help = "entries as listed by dead",
                     .kind = ValueKind::text,
                     .is_list = true}},
      .flags = {{.name = "all",
                 .help = "retry or drop all dead batches",
                 .is_configurable = false,
                 .is_basic = true},
                {.name = "json",
                 .help = "print JSON; with dead, one object per line",
                 .is_configurable = false,
                 .is_basic = true}}};
  const auto entry = redis_flags::flags("");
  verb.flags.insert(verb.flags.begin() + 1, entry.begin(), entry.end());  // after --all
  return verb;
}

Result<int> run_queue(cli::CliContext& cli) {
  const command::Values& values = cli.values;
  const auto& actions = values.argument("ACTION");
  const std::string action = actions.empty() ? "show" : actions.front();
  TRY(check(values, action));
  const std::string url = values.argument("URL").front();
  const std::string stream = values.argument("STREAM").front();
  const cli::SignalScope signal_scope(cli);
  const std::stop_token stop = signal_scope.signals.stop();
  LET(const auto address,
      redis_flags::redis_address(url == "-" ? "" : url, values.text("password-file")));
  queue::ViewOptions options{.client = {.address = address}, .stream = stream};
  options.client.tls = {.authorities = values.text("tls-ca"),
                        .certificate = values.text("tls-cert"),
                        .key = values.text("tls-key")};
  options.client.name = "tidemill-queue";
  LET(auto view, QueueView::open(std::move(options), cli.clock));
  auto code = carry_out(action, view, cli, stop);
  if (code) return code;
  if (signal_scope.signals.first() != 0) return cli::exit_code_of(signal_scope.signals.first());
  return std::unexpected(redis_flags::with_advice(std::move(code).error(), address, stream));
}

}  // namespace tidemill::app
