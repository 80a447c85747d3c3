// TokenCounts: how many tokens a file has, remembered in a catalogue by the file's stamp and by the
// tokenizer that counted: an unchanged tree is counted once.
//
//   workers ── Reader::recall(stamp) ──► a connection each, that only reads
//   one thread ── remember(notes) ─────► one transaction a call
//
// A row is a fact about an inode at one stamp, so there is no lock on a tree: the last writer wins,
// and what is recalled has exactly the stamp that was asked for. A stamp that was fresh when the
// file was read is not remembered (file_stamp.h says why).
//
// Failures are those of a catalogue: step "catalogue" with SQLite's words, or "disk full". It is a
// memory: who gets a failure can go on without it. After a failed remember() nothing of that call
// was kept; the next one may pass, unless the disk or the file is damaged.
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
  bool is_binary = false;                  // then there are no tokens to speak of
  std::array<unsigned char, 16> digest{};  // XXH3-128 of the contents
  // When the stamp was taken, in nanoseconds since 1970, and before the contents were read: by it
  // the stamp is fresh or not. 0: not known, but no more than a minute ago.
  std::int64_t read_at_ns = 0;
  // Of a note that was recalled: remember it again, so that it counts as in use for the next month.
  bool is_due = false;
};

// Thread-safe, but for remember().
class TokenCounts final {
 public:
  // `fingerprint` says which tokenizer, with all that its counts depend on. Makes the catalogue if
  // there is none, and brings an old one up to date. The clock must outlive this.
  [[nodiscard]] static Result<std::unique_ptr<TokenCounts>> open(const std::string& path,
                                                                 std::string_view fingerprint,
                                                                 const Clock& clock);

  // What was there when its snapshot began. A snapshot costs more than a look, so one is kept for
  // some looks that found something; it keeps the log from being reused, so whoever will not ask
  // for a while rests. One thread.
  class Reader final {
   public:
    // Nothing: never counted, or another stamp.
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

  // All or none of them, but for fresh ones, which are left out. Called by one thread, with about
  // a thousand at once.
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
  store::Db db_;  // from here on of the thread that remembers
  store::Statement put_;
  std::vector<const TokenNote*> rows_{};  // of one call, sorted as the table is
};

// The days of the table: since 1970.
[[nodiscard]] std::int64_t day_of(WallTime at);

}  // namespace tidemill::catalogue
