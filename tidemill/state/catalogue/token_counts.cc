#include "tidemill/state/catalogue/token_counts.h"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "tidemill/base/try.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/state/catalogue/schema.h"

namespace tidemill::catalogue {
namespace {

using Number = std::int64_t;

constexpr int kLooksASnapshot = 256;
constexpr Number kDaysInUse = 30;
constexpr std::int64_t kCheckpointPages = 4'000;
constexpr Number kMinuteNs = 60'000'000'000;

Number signed_of(std::uint64_t number) { return static_cast<Number>(number); }

std::string_view bytes_of(const std::array<unsigned char, 16>& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

Number nanoseconds_of(WallTime at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

bool is_fresh(const TokenNote& note, Number now_ns) {
  const Number read_at = note.read_at_ns != 0 ? note.read_at_ns : now_ns - kMinuteNs;
  return note.stamp.is_fresh(std::min(read_at, now_ns));
}

// Finds a known tokenizer without a write, so that many processes can open at once.
Result<Number> tokenizer_of(store::Db& db, std::string_view fingerprint) {
  LET(auto find, db.prepare("select id from tokenizers where fingerprint = ?"));
  LET(auto known, find.one<Number>(fingerprint));
  if (known) return *known;
  LET(auto insert, db.prepare("insert or ignore into tokenizers(fingerprint) values (?)"));
  TRY(insert.run(fingerprint));
  LET(known, find.one<Number>(fingerprint));
  if (known) return *known;
  return fail(Cure::give_up, "open", db.path() + ": a tokenizer that was just added is missing");
}

Result<store::Statement> prepare_put(store::Db& db) {
  return db.prepare(
      "insert or replace into token_counts(tokenizer, device, inode, size, mtime_ns, ctime_ns,"
      " tokens, kind, digest, used_on, checksum) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,"
      " checksum(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))");
}

Result<store::Statement> prepare_find(store::Db& db) {
  return db.prepare(
      "select size, mtime_ns, ctime_ns, tokens, kind, digest, used_on from token_counts"
      " where tokenizer = ? and device = ? and inode = ? and checksum is checksum(tokenizer, "
      "device,"
      " inode, size, mtime_ns, ctime_ns, tokens, kind, digest)");
}

}  // namespace

std::int64_t day_of(WallTime at) {
  return std::chrono::floor<std::chrono::days>(at).time_since_epoch().count();
}

Result<std::unique_ptr<TokenCounts>> TokenCounts::open(const std::string& path,
                                                       std::string_view fingerprint,
                                                       const Clock& clock) {
  LET(auto db, open_for_writing(path, store::Open::create));
  db.take_over_checkpoints();
  LET(const Number tokenizer, in_catalogue(tokenizer_of(db, fingerprint)));
  LET(auto put, in_catalogue(prepare_put(db)));
  return std::unique_ptr<TokenCounts>(
      new TokenCounts(std::move(db), std::move(put), tokenizer, clock));
}

Result<std::unique_ptr<TokenCounts::Reader>> TokenCounts::reader() const {
  LET(auto db, open_for_reading(path_));
  LET(auto find, in_catalogue(prepare_find(db)));
  return std::unique_ptr<Reader>(
      new Reader(std::move(db), std::move(find), tokenizer_, day_of(clock_.wall()) - kDaysInUse));
}

Result<std::optional<TokenNote>> TokenCounts::Reader::recall(const FileStamp& stamp) {
  if (auto held = hold_snapshot(); !held) {
    return std::unexpected(in_catalogue(std::move(held).error()));
  }
  auto found = in_catalogue(look_up(stamp));
  // After a miss the caller counts the file, which takes long.
  if (!found || !*found) rest();
  return found;
}

Result<void> TokenCounts::Reader::hold_snapshot() {
  if (looks_left_-- > 0) return {};
  rest();
  TRY(db_.exec("begin"));
  looks_left_ = kLooksASnapshot - 1;
  return {};
}

void TokenCounts::Reader::rest() {
  if (db_.in_transaction()) (void)db_.exec("commit");
  looks_left_ = 0;
}

Result<std::optional<TokenNote>> TokenCounts::Reader::look_up(const FileStamp& stamp) {
  std::optional<TokenNote> found;
  const auto read = [&](Number size, Number mtime_ns, Number ctime_ns, Number tokens, Number kind,
                        std::string_view digest, Number used_on) {
    TokenNote note{.stamp = stamp,
                   .tokens = static_cast<std::uint64_t>(tokens),
                   .is_binary = kind != 0,
                   .read_at_ns = std::max(mtime_ns, ctime_ns) + FileStamp::kTickNs,  // at least
                   .is_due = used_on < due_before_};
    const bool is_it = size == signed_of(stamp.size) && mtime_ns == stamp.mtime_ns &&
                       ctime_ns == stamp.ctime_ns && digest.size() == note.digest.size();
    if (!is_it) return false;
    std::ranges::copy(digest, note.digest.begin());
    found = note;
    return false;
  };
  TRY((find_.rows_while<Number, Number, Number, Number, Number, std::string_view, Number>(
      std::tuple(tokenizer_, signed_of(stamp.device), signed_of(stamp.inode)), read)));
  return found;
}

Result<void> TokenCounts::remember(std::span<const TokenNote> notes) {
  const Number now_ns = nanoseconds_of(clock_.wall());
  rows_.clear();
  for (const TokenNote& note : notes) {
    if (!is_fresh(note, now_ns)) rows_.push_back(&note);
  }
  if (rows_.empty()) return {};
  // In the order of the table, adjacent rows share pages. For the same inode the last note wins.
  std::ranges::sort(rows_, {}, [](const TokenNote* note) {
    return std::tuple(signed_of(note->stamp.device), signed_of(note->stamp.inode), note);
  });
  return in_catalogue(write());
}

Result<void> TokenCounts::write() {
  const Number today = day_of(clock_.wall());
  LET(auto transaction, store::Transaction::begin(db_));
  for (const TokenNote* note : rows_) {
    const FileStamp& stamp = note->stamp;
    TRY(put_.run(tokenizer_, signed_of(stamp.device), signed_of(stamp.inode), signed_of(stamp.size),
                 stamp.mtime_ns, stamp.ctime_ns, signed_of(note->tokens),
                 Number{note->is_binary ? 1 : 0}, store::Blob{bytes_of(note->digest)}, today));
  }
  TRY(transaction.commit());
  if (db_.log_pages() < kCheckpointPages) return {};
  (void)db_.checkpoint();  // on a full disk the next commit fails, too
  if (const auto& damage = db_.damage()) return std::unexpected(*damage);
  return {};
}

}  // namespace tidemill::catalogue
