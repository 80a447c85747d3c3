#include "tidemill/jobs/dupes/scan/candidates.h"

#include <algorithm>
#include <tuple>

namespace tidemill::dupes {
namespace {

// 12 bytes, because there is one for each file.
struct [[gnu::packed]] Sized {
  std::uint64_t size = 0;
  FileIndex file = 0;
};

// By size, largest first; files of one size in the order of the table.
std::vector<Sized> by_size(FileTable& table) {
  std::vector<Sized> all;
  all.reserve(table.end());
  table.each([&](FileIndex file, const FileRecord& record) {
    all.push_back({.size = record.size, .file = file});
  });
  std::ranges::sort(all, [](const Sized& a, const Sized& b) {
    return a.size != b.size ? a.size > b.size : a.file < b.file;
  });
  return all;
}

// A name whose hash is known represents the others, so that no file is read for a second name.
void join_names(FileTable& table, std::vector<FileIndex>& run, Candidates& found) {
  const auto inode_of = [&](FileIndex file) {
    const FileRecord& record = table.record(file);
    return std::tuple(record.device, record.inode, record.has(kViaLink), !record.has(kWhole),
                      !record.has(kEdges), file);
  };
  std::ranges::sort(run, {}, inode_of);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const FileRecord& record = table.record(run[i]);
    if (kept > 0) {
      const FileRecord& last = table.record(run[kept - 1]);
      if (last.device == record.device && last.inode == record.inode) {
        found.names.emplace_back(run[kept - 1], run[i]);
        table.record(run[i]).set(kLinked);
        continue;
      }
    }
    run[kept++] = run[i];
  }
  run.resize(kept);
}

}  // namespace

std::span<const std::pair<FileIndex, FileIndex>> Candidates::names_of(FileIndex file) const {
  const auto range =
      std::ranges::equal_range(names, file, {}, &std::pair<FileIndex, FileIndex>::first);
  return {range.begin(), range.end()};
}

Candidates find_candidates(FileTable& table, const CandidateRules& rules) {
  Candidates found;
  const auto has_names = [&](FileIndex file) { return table.record(file).links > 1; };
  const std::vector<Sized> all = by_size(table);
  std::vector<FileIndex> run;
  for (std::size_t i = 0; i < all.size();) {
    run.clear();
    const std::uint64_t size = all[i].size;
    for (; i < all.size() && all[i].size == size; ++i) run.push_back(all[i].file);
    if (run.size() < 2 || size < rules.least_size) continue;
    if (rules.may_repeat || std::ranges::any_of(run, has_names)) join_names(table, run, found);
    if (run.size() < 2 || (rules.is_of_interest && !rules.is_of_interest(run))) continue;
    for (const FileIndex file : run) table.record(file).set(kWanted);
    found.files.insert(found.files.end(), run.begin(), run.end());
    found.bytes += size * run.size();
  }
  std::ranges::sort(found.names);
  return found;
}

}  // namespace tidemill::dupes
