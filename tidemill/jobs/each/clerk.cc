#include "tidemill/jobs/each/clerk.h"

#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/jobs/each/output/output.h"

namespace tidemill::each {
namespace {

constexpr std::size_t kTailBytes = 2'048;  // of a failed command's output, kept with its letter

using engine::Checkpointed;
using engine::Died;
using engine::Done;
using engine::Entry;

// What a person wants to see first of a command that failed.
std::string last_words(const proc::Finished& finished) {
  const bool has_errors = finished.err.total > 0;
  return tail_of(has_errors ? finished.err : finished.out, kTailBytes);
}

void add_entries(const EachPipeline::Item& item, WallTime now, std::vector<Entry>& entries) {
  if (const Ran* ran = item.done()) {
    entries.emplace_back(Done{.id = item.id, .attempts = item.attempts, .result = ran->result});
    return;
  }
  if (std::string words = last_words(item.item.last); !words.empty()) {
    entries.emplace_back(Checkpointed{
        .id = item.id, .checkpoint = {.last_step = "output", .data = std::move(words)}});
  }
  entries.emplace_back(
      Died{.id = item.id, .attempts = item.attempts, .failure = *item.failed(), .at = now});
}

}  // namespace

Result<void> Clerk::settle(std::span<EachPipeline::Item> batch) {
  std::vector<Entry> entries;
  entries.reserve(batch.size());
  const WallTime now = clock_.wall();
  for (const auto& item : batch) add_entries(item, now, entries);
  for (auto& item : batch) TRY(printer_.print(std::move(item)));
  TRY(patience_.insist([&] { return printer_.sync(); }));
  TRY(patience_.insist([&] { return journal_.commit(entries); }));
  settled_.add(batch.size());
  return {};
}

}  // namespace tidemill::each
