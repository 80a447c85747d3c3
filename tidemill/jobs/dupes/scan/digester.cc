#include "tidemill/jobs/dupes/scan/digester.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/parallel_for.h"
#include "tidemill/jobs/dupes/scan/whereabouts.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kSlice = 128;  // records: large enough to stay in a folder, small to share

std::int64_t nanoseconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

// What one worker has in hand: a reader, the folder that is open, and news for the catalogue.
class Digester::Desk {
 public:
  Desk(const Parts& parts, hash::Reader reader)
      : parts_(parts), reader_(std::move(reader)), whereabouts_(parts.table, parts.tree) {}

  hash::Reader& reader() { return reader_; }

  Result<hash::Place> place(const FileRecord& record) { return whereabouts_.of(record); }

  // What is new about a file goes to the catalogue. The views into the table are good as long as
  // the scan.
  Result<void> note(FileRecord& record) {
    if (news_.folder != record.folder) TRY(flush());
    news_.folder = record.folder;
    record.clear(kUnsaved);
    if (record.has(kGone)) {
      news_.removed_files.emplace_back(parts_.table.name(record));
      return {};
    }
    catalogue::FileNote file{.name = parts_.table.name(record),
                             .stamp = parts_.table.stamp(record),
                             .blocks = record.blocks,
                             .links = record.links};
    if (record.has(kFailed)) file.error = news_.keep(reason_);
    // A file that was written to a moment ago may be written to again within the same tick of the
    // clock: its hash would look as if it still held.
    if (!file.stamp.is_fresh(now_ns_)) {
      if (record.has(kEdges)) file.edges = view_of(record);
      if (record.has(kWhole)) {
        file.algorithm = static_cast<std::uint8_t>(parts_.table.algorithm());
        file.hash = parts_.table.whole(record);
      }
    }
    news_.files.push_back(file);
    return {};
  }

  // Of the file in hand, for note().
  void set_reason(std::string reason) { reason_ = std::move(reason); }

  Result<void> flush() {
    if (news_.files.empty() && news_.removed_files.empty()) return {};
    catalogue::FolderBatch batch = std::exchange(news_, {});
    parts_.keys.address(batch, parts_.tree);
    std::ranges::sort(batch.files, {}, &catalogue::FileNote::name);
    return parts_.scan->record(std::move(batch));
  }

  void set_time(std::int64_t now_ns) { now_ns_ = now_ns; }

 private:
  // The ends of a small file are in its hash.
  static std::string_view view_of(const FileRecord& record) {
    if (record.size <= hash::Reader::kSmall) return {};
    return {reinterpret_cast<const char*>(record.key.data()),  // NOLINT: bytes are chars here
            record.key.size()};
  }

  const Parts& parts_;
  hash::Reader reader_;
  Whereabouts whereabouts_;
  catalogue::FolderBatch news_{};
  std::int64_t now_ns_ = 0;
  std::string reason_;
};

ReadCounts Digester::counts() const {
  return {.files = files_.load(std::memory_order_relaxed),
          .read = read_.load(std::memory_order_relaxed),
          .gone = gone_.load(std::memory_order_relaxed)};
}

bool Digester::must_look(const FileRecord& record) const {
  if (record.has(kFailed) || record.has(kForeign) || record.has(kLinked)) return false;
  return record.has(kWanted) || parts_.takes_all;
}

// The ends of a large file only tell whether the rest is worth reading.
bool Digester::begins_whole(const FileRecord& record) const {
  return record.size <= hash::Reader::kSmall || parts_.takes_all;
}

bool Digester::wants(const FileRecord& record) const {
  if (!must_look(record)) return false;
  return begins_whole(record) ? !record.has(kWhole) : !record.has(kEdges);
}

