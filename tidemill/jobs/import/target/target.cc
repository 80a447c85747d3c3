#include "tidemill/jobs/import/target/target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/jsonl/number.h"
#include "tidemill/io/files/new_file.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/io/walk/folder_of.h"
#include "tidemill/jobs/import/pages/part_file.h"
#include "tidemill/jobs/import/target/import_log.h"

namespace tidemill::import {
namespace {

constexpr const char* kJournal = "-journal";
constexpr const char* kLog = "-wal";
constexpr std::array<const char*, 3> kSides = {kJournal, kLog, "-shm"};

std::unexpected<Failure> refuse(const std::string& reason, std::string hint = {}) {
  return std::unexpected(
      Failure{.cure = Cure::give_up, .step = "--into", .reason = reason, .hint = std::move(hint)});
}

// nullopt: no such file.
Result<std::optional<struct stat>> look(const files::Spot& spot) {
  struct stat seen{};
  if (::fstatat(spot.folder.number(), spot.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) == 0) {
    return seen;
  }
  if (errno == ENOENT) return std::nullopt;
  return system_failed(errno, "--into", spot.folder.path_of(spot.name));
}

Result<void> require_database(const files::Spot& spot, const struct stat& seen) {
  const std::string path = spot.folder.path_of(spot.name);
  if (S_ISDIR(seen.st_mode)) return refuse(path + " is a folder");
  if (!S_ISREG(seen.st_mode)) return refuse(path + " is not a regular file");
  if (seen.st_size == 0) return {};
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, kMagic.size()> front{};
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;
  const Descriptor file(::openat(spot.folder.number(), spot.name.c_str(), kFlags));
  if (!file.is_open()) return system_failed(errno, "--into", path);
  const ssize_t got = ::pread(file.number(), front.data(), front.size(), 0);
  if (got == static_cast<ssize_t>(kMagic.size()) && std::string_view(front) == kMagic) return {};
  return refuse(path + " exists, but is not a SQLite database", "use another name");
}

bool is_there(const files::Spot& spot, const char* side) {
  struct stat seen{};
  const std::string name = spot.name + side;
  return ::fstatat(spot.folder.number(), name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) == 0;
}

bool has_sides(const files::Spot& spot) { return is_there(spot, kJournal) || is_there(spot, kLog); }

bool remove(const files::Spot& spot, const char* side = "") {
  return ::unlinkat(spot.folder.number(), (spot.name + side).c_str(), 0) == 0;
}

void remove_sides(const files::Spot& spot) {
  for (const char* side : kSides) (void)remove(spot, side);
}

std::unexpected<Failure> database_in_use(const Failure& failure, const std::string& path) {
  // A full disk is also retried, but is not caused by another program.
  if (!store::is_busy(failure)) return std::unexpected(failure);
  return in_use(path + " is in use by another program",
                "wait until the other program is done, or stop it");
}

// Merges the log or journal into the old database and locks it, so that no process starts a new one
// while the database is replaced. Null: it is damaged and may simply be replaced.
Result<std::unique_ptr<store::Db>> hold_old(const files::Spot& spot, bool keeps_mode) {
  const std::string path = spot.folder.path_of(spot.name);
  const bool had_sides = has_sides(spot);
  auto opened = [&]() -> Result<store::Db> {
    // At the start a database in use is reported at once; at the end, when all the work is done, a
    // short read by another process is waited for.
    const std::chrono::milliseconds busy_timeout(keeps_mode ? 0 : 500);
    LET(auto db, store::Db::open(path, {.mode = store::Open::write,
                                        .busy_timeout = busy_timeout,
                                        .folder = spot.folder.number()}));
    TRY(db.exec("SELECT count(*) FROM sqlite_schema"));
    if (keeps_mode) {
      TRY(db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    } else {
      TRY(db.exec("PRAGMA journal_mode = DELETE"));
    }
    TRY(db.exec("BEGIN EXCLUSIVE"));
    return db;
  }();
  if (opened) return std::make_unique<store::Db>(*std::move(opened));
  if (opened.error().cure == Cure::retry) return database_in_use(opened.error(), path);
  // It is damaged, and has no log or journal. Checked again, because on a failing disk our attempt
  // may have left a journal, which would be played back into the new database.
  if (!had_sides && !has_sides(spot)) return nullptr;
  Failure failure = std::move(opened).error();
  failure.step = "--into";
  failure.hint = "move it away together with the log or journal next to it, which belongs to it";
  return std::unexpected(std::move(failure));
}

// Follows a chain of symlinks to its end, even if the file does not exist yet: it is created there,
// and the links stay.
Result<files::Spot> find(const std::string& into) {
  auto found = files::spot_of(into, files::LastLink::follow);
  if (found) return found;
  const std::string folder(walk::folder_of(into));
  if (::access(folder.c_str(), F_OK) != 0) {
    return refuse(folder + ": no such folder", "create it first");
  }
  found.error().step = "--into";
  return found;
}

}  // namespace

struct ImportTarget::State {
  State(const ImportOptions& options, files::Spot at, files::Spot part_at)
      : mode(options.mode),
        page_size(options.page_size),
        spot(std::move(at)),
        part_spot(std::move(part_at)) {}

