// TokenCounts: caches the token counts of files in a catalogue, by the stamp of the file and the
// tokenizer, so that an unchanged tree is counted once.
//
//   workers ── Reader::recall(stamp) ──► one read-only connection each
//   one thread ── remember(notes) ─────► one transaction per call
//
// A row describes an inode at one stamp, so trees need no lock: the last writer wins, and recall()
// returns only a count with exactly the stamp given. A stamp that was fresh when the file was read
// is not stored (file_stamp.h has the reason).
//
// Failures are those of a catalogue: step "catalogue" with SQLite's message, or "disk full". It is
// only a cache, so callers can continue without it after a failure. A failed remember() stores
// nothing; the next one may succeed, unless the disk or the file is damaged.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"

namespace tidemill::catalogue {

struct TokenNote {
  FileStamp stamp{};
  std::uint64_t tokens = 0;
  bool is_binary = false;                  // then the count is meaningless
  std::array<unsigned char, 16> digest{};  // XXH3-128 of the contents
  // When the stamp was taken, before the contents were read, in nanoseconds since 1970. Decides
  // whether the stamp is fresh. 0: unknown, but at most a minute ago.
  std::int64_t read_at_ns = 0;
  // Set by recall(): pass the note to remember() again, so that it counts as in use for another
  // month.
  bool is_due = false;
};

// Thread-safe, except remember().
class TokenCounts final {
 public:
  // `fingerprint` identifies the tokenizer and everything its counts depend on. Creates the
  // catalogue if it does not exist and migrates an old one. The clock must outlive this.
  [[nodiscard]] static Result<std::unique_ptr<TokenCounts>> open(const std::string& path,
                                                                 std::string_view fingerprint,
                                                                 const Clock& clock);

  // Reads the counts of a snapshot. Opening a snapshot costs more than a lookup, so one serves
  // several successful lookups. It keeps the write-ahead log from being reused: call rest() before
  // a longer pause. One thread.
  class Reader final {
   public:
    // nullopt: never counted, or with another stamp.
    [[nodiscard]] Result<std::optional<TokenNote>> recall(const FileStamp& stamp);
    void rest();

   private:
    friend TokenCounts;
    Reader(store::Db db, store::Statement find, std::int64_t tokenizer, std::int64_t due_before)
        : db_(std::move(db)),
          find_(std::move(find)),
          tokenizer_(tokenizer),
          due_before_(due_before) {}

    [[nodiscard]] Result<void> hold_snapshot();
    [[nodiscard]] Result<std::optional<TokenNote>> look_up(const FileStamp& stamp);

    store::Db db_;
    store::Statement find_;
    std::int64_t tokenizer_;
    std::int64_t due_before_;  // a day
    int looks_left_ = 0;       // before the snapshot is renewed
  };
  [[nodiscard]] Result<std::unique_ptr<Reader>> reader() const;

  // Stores all notes or none; leaves out those with a fresh stamp. Call from one thread, with about
  // a thousand notes at a time.
  [[nodiscard]] Result<void> remember(std::span<const TokenNote> notes);

 private:
  TokenCounts(store::Db db, store::Statement put, std::int64_t tokenizer, const Clock& clock)
      : path_(db.path()),
        tokenizer_(tokenizer),
        clock_(clock),
        db_(std::move(db)),
        put_(std::move(put)) {}

  [[nodiscard]] Result<void> write();

  const std::string path_;
  const std::int64_t tokenizer_;
  const Clock& clock_;
  store::Db db_;  // this and below: used by the thread that calls remember() only
  store::Statement put_;
  std::vector<const TokenNote*> rows_{};  // of one call, in the order of the table
};

// Days since 1970, as in the table.
[[nodiscard]] std::int64_t day_of(WallTime at);

}  // namespace tidemill::catalogue
