#include "tidemill/jobs/batch/ledger.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/batch/payload.h"

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
std::string text_of(const Totals& totals) {
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

Totals totals_of(std::string_view text) {
  Totals totals;
  if (text.empty()) return totals;
  for (std::uint64_t* const number :
       {&totals.batches, &totals.files, &totals.tokens, &totals.oversize, &totals.first}) {
    *number = take(text);
  }
  while (!text.empty()) {
    const std::uint64_t count = take(text);
    const std::size_t end = std::min(text.find(';'), text.size());
    totals.skipped.insert_or_assign(std::string(text.substr(0, end)), count);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return totals;
}

void Ledger::append(PassedOver& row, std::vector<engine::Entry>& entries) {
  engine::TaskId task = 0;
  if (const auto known = revived_.find(text_of(row.at)); known != revived_.end()) {
    task = known->second;
  } else {
    task = next_id_++;
    entries.emplace_back(
        engine::Found{.id = task,
                      .type = std::string(row.is_folder ? kFindType : kFileType),
                      .subject = parts_.roots.path(row.at.root, row.at.path, Paths::absolute)});
  }
  if (row.failure) {
    entries.emplace_back(
        engine::Died{.id = task, .failure = std::move(*row.failure), .at = parts_.clock.wall()});
  } else if (row.is_folder) {
    entries.emplace_back(engine::Done{.id = task, .result = std::move(row.reason)});
  } else {
    ++totals_.skipped[row.reason];
    entries.emplace_back(engine::Skipped{.id = task, .reason = std::move(row.reason)});
  }
}

Sealed Ledger::seal(const Batch& batch, const Cursor& cursor, std::vector<engine::Entry>& entries) {
  for (const Weighed& file : batch.files) {
    if (revived_.empty()) break;
    const auto known = revived_.find(text_of({.root = file.root, .path = file.path}));
    if (known == revived_.end()) continue;
    entries.emplace_back(engine::Done{.id = known->second, .result = batch.id});
  }
  const std::string payload = payload_of(batch, parts_.roots, parts_.paths, parts_.has_contents);
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
  return sealed;
}

Result<std::vector<Sealed>> Ledger::write(std::span<Draft> drafts) {
  std::vector<engine::Entry> entries;
  std::vector<Sealed> sealed;
  for (Draft& draft : drafts) {
    for (PassedOver& row : draft.rows) append(row, entries);
    if (draft.batch) sealed.push_back(seal(*draft.batch, draft.cursor, entries));
  }
  std::vector<durable::Note> notes = {{.key = "batch_totals", .value = text_of(totals_)}};
  if (!drafts.empty()) {
    notes.push_back({.key = "position", .value = text_of(drafts.back().cursor)});
  }
  if (!drafts.empty()) {
    if (const auto& again = drafts.back().again) {
      notes.push_back({.key = "batch_again", .value = text_of(*again)});
    }
  }
  TRY(parts_.patience.insist([&] { return parts_.journal.commit(entries, notes); }));
  return sealed;
}

Result<void> Ledger::note_end() {
  const std::vector<durable::Note> notes = {{.key = "found_all", .value = "1"}};
  return parts_.patience.insist([&] { return parts_.journal.commit({}, notes); });
}

}  // namespace tidemill::batch
