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
#include "tidemill/jobs/dupes/scan/file_locations.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kSlice = 16;  // groups

// The state of one worker.
class GroupReader {
 public:
  GroupReader(const VerifyContext& context, hash::FileReader reader)
      : context_(context),
        reader_(std::move(reader)),
        leader_(context.table, context.tree),
        other_(context.table, context.tree) {}

  // Splits the group into sets of equal files; files without an equal are left out.
  void split(std::span<const FileIndex> group, const std::stop_token& stop, BuiltGroups& into) {
    std::vector<FileIndex> left;
    std::vector<FileIndex> same;  // files of other hosts go with the first set
    for (const FileIndex file : group) {
      (context_.table.record(file).has(kForeign) ? same : left).push_back(file);
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
  // Compares the first file of `left` with each of the others.
  void compare(std::span<const FileIndex> left, const std::stop_token& stop,
               std::vector<FileIndex>& same, std::vector<FileIndex>& others) {
    const auto leader = leader_.of(context_.table.record(left.front()));
    const bool is_small = context_.table.record(left.front()).size <= hash::FileReader::kSmall;
    Result<void> loaded = leader && is_small ? load(*leader) : Result<void>();
    for (const FileIndex file : left.subspan(1)) {
      const auto other = other_.of(context_.table.record(file));
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
  Result<void> load(const hash::FilePlace& leader) {
    LET(const auto bytes, reader_.small(leader));
    loaded_.assign(bytes.begin(), bytes.end());
    return {};
  }

  Result<bool> is_as_loaded(const hash::FilePlace& other) {
    LET(const auto bytes, reader_.small(other));
    return bytes.size() == loaded_.size() &&
           std::memcmp(bytes.data(), loaded_.data(), bytes.size()) == 0;
  }

  // One of the two could not be read: finds out which one, and drops it.
  void settle(FileIndex leader, FileIndex file, Failure failure, const std::stop_token& stop,
              std::vector<FileIndex>& same, std::vector<FileIndex>& others) {
    const auto here = other_.of(context_.table.record(file));
    const auto alone = here ? reader_.same(*here, *here, stop) : std::unexpected(here.error());
    if (!alone) return drop(file, alone.error());
    others.push_back(file);
    std::erase(same, leader);
    if (!context_.table.record(leader).has(kFailed)) drop(leader, std::move(failure));
  }

  void drop(FileIndex file, Failure failure) {
    if (failure.cure == Cure::resume) return;
    FileRecord& record = context_.table.record(file);
    record.set(kFailed);
    context_.failures.add(context_.tree.path(record.folder, context_.table.name(record)),
                          std::move(failure));
  }

  const VerifyContext& context_;
  hash::FileReader reader_;
  std::vector<std::byte> loaded_;
  FileLocations leader_;
  FileLocations other_;
};

}  // namespace

Result<Verified> verify(const VerifyContext& context, const BuiltGroups& groups,
                        const std::stop_token& stop) {
  engine::ParallelOptions how;
  if (context.threads > 0) how.fewest = how.most = context.threads;
  std::vector<std::unique_ptr<GroupReader>> workers(how.most);
  for (auto& worker : workers) {
    LET(auto reader, hash::FileReader::make(context.table.algorithm()));
    worker = std::make_unique<GroupReader>(context, std::move(reader));
  }
  const std::size_t slices = (groups.groups.size() + kSlice - 1) / kSlice;
  std::vector<BuiltGroups> results(slices);
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
  for (const BuiltGroups& part : results) {
    for (std::size_t i = 0; i < part.groups.size(); ++i) verified.groups.add(part.group(i));
  }
  for (const auto& worker : workers) verified.bytes_read += worker->bytes_read();
  return verified;
}

}  // namespace tidemill::dupes
