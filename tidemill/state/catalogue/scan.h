// Scan: records one scan of some roots in a catalogue. A catalogue is one SQLite file;
// docs/formats/catalogue.md has its tables.
//
//   workers ── Memory::recall(folder) ──►  earlier records, read on a connection per worker
//   workers ── Scan::record(batch) ──────► queue ──► one writer thread, a transaction for about
//                                                    1,000 files or half a second
//
// An unchanged file costs a read and no write. Only new, changed, removed and restored files are
// recorded. After a kill, all committed transactions are kept and the next scan continues from
// them. After a power cut, the last second may be missing, but the file is never damaged.
//
// One scanner per root at a time: a kernel lock, which ends with the process that holds it.
// Failures: kind held (the root is being scanned; the reason says by which process), disk_full,
// busy and database (with SQLite's message).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/file_stamp.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"

namespace tidemill::catalogue {

using FolderKey = std::int64_t;     // of a row; 0: not in the catalogue
using FolderIndex = std::uint32_t;  // the caller's number of a folder in this scan

// The record of one file, read or to be written. The containing struct says how long the views are
// valid.
struct FileNote {
  std::string_view name{};
  FileStamp stamp{};
  std::uint64_t blocks = 0;
  std::uint32_t links = 0;
  std::uint8_t algorithm = 0;  // of `hash`; the numbers of io/hash/algorithm.h; 0: no hash
  std::string_view hash{};     // of the full contents
  std::string_view edges{};    // of both ends, for large files
  std::string_view error{};    // why it could not be inspected or read; empty: no error
  bool is_removed = false;     // did not exist at the last scan
};

struct FolderNote {
  std::string_view name{};
  FolderKey key = 0;
  bool is_removed = false;
  bool has_error = false;  // could not be read at the last scan
};

// The earlier records of one folder. Reused from folder to folder.
struct Recollection {
  std::vector<FileNote> files{};      // sorted by name, bytewise; includes removed files
  std::vector<FolderNote> folders{};  // likewise
  std::string text{};                 // the bytes behind the views
};

// The result of scanning one folder. Owns its bytes. A folder that was removed or had an error, and
// is readable again, must be recorded even if nothing else changed. A folder may be recorded again
// with more files (their hashes); of its own fields, only an error then counts.
struct FolderBatch {
  FolderIndex folder = 0;
  FolderKey key = 0;       // as recalled; 0: new, and made from `parent` and `name`
  FolderIndex parent = 0;  // its batch must come before this one
  std::string name{};
  std::string error{};            // of the folder itself; everything below it is left unchanged
  std::vector<FileNote> files{};  // new, changed, restored or newly hashed: the complete row
  std::vector<std::string_view> removed_files{};
  std::vector<FolderKey> removed_folders{};     // and everything below them
  std::vector<std::unique_ptr<char[]>> text{};  // the bytes behind the views, in blocks

  // Returns a copy that lives as long as the batch.
  [[nodiscard]] std::string_view keep(std::string_view bytes) {
    text.push_back(std::make_unique_for_overwrite<char[]>(bytes.size()));
    std::ranges::copy(bytes, text.back().get());
    return {text.back().get(), bytes.size()};
  }
};

// A read-only connection for one worker. Its snapshot keeps the write-ahead log from being reused:
// destroy it after the last recall() and before the Scan. One thread.
class Memory {
 public:
  virtual ~Memory() = default;
  // The views in `into` are valid until the next call with it.
  [[nodiscard]] virtual Result<void> recall(FolderKey folder, Recollection& into) = 0;
};

struct ScanRoot {
  std::string path{};  // absolute, without symlinks; identifies the root
  FolderIndex folder = 0;
};

// Thread-safe, except begin() and finish(). After a failure of the writer thread nothing more is
// written, and every call returns that failure. Earlier commits are intact, and the next scan
// continues from them.
class Scan final {
 public:
  // Creates the catalogue if it does not exist. Locks all roots or none.
  [[nodiscard]] static Result<std::unique_ptr<Scan>> begin(const std::string& path,
                                                           std::span<const ScanRoot> roots,
                                                           const Clock& clock);
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  ~Scan();  // without finish(): commits what was recorded; the scan counts as interrupted

  [[nodiscard]] FolderKey root_key(std::size_t root) const;  // never 0
  [[nodiscard]] Result<std::unique_ptr<Memory>> memory() const;

  // Waits while the queue is full. Failures are those of the writer thread, such as a full disk.
  [[nodiscard]] Result<void> record(FolderBatch batch);
  // Waits until everything recorded so far is committed.
  [[nodiscard]] Result<void> flush();
  // Call when the entire tree was scanned: commits everything and marks the scan as complete.
  [[nodiscard]] Result<void> finish();

 private:
  struct Inbox {
    std::vector<FolderBatch> batches{};
    std::size_t weight = 0;      // of the batches
    std::uint64_t recorded = 0;  // batches, since begin()
    std::uint64_t committed = 0;
    std::uint64_t wanted = 0;  // flush() waits until this many are committed
    bool is_closed = false;
    Result<void> state{};  // the first failure
  };

  struct Session;

  Scan(std::unique_ptr<Session> session, const Clock& clock);

  [[nodiscard]] Result<void> start();
  void serve();
  [[nodiscard]] Result<void> commit(std::vector<FolderBatch>& batches);
  [[nodiscard]] Result<void> close();
  [[nodiscard]] Result<void> note_ending(std::string_view ending);

  const Clock& clock_;
  std::unique_ptr<Session> session_;  // used by the thread only while it runs
  std::string path_;                  // set once
  std::vector<FolderKey> roots_;      // set once
  Guarded<Inbox> inbox_;
  std::jthread thread_;
};

}  // namespace tidemill::catalogue
