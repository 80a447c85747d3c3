#include "tidemill/jobs/batch/batch_journal.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <ranges>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/batch/cut/payload.h"

namespace tidemill::batch {
namespace {

std::uint64_t take(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(std::min(text.size(), static_cast<std::size_t>(end - text.data()) + 1));
  return number;
}

}  // namespace

// "batches files tokens oversize first count=reason;count=reason;"
std::string text_of(const BatchTotals& totals) {
  std::string text;
  for (const std::uint64_t number :
       {totals.batches, totals.files, totals.tokens, totals.oversize, totals.first}) {
    text += std::to_string(number) + " ";
  }
  for (const auto& [reason, count] : totals.skipped) {
    text += std::to_string(count) + "=" + reason + ";";
  }
  return text;
}

BatchTotals totals_of(std::string_view text) {
  BatchTotals totals;
  if (text.empty()) return totals;
  for (std::uint64_t* const number :
       {&totals.batches, &totals.files, &totals.tokens, &totals.oversize, &totals.first}) {
    *number = take(text);
  }
  while (!text.empty()) {
    const std::uint64_t count = take(text);
    const std::size_t end = std::min(text.find(';'), text.size());
    std::string reason(text.substr(0, end));
    if (reason == "no regular file") reason = "not a regular file";  // as earlier versions wrote it
    totals.skipped[std::move(reason)] += count;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return totals;
}

void BatchJournal::append(const UnbatchedFile& row, std::vector<engine::Entry>& entries) {
  engine::TaskId task = 0;
  if (const auto known = revived_.find(text_of(row.at)); known != revived_.end()) {
    task = known->second;
  } else {
    task = next_id_++;
    entries.emplace_back(
        engine::Found{.id = task,
                      .type = std::string(row.is_folder ? kFindType : kFileType),
                      .subject = context_.roots.path(row.at.root, row.at.path, Paths::absolute)});
  }
  if (row.failure) {
    entries.emplace_back(
        engine::Died{.id = task, .failure = *row.failure, .at = context_.clock.wall()});
  } else if (row.is_folder) {
    entries.emplace_back(engine::Done{.id = task, .result = row.reason});
  } else {
    ++totals_.skipped[row.reason];
    entries.emplace_back(engine::Skipped{.id = task, .reason = row.reason});
  }
}

Sealed BatchJournal::seal(const Batch& batch, const Cursor& cursor,
                          std::vector<engine::Entry>& entries) {
  for (const Weighed& file : batch.files) {
    if (revived_.empty()) break;
    const auto known = revived_.find(text_of({.root = file.root, .path = file.path}));
    if (known == revived_.end()) continue;
    entries.emplace_back(engine::Done{.id = known->second, .result = batch.id});
  }
  const std::string payload =
      payload_of(batch, context_.roots, context_.paths, context_.has_contents);
  const std::string place = text_of(cursor);
  Sealed sealed{.task = next_id_++,
                .number = totals_.first + totals_.batches,
                .subject = subject_of({.id = batch.id,
                                       .cursor = place,
                                       .files = batch.files.size(),
                                       .tokens = batch.tokens,
                                       .payload = payload})};
  entries.emplace_back(engine::Found{.id = sealed.task,
                                     .type = std::string(kBatchType),
                                     .subject = sealed.subject,
                                     .weight = sealed.number});
  ++totals_.batches;
  totals_.files += batch.files.size();
  totals_.tokens += batch.tokens;
  totals_.oversize += batch.is_oversize ? 1 : 0;
  fill_.add(batch, context_.limits);
  return sealed;
}

Result<std::vector<Sealed>> BatchJournal::write(std::span<const BatchDraft> drafts) {
  std::vector<engine::Entry> entries;
  std::vector<Sealed> sealed;
  for (const BatchDraft& draft : drafts) {
    for (const UnbatchedFile& row : draft.rows) append(row, entries);
    if (draft.batch) sealed.push_back(seal(*draft.batch, draft.cursor, entries));
  }
  std::vector<journal::Note> notes = {{.key = "batch_totals", .value = text_of(totals_)}};
  if (!sealed.empty()) notes.push_back({.key = "batch_fill", .value = text_of(fill_)});
  if (!drafts.empty()) {
    notes.push_back({.key = "position", .value = text_of(drafts.back().cursor)});
  }
  if (!drafts.empty()) {
    if (const auto& again = drafts.back().again) {
      notes.push_back({.key = "batch_again", .value = text_of(*again)});
    }
  }
  TRY(context_.patience.retry_until_written(
      [&] { return context_.journal.commit(entries, notes); }));
  if (context_.console != nullptr && context_.console->wants_items()) tell(drafts);
  return sealed;
}

void BatchJournal::tell(std::span<const BatchDraft> drafts) const {
  for (const BatchDraft& draft : drafts) {
    for (const UnbatchedFile& row : draft.rows) tell(row);
    if (draft.batch) tell(*draft.batch);
  }
}

void BatchJournal::tell(const UnbatchedFile& row) const {
  if (!row.failure && row.is_folder) return;  // a retried folder that could be read
  context_.console->settled(
      {.name = context_.roots.path(row.at.root, row.at.path, context_.paths),
       .state = row.failure ? command::ItemState::failed : command::ItemState::bad,
       .details = {row.failure ? tidemill::text_of(*row.failure) : row.reason}});
}

void BatchJournal::tell(const Batch& batch) const {
  constexpr std::size_t kMostNames = 100;
  command::SettledItem item{.name = batch.id};
  item.details.push_back(text::counted(batch.files.size(), "file") + ", " +
                         text::counted(batch.tokens, "token") +
                         (batch.is_oversize ? ": above --max-tokens" : ""));
  for (const Weighed& file : batch.files | std::views::take(kMostNames)) {
    item.details.push_back(context_.roots.path(file.root, file.path, context_.paths));
  }
  if (batch.files.size() > kMostNames) {
    item.details.push_back("and " + text::count_text(batch.files.size() - kMostNames) + " more");
  }
  context_.console->settled(std::move(item));
}

Result<void> BatchJournal::note_end() {
  const std::vector<journal::Note> notes = {{.key = "found_all", .value = "1"}};
  return context_.patience.retry_until_written([&] { return context_.journal.commit({}, notes); });
}

}  // namespace tidemill::batch