void Digester::note_failure(Desk& desk, FileRecord& record, Failure failure) {
  if (failure.cure == Cure::resume) return;  // stopped: nothing is known of the file
  record.set(kFailed);
  record.set(kUnsaved);
  if (failure.kind ==
      FailureKind::not_found) {  // no failure: it could as well have gone before the sweep
    record.set(kGone);
    gone_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  desk.set_reason(text_of(failure));
  parts_.failures.add(parts_.tree.path(record.folder, parts_.table.name(record)),
                      std::move(failure));
}

void Digester::read_first(Desk& desk, FileRecord& record, const std::stop_token& stop) {
  if (begins_whole(record)) return read_whole(desk, record, stop);
  auto place = desk.place(record);
  auto edges = place ? desk.reader().edges(*place, stop) : std::unexpected(place.error());
  files_.fetch_add(1, std::memory_order_relaxed);
  if (!edges) return note_failure(desk, record, std::move(edges).error());
  std::memcpy(record.key.data(), edges->bytes.data(), record.key.size());
  record.set(kEdges);
  record.set(kUnsaved);
}

void Digester::read_whole(Desk& desk, FileRecord& record, const std::stop_token& stop) {
  auto place = desk.place(record);
  auto digest = place ? desk.reader().whole(*place, stop) : std::unexpected(place.error());
  files_.fetch_add(1, std::memory_order_relaxed);
  if (!digest) return note_failure(desk, record, std::move(digest).error());
  if (!parts_.table.set_whole(record, digest->view())) {
    return note_failure(desk, record, {.step = "hash", .reason = "too many hashes"});
  }
  record.set(kUnsaved);
}

template <class Work>
Result<void> Digester::run(std::size_t slices, const std::stop_token& stop, Work work) {
  std::stop_source halt;
  const std::stop_callback pass_on(stop, [&] { halt.request_stop(); });
  engine::ParallelOptions how;
  if (parts_.threads > 0) how.fewest = how.most = parts_.threads;
  std::vector<std::unique_ptr<Desk>> desks(how.most);
  for (auto& desk : desks) {
    LET(auto reader, hash::Reader::make(parts_.table.algorithm()));
    reader.count_into(read_);
    desk = std::make_unique<Desk>(parts_, std::move(reader));
  }
  Guarded<std::optional<Failure>> cause;
  const auto serve = [&](std::size_t worker, std::size_t slice) {
    Desk& desk = *desks[worker];
    desk.set_time(nanoseconds_of(parts_.clock.wall()));
    auto worked = work(desk, slice, halt.get_token());
    if (worked) worked = desk.flush();
    if (worked) return;
    if (auto first = cause.lock(); !*first) *first = std::move(worked).error();
    halt.request_stop();
  };
  const auto report = engine::parallel_slices(how, slices, serve, halt.get_token());
  most_threads_ = std::max(most_threads_, report.most_threads);
  if (std::optional<Failure> lost = *cause.lock()) return std::unexpected(*std::move(lost));
  if (report.failure) return std::unexpected(*report.failure);
  if (!report.is_complete || stop.stop_requested()) return fail(Cure::resume, "hash", "stopped");
  return {};
}

Result<void> Digester::first(const std::stop_token& stop) {
  const std::size_t end = parts_.table.end();
  return run((end + kSlice - 1) / kSlice, stop,
             [&](Desk& desk, std::size_t slice, const std::stop_token& halt) -> Result<void> {
               const std::size_t last = std::min(end, (slice + 1) * kSlice);
               for (std::size_t i = slice * kSlice; i < last && !halt.stop_requested(); ++i) {
                 FileRecord& record = parts_.table.record(static_cast<FileIndex>(i));
                 if (!record.has(kUsed) || record.has(kForeign)) continue;
                 if (wants(record)) read_first(desk, record, halt);
                 if (parts_.scan == nullptr || halt.stop_requested()) continue;
                 if (record.has(kUnsaved)) TRY(desk.note(record));
               }
               return {};
             });
}

Result<void> Digester::whole(std::span<const FileIndex> files, const std::stop_token& stop) {
  return run(files.size(), stop,
             [&](Desk& desk, std::size_t slice, const std::stop_token& halt) -> Result<void> {
               FileRecord& record = parts_.table.record(files[slice]);
               if (record.has(kFailed) || record.has(kWhole) || halt.stop_requested()) return {};
               read_whole(desk, record, halt);
               if (parts_.scan == nullptr || !record.has(kUnsaved)) return {};
               return desk.note(record);
             });
}

}  // namespace tidemill::dupes
