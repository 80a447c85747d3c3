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
#include "tidemill/jobs/dupes/scan/file_locations.h"

namespace tidemill::dupes {
namespace {

constexpr std::size_t kSlice = 128;  // records: enough to stay in a folder, few enough to balance

std::int64_t nanoseconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

// The state of one worker: a reader, the open folder, and entries for the catalogue.
class Digester::Worker {
 public:
  Worker(const Context& context, hash::FileReader reader)
      : context_(context), reader_(std::move(reader)), locations_(context.table, context.tree) {}

  hash::FileReader& reader() { return reader_; }

  Result<hash::FilePlace> place(const FileRecord& record) { return locations_.of(record); }

  // Records a file in the catalogue. The views into the table must stay valid as long as the scan.
  Result<void> note(FileRecord& record) {
    if (news_.folder != record.folder) TRY(flush());
    news_.folder = record.folder;
    record.clear(kUnsaved);
    if (record.has(kGone)) {
      news_.removed_files.emplace_back(context_.table.name(record));
      return {};
    }
    catalogue::FileNote file{.name = context_.table.name(record),
                             .stamp = context_.table.stamp(record),
                             .blocks = record.blocks,
                             .links = record.links};
    if (record.has(kFailed)) file.error = news_.keep(reason_);
    // A file that was written to a moment ago may be written to again within the same clock tick:
    // then its stamp would not change, and the hash would wrongly count as valid.
    if (!file.stamp.is_fresh(now_ns_)) {
      if (record.has(kEdges)) file.edges = view_of(record);
      if (record.has(kWhole)) {
        file.algorithm = static_cast<std::uint8_t>(context_.table.algorithm());
        file.hash = context_.table.whole(record);
      }
    }
    news_.files.push_back(file);
    return {};
  }

  // Why the current file failed, for note().
  void set_reason(std::string reason) { reason_ = std::move(reason); }

  Result<void> flush() {
    if (news_.files.empty() && news_.removed_files.empty()) return {};
    catalogue::FolderBatch batch = std::exchange(news_, {});
    context_.keys.address(batch, context_.tree);
    std::ranges::sort(batch.files, {}, &catalogue::FileNote::name);
    return context_.scan->record(std::move(batch));
  }

  void set_time(std::int64_t now_ns) { now_ns_ = now_ns; }

 private:
  // The hash of a small file covers its ends.
  static std::string_view view_of(const FileRecord& record) {
    if (record.size <= hash::FileReader::kSmall) return {};
    return {reinterpret_cast<const char*>(record.key.data()),  // NOLINT: bytes are chars here
            record.key.size()};
  }

  const Context& context_;
  hash::FileReader reader_;
  FileLocations locations_;
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
  return record.has(kWanted) || context_.takes_all;
}

// Of a large file, first only the ends are read, to decide whether the rest must be read.
bool Digester::begins_whole(const FileRecord& record) const {
  return record.size <= hash::FileReader::kSmall || context_.takes_all;
}

bool Digester::wants(const FileRecord& record) const {
  if (!must_look(record)) return false;
  return begins_whole(record) ? !record.has(kWhole) : !record.has(kEdges);
}

void Digester::note_failure(Worker& worker, FileRecord& record, Failure failure) {
  if (failure.cure == Cure::resume) return;  // stopped: nothing is known of the file
  record.set(kFailed);
  record.set(kUnsaved);
  if (failure.kind ==
      FailureKind::not_found) {  // not a failure: it could have vanished before the sweep
    record.set(kGone);
    gone_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  worker.set_reason(text_of(failure));
  context_.failures.add(context_.tree.path(record.folder, context_.table.name(record)),
                        std::move(failure));
}

void Digester::read_first(Worker& worker, FileRecord& record, const std::stop_token& stop) {
  if (begins_whole(record)) return read_whole(worker, record, stop);
  auto place = worker.place(record);
  auto edges = place ? worker.reader().edges(*place, stop) : std::unexpected(place.error());
  files_.fetch_add(1, std::memory_order_relaxed);
  if (!edges) return note_failure(worker, record, std::move(edges).error());
  std::memcpy(record.key.data(), edges->bytes.data(), record.key.size());
  record.set(kEdges);
  record.set(kUnsaved);
}

void Digester::read_whole(Worker& worker, FileRecord& record, const std::stop_token& stop) {
  auto place = worker.place(record);
  auto digest = place ? worker.reader().whole(*place, stop) : std::unexpected(place.error());
  files_.fetch_add(1, std::memory_order_relaxed);
  if (!digest) return note_failure(worker, record, std::move(digest).error());
  if (!context_.table.set_whole(record, digest->view())) {
    return note_failure(worker, record, {.step = "hash", .reason = "too many hashes"});
  }
  record.set(kUnsaved);
}

template <class Work>
Result<void> Digester::run(std::size_t slices, const std::stop_token& stop, Work work) {
  std::stop_source halt;
  const std::stop_callback pass_on(stop, [&] { halt.request_stop(); });
  engine::ParallelOptions how;
  if (context_.threads > 0) how.fewest = how.most = context_.threads;
  std::vector<std::unique_ptr<Worker>> workers(how.most);
  for (auto& worker : workers) {
    LET(auto reader, hash::FileReader::make(context_.table.algorithm()));
    reader.count_into(read_);
    worker = std::make_unique<Worker>(context_, std::move(reader));
  }
  Guarded<std::optional<Failure>> cause;
  const auto serve = [&](std::size_t number, std::size_t slice) {
    Worker& worker = *workers[number];
    worker.set_time(nanoseconds_of(context_.clock.wall()));
    auto worked = work(worker, slice, halt.get_token());
    if (worked) worked = worker.flush();
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
  const std::size_t end = context_.table.end();
  return run((end + kSlice - 1) / kSlice, stop,
             [&](Worker& worker, std::size_t slice, const std::stop_token& halt) -> Result<void> {
               const std::size_t last = std::min(end, (slice + 1) * kSlice);
               for (std::size_t i = slice * kSlice; i < last && !halt.stop_requested(); ++i) {
                 FileRecord& record = context_.table.record(static_cast<FileIndex>(i));
                 if (!record.has(kUsed) || record.has(kForeign)) continue;
                 if (wants(record)) read_first(worker, record, halt);
                 if (context_.scan == nullptr || halt.stop_requested()) continue;
                 if (record.has(kUnsaved)) TRY(worker.note(record));
               }
               return {};
             });
}

Result<void> Digester::whole(std::span<const FileIndex> files, const std::stop_token& stop) {
  return run(files.size(), stop,
             [&](Worker& worker, std::size_t slice, const std::stop_token& halt) -> Result<void> {
               FileRecord& record = context_.table.record(files[slice]);
               if (record.has(kFailed) || record.has(kWhole) || halt.stop_requested()) return {};
               read_whole(worker, record, halt);
               if (context_.scan == nullptr || !record.has(kUnsaved)) return {};
               return worker.note(record);
             });
}

}  // namespace tidemill::dupes
