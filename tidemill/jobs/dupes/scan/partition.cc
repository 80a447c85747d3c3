#include "tidemill/jobs/dupes/scan/partition.h"

#include <algorithm>
#include <span>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/hash/reader.h"
#include "tidemill/jobs/dupes/scan/digester.h"
#include "tidemill/jobs/dupes/scan/verifier.h"

namespace tidemill::dupes {

// With between_roots, a size that occurs under one root only is not a candidate.
CandidateRules Partition::rules() const {
  CandidateRules rules{.least_size = context_.options.least_size,
                       .may_repeat = context_.may_repeat};
  if (!context_.options.between_roots) return rules;
  rules.is_of_interest = [this](std::span<const FileIndex> files) {
    const auto root_of = [&](FileIndex file) {
      return context_.tree.root(table_.record(file).folder);
    };
    return std::ranges::any_of(files, [&](FileIndex file) {
      return root_of(file) != root_of(files.front()) || table_.record(file).links > 1;
    });
  };
  return rules;
}

void Partition::choose_candidates() { candidates_ = find_candidates(table_, rules()); }

void Partition::count_candidates() {
  context_.totals.candidates += candidates_.files.size();
  for (const FileIndex file : candidates_.files) {
    if (table_.record(file).has(kWhole)) ++context_.totals.remembered;
  }
}

std::uint64_t Partition::bytes_of(std::span<const FileIndex> files) const {
  std::uint64_t bytes = 0;
  for (const FileIndex file : files) bytes += table_.record(file).size;
  return bytes;
}

Result<void> Partition::read(bool is_first_look) {
  Digester digester({.table = table_,
                     .tree = context_.tree,
                     .failures = context_.failures,
                     .keys = context_.keys,
                     .scan = context_.scan,
                     .clock = context_.context.clock,
                     .threads = context_.options.threads,
                     .takes_all = context_.options.hash_all});
  // A large file may have to be read twice: at its ends, and then completely.
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  for (const FileIndex file : candidates_.files) {
    const FileRecord& record = table_.record(file);
    if (record.has(kWhole) || record.has(kForeign)) continue;
    const bool is_large = record.size > hash::FileReader::kSmall;
    files += is_large ? 2 : 1;
    bytes += record.size + (is_large ? 2 * hash::FileReader::kEdge : 0);
  }
  context_.watch.follow(digester, files, bytes);
  auto done = digester.first(context_.context.stop);
  if (done && !is_first_look) {
    const auto alike = still_alike(table_, candidates_);
    context_.watch.correct(alike.size(), bytes_of(alike));
    done = digester.whole(alike, context_.context.stop);
  }
  context_.totals.bytes_read += digester.counts().read;
  context_.totals.gone += digester.counts().gone;
  context_.watch.leave();
  return done;
}

Result<void> Partition::find() {
  TRY(read(false));
  built_ = build_groups(table_, candidates_);
  if (!context_.options.verify) return {};
  LET(auto verified, verify({.table = table_,
                             .tree = context_.tree,
                             .failures = context_.failures,
                             .threads = context_.options.threads},
                            built_, context_.context.stop));
  built_ = std::move(verified.groups);
  context_.totals.bytes_read += verified.bytes_read;
  return {};
}

Result<void> Partition::look(const std::function<bool(const FileRecord&)>& is_wanted) {
  candidates_ = find_candidates(table_, {.may_repeat = context_.may_repeat});
  candidates_.files.clear();
  for (std::size_t i = 0; i < table_.end(); ++i) {
    const auto file = static_cast<FileIndex>(i);
    FileRecord& record = table_.record(file);
    record.clear(kWanted);
    if (!record.has(kUsed) || record.has(kLinked) || !is_wanted(record)) continue;
    record.set(kWanted);
    candidates_.files.push_back(file);
  }
  count_candidates();
  return read(true);
}

}  // namespace tidemill::dupes