  const Mode mode;
  const std::uint32_t page_size;
  const files::Spot spot;                                       // of the database
  const files::Spot part_spot;                                  // in the same folder
  const std::string database = spot.folder.path_of(spot.name);  // their paths, for messages
  const std::string part = part_spot.folder.path_of(part_spot.name);
  const std::string path = mode == Mode::fresh ? part : database;
  Descriptor lock{};
  bool has_old = false;
  bool is_placed = false;
  bool has_note = false;  // the part file has a note, and stays

  [[nodiscard]] bool is_fresh() const { return mode == Mode::fresh; }
  [[nodiscard]] Result<void> settle_note(bool has_database);
  [[nodiscard]] Result<void> take_back_end(const EndNote& note) const;
  [[nodiscard]] Result<void> make_room(const std::optional<struct stat>& old) const;
  [[nodiscard]] Result<void> require_no_log() const;
  [[nodiscard]] Result<void> try_lock_database() const;
  [[nodiscard]] Result<void> take_over_mode(const struct stat& old) const;
  [[nodiscard]] Result<store::Db> open_at_once() const;
};

ImportTarget::ImportTarget(std::unique_ptr<State> state) : state_(std::move(state)) {}

ImportTarget::~ImportTarget() {
  const bool is_done_with = state_->is_placed || state_->has_note;
  if (!state_->lock.is_open() || is_done_with) return;
  // A file that cannot be removed is at least emptied.
  remove_sides(state_->part_spot);
  if (!remove(state_->part_spot)) (void)!::ftruncate(state_->lock.number(), 0);
}

bool ImportTarget::is_fresh() const { return state_->is_fresh(); }
bool ImportTarget::replaces_old() const { return state_->is_fresh() && state_->has_old; }
const std::string& ImportTarget::path() const { return state_->path; }
const files::HeldFolder& ImportTarget::folder() const { return state_->spot.folder; }

Result<std::unique_ptr<ImportTarget>> ImportTarget::take(const ImportOptions& options) {
  LET(auto spot, find(options.into));
  LET(auto folder, spot.folder.below(""));
  files::Spot part{.folder = std::move(folder), .name = part_name_of(spot.name)};
  auto made = std::make_unique<State>(options, std::move(spot), std::move(part));
  std::unique_ptr<ImportTarget> target(new ImportTarget(std::move(made)));  // NOLINT: it is private
  State& state = *target->state_;
  LET(const auto old, look(state.spot));
  state.has_old = old.has_value();
  if (old) TRY(require_database(state.spot, *old));
  if (old && state.is_fresh() && !options.may_replace) {
    return refuse(state.database + " already exists",
                  "use --replace to replace it, or --append to add to it");
  }
  LET(state.lock, lock_part(state.part_spot, state.database));
  TRY(state.settle_note(old.has_value()));
  TRY(state.is_fresh() ? state.make_room(old) : state.try_lock_database());
  return target;
}

// A note means that an import was killed while it was marked as ended: it has not ended.
Result<void> ImportTarget::State::settle_note(bool has_database) {
  const auto note = read_end_note(lock.number());
  if (!note) return {};
  has_note = true;
  if (has_database) {
    auto taken_back = take_back_end(*note);
    const bool is_damaged = !taken_back && taken_back.error().cure == Cure::give_up;
    if (!taken_back && !(is_fresh() && is_damaged)) {  // a damaged database can be replaced
      return database_in_use(taken_back.error(), database);
    }
  }
  if (::ftruncate(lock.number(), 0) != 0) return system_failed(errno, "--into", part);
  has_note = false;
  return {};
}

// Does not wait for another process.
Result<store::Db> ImportTarget::State::open_at_once() const {
  return store::Db::open(
      database, {.busy_timeout = std::chrono::milliseconds(0), .folder = spot.folder.number()});
}

Result<void> ImportTarget::State::take_back_end(const EndNote& note) const {
  LET(auto db, open_at_once());
  TRY(db.exec("PRAGMA synchronous = EXTRA"));
  LET(auto transaction, store::Transaction::begin(db));
  TRY(ImportLog(db).take_back_end(note));
  return transaction.commit();
}

Result<void> ImportTarget::State::make_room(const std::optional<struct stat>& old) const {
  if (::ftruncate(lock.number(), 0) != 0) return system_failed(errno, "--into", part);
  remove_sides(part_spot);
  if (!old) return {};
  LET(auto held, hold_old(spot, true));
  held.reset();
  return require_no_log();
}

// The last connection removes the log: if it exists, there is another connection.
Result<void> ImportTarget::State::require_no_log() const {
  if (!is_there(spot, kLog)) return {};
  return in_use(database + " is in use by another program",
                "wait until the other program is done, or stop it");
}

Result<void> ImportTarget::State::try_lock_database() const {
  auto tried = [&]() -> Result<void> {
    LET(auto db, open_at_once());
    TRY(db.exec("BEGIN IMMEDIATE"));
    return db.exec("ROLLBACK");
  }();
  if (!tried) return database_in_use(tried.error(), database);
  return {};
}

Result<store::Db> ImportTarget::open() {
  LET(auto db, store::Db::open(state_->path, {.folder = folder().number()}));
  TRY(add_text_function(db));
  const std::string page_size = "PRAGMA page_size = " + std::to_string(state_->page_size) + ";";
  if (!state_->is_fresh()) {
    // The page size applies only to a new database. EXTRA also syncs the removal of the journal,
    // which after a power cut would undo the commit.
    TRY(db.exec(page_size + "PRAGMA synchronous = EXTRA"));
    return db;
  }
  TRY(db.exec(page_size +
              "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF;"
              "PRAGMA synchronous = OFF; PRAGMA cache_size = -2048; PRAGMA secure_delete = OFF"));
  return db;
}

// The new database gets the access rights of the old one.
Result<void> ImportTarget::State::take_over_mode(const struct stat& old) const {
  return files::take_over(old, lock.number(), part);
}

Result<void> ImportTarget::place() {
  State& state = *state_;
  if (!state.is_fresh()) return {};
  LET(const auto old, look(state.spot));
  std::unique_ptr<store::Db> held;
  if (old) {
    LET(held, hold_old(state.spot, false));
    TRY(state.require_no_log());
    // While we hold the lock, a remaining journal is an empty one (journal_mode PERSIST).
    if (held) (void)remove(state.spot, kJournal);
    TRY(state.take_over_mode(*old));
    TRY(folder().sync());  // the old log is gone before the new database has the name
  }
  if (::fsync(state.lock.number()) != 0) return system_failed(errno, "sync", state.part);
  if (!has_name(state.lock.number(), state.part_spot)) {
    return refuse(state.part + " was replaced by another file", "check what else writes there");
  }
  const int in = folder().number();
  if (::renameat(in, state.part_spot.name.c_str(), in, state.spot.name.c_str()) != 0) {
    return system_failed(errno, "--into", state.database);
  }
  state.is_placed = true;
  return folder().sync();
}

Result<void> ImportTarget::note_end(const EndNote& note) {
  TRY(write_end_note(state_->lock.number(), state_->part_spot, note));
  state_->has_note = true;
  return {};
}

void ImportTarget::forget_end() { state_->has_note = false; }

Result<void> add_text_function(store::Db& db) {
  static constexpr store::NumberText kText{.of_integer = jsonl::append_text,
                                           .of_real = jsonl::append_text};
  return db.add_function("tidemill_text", kText);
}

}  // namespace tidemill::import
