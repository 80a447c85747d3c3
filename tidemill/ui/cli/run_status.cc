#include "tidemill/ui/cli/run_status.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/state/run/command_record.h"
#include "tidemill/ui/cli/run_text.h"

namespace tidemill::cli {

namespace {

// The size of a new journal until its first commit is moved there from the write-ahead log.
constexpr std::uintmax_t kFirstPage = 4'096;  // the page size of journal::JournalOptions

// The process holds the lock and has not committed the card yet, which is its first commit.
bool is_new(const run::RunFolder& folder) {
  const auto holder = run::is_held(folder.lock());
  if (!holder || !*holder) return false;
  const auto journal =
      journal::SqliteJournal::open({.path = folder.journal(), .access = journal::Access::read});
  if (journal) return !(*journal)->note("job").value_or("").has_value();
  std::error_code error;
  const auto size = std::filesystem::file_size(folder.journal(), error);
  return error || size <= kFirstPage;
}

std::unexpected<Failure> still_starting(const run::RunFolder& folder) {
  return std::unexpected(Failure{.cure = Cure::retry,
                                 .kind = FailureKind::held,
                                 .step = folder.id(),
                                 .reason = "the run is still starting",
                                 .hint = "try again in a moment"});
}

}  // namespace

bool RunStatus::is_starting() const { return state == kStarting; }

bool RunStatus::has_work_left() const {
  if (!has_journal) return card.ending != run::kComplete;
  return tally.pending() > 0 || !card.has_found_all;
}

bool RunStatus::is_settled() const {
  const bool is_over = state == run::kComplete || state == kUndone;
  return !problem && !holder && is_over && tally.dead() == 0;
}

bool RunStatus::has_done_something() const {
  return !problem && state != kUndone && tally.done() > 0;
}

Result<void> demand_journal(const run::RunFolder& folder, std::string_view lack) {
  if (!folder.is_record()) return {};
  LET(const auto card, run::card_of_record(folder));
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .step = folder.id(),
              .reason = "a run of " + card.job + " has no journal and no " + std::string(lack),
              .hint = "run the command again with " + folder.program() + " resume " + folder.id()});
}

Result<run::RunCard> card_in(const run::RunFolder& folder) {
  if (folder.is_record()) return run::card_of_record(folder);
  LET(const auto journal, open_to_read(folder));
  auto card = run::card_of(*journal);
  if (!card && is_new(folder)) return still_starting(folder);
  return card;
}

Result<std::unique_ptr<journal::SqliteJournal>> open_to_read(const run::RunFolder& folder) {
  TRY(demand_journal(folder, "tasks"));
  auto journal =
      journal::SqliteJournal::open({.path = folder.journal(), .access = journal::Access::read});
  if (!journal && is_new(folder)) return still_starting(folder);
  return journal;
}

Result<RunStatus> run_status_at(const run::RunFolder& folder,
                                const journal::SqliteJournal& journal) {
  RunStatus run_status{.folder = folder};
  LET(run_status.card, run::card_of(journal));
  LET(run_status.holder, run::is_held(folder.lock()));
  if (run_status.card.ending == run::kRunning && !run_status.holder) {
    LET(run_status.card, run::card_of(journal));  // the run may have ended between the two reads
  }
  LET(run_status.tally, journal.tally());
  run_status.state =
      state_of(run_status.card.ending, run_status.holder.has_value(), run_status.has_work_left());
  return run_status;
}

namespace {

Result<RunStatus> run_status_at_record(const run::RunFolder& folder) {
  RunStatus run_status{.folder = folder, .has_journal = false};
  LET(run_status.holder, run::is_held(folder.lock()));
  LET(run_status.card, run::card_of_record(folder));  // after the lock: sees an end in between
  run_status.state =
      state_of(run_status.card.ending, run_status.holder.has_value(), run_status.has_work_left());
  return run_status;
}

}  // namespace

RunStatus run_status_at(const run::RunFolder& folder) {
  auto seen = [&]() -> Result<RunStatus> {
    if (folder.is_record()) return run_status_at_record(folder);
    LET(const auto journal, open_to_read(folder));
    return run_status_at(folder, *journal);
  }();
  if (seen) return *std::move(seen);
  RunStatus run_status{.folder = folder,
                       .state = std::string(is_new(folder) ? kStarting : kUnreadable),
                       .problem = std::move(seen).error()};
  if (auto holder = run::is_held(folder.lock())) run_status.holder = *std::move(holder);
  return run_status;
}

void write_members(const RunStatus& run_status, text::JsonWriter& json) {
  json.key("run").value(run_status.folder.id()).bytes("state", run_status.state);
  if (run_status.holder && run_status.holder->process > 0)
    json.key("pid").value(run_status.holder->process);
  if (run_status.is_starting()) return;
  if (run_status.problem) {
    json.bytes("problem", text_of(*run_status.problem));
    return;
  }
  json.bytes("job", run_status.card.job).bytes("version", run_status.card.version);
  json.key("journal").value(run_status.has_journal);
  if (run_status.has_journal) {
    const engine::Tally& tally = run_status.tally;
    json.key("found").value(tally.found()).key("done").value(tally.done());
    json.key("skipped").value(tally.skipped()).key("failed").value(tally.failed());
    json.key("retryable").value(tally.dead()).key("dropped").value(tally.abandoned());
    json.key("pending").value(tally.pending()).key("foundAll").value(run_status.card.has_found_all);
  }
  json.key("started").value(rfc3339(run_status.card.started));
  if (run_status.card.ended) json.key("ended").value(rfc3339(*run_status.card.ended));
  if (!run_status.card.cause.empty()) json.bytes("cause", run_status.card.cause);
  std::vector<std::string> words = {run_status.folder.program(), run_status.card.job};
  std::ranges::copy(run_status.card.arguments, std::back_inserter(words));
  json.key("command").value(text::shell_line(words)).bytes("directory", run_status.card.directory);
}

}  // namespace tidemill::cli
