#include "tidemill/jobs/dupes/scan/group_builder.h"

#include <algorithm>
#include <string_view>

#include "tidemill/io/hash/reader.h"
#include "tidemill/jobs/dupes/scan/foreign.h"

namespace tidemill::dupes {
namespace {

// Calls on_run(files) for the files of each size.
template <class OnRun>
void each_size(const FileTable& table, const Candidates& candidates, OnRun on_run) {
  const std::span all(candidates.files);
  for (std::size_t i = 0; i < all.size();) {
    const std::uint64_t size = table.record(all[i]).size;
    std::size_t end = i;
    while (end < all.size() && table.record(all[end]).size == size) ++end;
    on_run(all.subspan(i, end - i));
    i = end;
  }
}

// Sorts by `key_of` and calls on_run for files with equal keys.
template <class KeyOf, class OnRun>
void each_equal(std::vector<FileIndex>& files, KeyOf key_of, OnRun on_run) {
  std::ranges::sort(files, [&](FileIndex a, FileIndex b) {
    const auto order = key_of(a) <=> key_of(b);
    return order != 0 ? order < 0 : a < b;
  });
  for (std::size_t i = 0; i < files.size();) {
    std::size_t end = i + 1;
    while (end < files.size() && key_of(files[end]) == key_of(files[i])) ++end;
    on_run(std::span(files).subspan(i, end - i));
    i = end;
  }
}

bool is_large(const FileTable& table, FileIndex file) {
  return table.record(file).size > hash::FileReader::kSmall;
}

// Files with equal ends among the large files of one size.
template <class OnRun>
void each_alike(const FileTable& table, std::span<const FileIndex> run, OnRun on_run) {
  std::vector<FileIndex> known;
  std::ranges::copy_if(run, std::back_inserter(known),
                       [&](FileIndex file) { return table.record(file).has(kEdges); });
  each_equal(
      known, [&](FileIndex file) { return table.record(file).key; },
      [&](std::span<const FileIndex> alike) {
        if (alike.size() > 1) on_run(alike);
      });
}

}  // namespace

std::vector<FileIndex> still_alike(const FileTable& table, const Candidates& candidates) {
  std::vector<FileIndex> found;
  each_size(table, candidates, [&](std::span<const FileIndex> run) {
    if (!is_large(table, run.front())) return;
    const auto take = [&](std::span<const FileIndex> alike) {
      std::ranges::copy_if(alike, std::back_inserter(found), [&](FileIndex file) {
        const FileRecord& record = table.record(file);
        return !record.has(kWhole) && !record.has(kFailed) && !record.has(kForeign);
      });
    };
    // A file of another host may have a hash of its complete contents but none of its ends: then
    // every file of its size may be equal.
    const bool is_any_blank = std::ranges::any_of(run, [&](FileIndex file) {
      return table.record(file).has(kWhole) && !table.record(file).has(kEdges);
    });
    if (is_any_blank) {
      take(run);
    } else {
      each_alike(table, run, take);
    }
  });
  std::ranges::sort(found);
  return found;
}

std::vector<FileIndex> wanted_elsewhere(const FileTable& table, const Candidates& candidates) {
  std::vector<FileIndex> wanted;
  const auto take = [&](std::span<const FileIndex> alike) {
    const auto host = [&](FileIndex file) {
      return host_in(table.device(table.record(file).device));
    };
    for (const FileIndex file : alike) {
      const FileRecord& record = table.record(file);
      if (!record.has(kForeign) || record.has(kWhole) || record.has(kFailed)) continue;
      const bool has_stranger =
          std::ranges::any_of(alike, [&](FileIndex other) { return host(other) != host(file); });
      if (has_stranger) wanted.push_back(file);
    }
  };
  each_size(table, candidates, [&](std::span<const FileIndex> run) {
    if (!is_large(table, run.front())) return take(run);
    each_alike(table, run, take);
    // A large file without a hash of its ends may also be equal.
    const bool is_any_blank =
        std::ranges::any_of(run, [&](FileIndex file) { return !table.record(file).has(kEdges); });
    if (is_any_blank) take(run);
  });
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  return wanted;
}

BuiltGroups build_groups(const FileTable& table, const Candidates& candidates) {
  BuiltGroups built;
  std::vector<FileIndex> known;
  each_size(table, candidates, [&](std::span<const FileIndex> run) {
    known.clear();
    std::ranges::copy_if(run, std::back_inserter(known), [&](FileIndex file) {
      return table.record(file).has(kWhole) && !table.record(file).has(kFailed);
    });
    each_equal(
        known, [&](FileIndex file) { return table.whole(table.record(file)); },
        [&](std::span<const FileIndex> same) {
          if (same.size() > 1) built.add(same);
        });
  });
  return built;
}

}  // namespace tidemill::dupes
