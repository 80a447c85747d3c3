#include "tidemill/ui/cli/glance.h"

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

// So large is the file of a new journal before its first commit is moved there from the log.
constexpr std::uintmax_t kFirstPage = 4'096;  // as journal::JournalOptions has it

// Its process has the lock, and has not committed the card yet, which is its first commit.
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

bool Glance::is_starting() const { return state == kStarting; }

bool Glance::has_work_left() const {
  if (!has_journal) return card.ending != run::kComplete;
  return tally.pending() > 0 || !card.has_found_all;
}

bool Glance::is_settled() const {
  const bool is_over = state == run::kComplete || state == kUndone;
  return !problem && !holder && is_over && tally.dead() == 0;
}

bool Glance::has_done_something() const { return !problem && state != kUndone && tally.done() > 0; }

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

Result<Glance> glance_at(const run::RunFolder& folder, const journal::SqliteJournal& journal) {
  Glance glance{.folder = folder};
  LET(glance.card, run::card_of(journal));
  LET(glance.holder, run::is_held(folder.lock()));
  if (glance.card.ending == run::kRunning && !glance.holder) {
    LET(glance.card, run::card_of(journal));  // it may have ended between the two looks
  }
  LET(glance.tally, journal.tally());
  glance.state = state_of(glance.card.ending, glance.holder.has_value(), glance.has_work_left());
  return glance;
}

namespace {

Result<Glance> glance_at_record(const run::RunFolder& folder) {
  Glance glance{.folder = folder, .has_journal = false};
  LET(glance.holder, run::is_held(folder.lock()));
  LET(glance.card, run::card_of_record(folder));  // later: an end between the two shows
  glance.state = state_of(glance.card.ending, glance.holder.has_value(), glance.has_work_left());
  return glance;
}

}  // namespace

Glance glance_at(const run::RunFolder& folder) {
  auto seen = [&]() -> Result<Glance> {
    if (folder.is_record()) return glance_at_record(folder);
    LET(const auto journal, open_to_read(folder));
    return glance_at(folder, *journal);
  }();
  if (seen) return *std::move(seen);
  Glance glance{.folder = folder,
                .state = std::string(is_new(folder) ? kStarting : kUnreadable),
                .problem = std::move(seen).error()};
  if (auto holder = run::is_held(folder.lock())) glance.holder = *std::move(holder);
  return glance;
}

void write_members(const Glance& glance, text::JsonWriter& json) {
  json.key("run").value(glance.folder.id()).bytes("state", glance.state);
  if (glance.holder && glance.holder->process > 0) json.key("pid").value(glance.holder->process);
  if (glance.is_starting()) return;
  if (glance.problem) {
    json.bytes("problem", text_of(*glance.problem));
    return;
  }
  json.bytes("job", glance.card.job).bytes("version", glance.card.version);
  json.key("journal").value(glance.has_journal);
  if (glance.has_journal) {
    const engine::Tally& tally = glance.tally;
    json.key("found").value(tally.found()).key("done").value(tally.done());
    json.key("skipped").value(tally.skipped()).key("failed").value(tally.failed());
    json.key("retryable").value(tally.dead()).key("dropped").value(tally.abandoned());
    json.key("pending").value(tally.pending()).key("foundAll").value(glance.card.has_found_all);
  }
  json.key("started").value(rfc3339(glance.card.started));
  if (glance.card.ended) json.key("ended").value(rfc3339(*glance.card.ended));
  if (!glance.card.cause.empty()) json.bytes("cause", glance.card.cause);
  std::vector<std::string> words = {glance.folder.program(), glance.card.job};
  std::ranges::copy(glance.card.arguments, std::back_inserter(words));
  json.key("command").value(text::shell_line(words)).bytes("directory", glance.card.directory);
}

}  // namespace tidemill::cli
