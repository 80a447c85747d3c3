#include "tidemill/jobs/dupes/scan/verifier.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/parallel_for.h"
#include "tidemill/io/hash/reader.h"
#include "tidemill/jobs/dupes/scan/whereabouts.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kSlice = 16;  // groups

// One worker's part.
class GroupReader {
 public:
  GroupReader(const VerifyParts& parts, hash::Reader reader)
      : parts_(parts),
        reader_(std::move(reader)),
        leader_(parts.table, parts.tree),
        other_(parts.table, parts.tree) {}

  // Splits the group into sets of equal files; what is alone in the end is left out.
  void split(std::span<const FileIndex> group, const std::stop_token& stop, Sifted& into) {
    std::vector<FileIndex> left;
    std::vector<FileIndex> same;  // of other hosts: with the first set
    for (const FileIndex file : group) {
      (parts_.table.record(file).has(kForeign) ? same : left).push_back(file);
    }
    while (!left.empty() && !stop.stop_requested()) {
      std::vector<FileIndex> others;
      same.insert(same.begin(), left.front());
      compare(left, stop, same, others);
      if (same.size() > 1) {
        std::ranges::sort(same);
        into.add(same);
      }
      same.clear();
      left = std::move(others);
    }
  }

  [[nodiscard]] std::uint64_t bytes_read() const { return reader_.bytes_read(); }

 private:
  // The first of `left` with each of the others.
  void compare(std::span<const FileIndex> left, const std::stop_token& stop,
               std::vector<FileIndex>& same, std::vector<FileIndex>& others) {
    const auto leader = leader_.of(parts_.table.record(left.front()));
    const bool is_small = parts_.table.record(left.front()).size <= hash::Reader::kSmall;
    Result<void> loaded = leader && is_small ? load(*leader) : Result<void>();
    for (const FileIndex file : left.subspan(1)) {
      const auto other = other_.of(parts_.table.record(file));
      auto answer = !leader    ? Result<bool>(std::unexpected(leader.error()))
                    : !loaded  ? Result<bool>(std::unexpected(loaded.error()))
                    : !other   ? Result<bool>(std::unexpected(other.error()))
                    : is_small ? is_as_loaded(*other)
                               : reader_.same(*leader, *other, stop);
      if (answer) {
        (*answer ? same : others).push_back(file);
      } else if (answer.error().cure != Cure::resume) {
        settle(left.front(), file, std::move(answer).error(), stop, same, others);
      }
    }
  }

  // A small file is read once for all its partners.
  Result<void> load(const hash::Place& leader) {
    LET(const auto bytes, reader_.small(leader));
    loaded_.assign(bytes.begin(), bytes.end());
    return {};
  }

  Result<bool> is_as_loaded(const hash::Place& other) {
    LET(const auto bytes, reader_.small(other));
    return bytes.size() == loaded_.size() &&
           std::memcmp(bytes.data(), loaded_.data(), bytes.size()) == 0;
  }

  // One of the two could not be read: which?
  void settle(FileIndex leader, FileIndex file, Failure failure, const std::stop_token& stop,
              std::vector<FileIndex>& same, std::vector<FileIndex>& others) {
    const auto here = other_.of(parts_.table.record(file));
    const auto alone = here ? reader_.same(*here, *here, stop) : std::unexpected(here.error());
    if (!alone) return drop(file, alone.error());
    others.push_back(file);
    std::erase(same, leader);
    if (!parts_.table.record(leader).has(kFailed)) drop(leader, std::move(failure));
  }

  void drop(FileIndex file, Failure failure) {
    if (failure.cure == Cure::resume) return;
    FileRecord& record = parts_.table.record(file);
    record.set(kFailed);
    parts_.failures.add(parts_.tree.path(record.folder, parts_.table.name(record)),
                        std::move(failure));
  }

  const VerifyParts& parts_;
  hash::Reader reader_;
  std::vector<std::byte> loaded_;
  Whereabouts leader_;
  Whereabouts other_;
};

}  // namespace

Result<Verified> verify(const VerifyParts& parts, const Sifted& groups,
                        const std::stop_token& stop) {
  engine::ParallelOptions how;
  if (parts.threads > 0) how.fewest = how.most = parts.threads;
  std::vector<std::unique_ptr<GroupReader>> workers(how.most);
  for (auto& worker : workers) {
    LET(auto reader, hash::Reader::make(parts.table.algorithm()));
    worker = std::make_unique<GroupReader>(parts, std::move(reader));
  }
  const std::size_t slices = (groups.groups.size() + kSlice - 1) / kSlice;
  std::vector<Sifted> results(slices);
  const auto serve = [&](std::size_t worker, std::size_t slice) {
    const std::size_t end = std::min(groups.groups.size(), (slice + 1) * kSlice);
    for (std::size_t i = slice * kSlice; i < end; ++i) {
      workers[worker]->split(groups.group(i), stop, results[slice]);
    }
  };
  const auto report = engine::parallel_slices(how, slices, serve, stop);
  if (report.failure) return std::unexpected(*report.failure);
  if (!report.is_complete || stop.stop_requested()) return fail(Cure::resume, "verify", "stopped");
  Verified verified;
  for (const Sifted& part : results) {
    for (std::size_t i = 0; i < part.groups.size(); ++i) verified.groups.add(part.group(i));
  }
  for (const auto& worker : workers) verified.bytes_read += worker->bytes_read();
  return verified;
}

}  // namespace tidemill::dupes
