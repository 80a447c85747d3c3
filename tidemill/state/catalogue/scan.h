// Scan: one look at some roots, and what the catalogue remembers of them. A catalogue is one SQLite
// file; docs/formats/catalogue.md has its tables.
//
//   workers ── Memory::recall(folder) ──►  what was known, by connections of their own
//   workers ── Scan::record(batch) ──────► queue ──► one writer thread, a transaction for about
//                                                    1,000 files or half a second
//
// A file that is as it was costs a read and no write. Only what is new, changed, gone or back again
// is recorded. After a kill everything of the committed transactions is there, and the next scan
// goes on with it; after a power cut the last second may be missing, the file is never damaged.
//
// One scanner a root at a time: the lock is the kernel's and goes with the process that held it.
// Failures: kind held (somebody scans the root; who), disk_full, busy and database (SQLite's
// words).
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
using FolderIndex = std::uint32_t;  // the caller's own number of a folder in this scan

// One file as it is remembered, or is to be. Views are good as long as whoever gave them says.
struct FileNote {
  std::string_view name{};
  FileStamp stamp{};
  std::uint64_t blocks = 0;
  std::uint32_t links = 0;
  std::uint8_t algorithm = 0;  // of `hash`; the numbers of io/hash/algorithm.h; 0: no hash
  std::string_view hash{};     // of the whole contents
  std::string_view edges{};    // of both ends, for large files
  std::string_view error{};    // why it could not be looked at or read; empty: it could
  bool is_removed = false;     // it was gone at the last scan
};

struct FolderNote {
  std::string_view name{};
  FolderKey key = 0;
  bool is_removed = false;
  bool has_error = false;  // it could not be read when it was last looked at
};

// What is remembered of one folder. Reused for folder after folder.
struct Recollection {
  std::vector<FileNote> files{};      // sorted by the bytes of their names, removed ones too
  std::vector<FolderNote> folders{};  // sorted likewise
  std::string text{};                 // the bytes behind the views
};

// What one look at a folder has brought. It owns its bytes. A folder that was removed, or had an
// error, and is there again, is recorded also when nothing else is to be said of it. A folder may
// be recorded again with more files (their hashes); its own fields then count for nothing but an
// error.
struct FolderBatch {
  FolderIndex folder = 0;
  FolderKey key = 0;       // as recalled; 0: new, and made from `parent` and `name`
  FolderIndex parent = 0;  // its batch, with the key or the name of it, came before
  std::string name{};
  std::string error{};            // of the folder itself; what is below it stays as it was
  std::vector<FileNote> files{};  // new, changed, back again or newly hashed: the whole row
  std::vector<std::string_view> removed_files{};
  std::vector<FolderKey> removed_folders{};     // and everything below them
  std::vector<std::unique_ptr<char[]>> text{};  // the bytes behind the views, in blocks

  // A copy that lives as long as the batch.
  [[nodiscard]] std::string_view keep(std::string_view bytes) {
    text.push_back(std::make_unique_for_overwrite<char[]>(bytes.size()));
    std::ranges::copy(bytes, text.back().get());
    return {text.back().get(), bytes.size()};
  }
};

// For one worker: a connection that only reads. It keeps an old state of the file readable, and the
// log from being reused: destroy it when the last folder was recalled, and before the Scan. One
// thread.
class Memory {
 public:
  virtual ~Memory() = default;
  // The bytes of `into` are good until the next call with it.
  [[nodiscard]] virtual Result<void> recall(FolderKey folder, Recollection& into) = 0;
};

struct ScanRoot {
  std::string path{};  // absolute, without symlinks; a root is known by it
  FolderIndex folder = 0;
};

// Thread-safe, but for begin() and finish(). After a failure of the writer nothing more is written,
// and everybody gets that failure: what was committed before is whole, and the next scan goes on.
class Scan final {
 public:
  // Makes the catalogue if there is none. Locks all roots or none.
  [[nodiscard]] static Result<std::unique_ptr<Scan>> begin(const std::string& path,
                                                           std::span<const ScanRoot> roots,
                                                           const Clock& clock);
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;
  ~Scan();  // without finish(): what was handed in is committed, the scan counts as interrupted

  [[nodiscard]] FolderKey root_key(std::size_t root) const;  // never 0
  [[nodiscard]] Result<std::unique_ptr<Memory>> memory() const;

  // Waits while the queue is full. A failure is the writer's: the disk is full, the file broken.
  [[nodiscard]] Result<void> record(FolderBatch batch);
  // Everything recorded so far is committed.
  [[nodiscard]] Result<void> flush();
  // The whole tree was seen: commits all, and notes that the scan is complete.
  [[nodiscard]] Result<void> finish();

 private:
  struct Inbox {
    std::vector<FolderBatch> batches{};
    std::size_t weight = 0;      // of the batches
    std::uint64_t recorded = 0;  // batches, since the beginning
    std::uint64_t committed = 0;
    std::uint64_t wanted = 0;  // flush() waits for that many
    bool is_closed = false;
    Result<void> state{};  // the first failure
  };

  struct Desk;

  Scan(std::unique_ptr<Desk> desk, const Clock& clock);

  [[nodiscard]] Result<void> start();
  void serve();
  [[nodiscard]] Result<void> commit(std::vector<FolderBatch>& batches);
  [[nodiscard]] Result<void> close();
  [[nodiscard]] Result<void> note_ending(std::string_view ending);

  const Clock& clock_;
  std::unique_ptr<Desk> desk_;    // the thread's alone while it runs
  std::string path_;              // set once
  std::vector<FolderKey> roots_;  // set once
  Guarded<Inbox> inbox_;
  std::jthread thread_;
};

}  // namespace tidemill::catalogue
