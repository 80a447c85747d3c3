#include "tidemill/jobs/import/target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/ledger.h"
#include "tidemill/jobs/import/part_file.h"
#include "tidemill/jsonl/number.h"
#include "tidemill/store/transaction.h"
#include "tidemill/walk/folder_of.h"

namespace tidemill::import {
namespace {

constexpr const char* kJournal = "-journal";
constexpr const char* kLog = "-wal";
constexpr std::array<const char*, 3> kSides = {kJournal, kLog, "-shm"};

std::unexpected<Failure> refuse(const std::string& reason, std::string hint = {}) {
  return std::unexpected(
      Failure{.cure = Cure::give_up, .step = "into", .reason = reason, .hint = std::move(hint)});
}

// Where a chain of symlinks ends, also when nothing is there yet: the file is made there, and the
// links stay.
Result<std::string> resolved(const std::string& into) {
  constexpr int kMostLinks = 40;
  std::filesystem::path path(into);
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, error))) {
      return path.string();
    }
    const auto next = std::filesystem::read_symlink(path, error);
    if (error) return system_failed(error.value(), "into", path.string());
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return refuse(into + ": too many symbolic links");
}

// Nothing: there is no such file.
Result<std::optional<struct stat>> look(const std::string& path) {
  struct stat seen{};
  if (::stat(path.c_str(), &seen) == 0) return seen;
  if (errno == ENOENT) return std::nullopt;
  return system_failed(errno, "into", path);
}

Result<void> require_database(const std::string& path, const struct stat& seen) {
  if (S_ISDIR(seen.st_mode)) return refuse(path + " is a folder");
  if (!S_ISREG(seen.st_mode)) return refuse(path + " is no regular file");
  if (seen.st_size == 0) return {};
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::array<char, kMagic.size()> front{};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) return system_failed(errno, "into", path);
  const ssize_t got = ::pread(file.number(), front.data(), front.size(), 0);
  if (got == static_cast<ssize_t>(kMagic.size()) && std::string_view(front) == kMagic) return {};
  return refuse(path + " is there, and is no SQLite database", "choose another name");
}

bool is_there(const std::string& path) {
  struct stat seen{};
  return ::lstat(path.c_str(), &seen) == 0;
}

bool has_sides(const std::string& path) {
  return is_there(path + kJournal) || is_there(path + kLog);
}

bool remove_with_sides(const std::string& path) {
  for (const char* side : kSides) ::unlink((path + side).c_str());
  return ::unlink(path.c_str()) == 0;
}

std::unexpected<Failure> database_in_use(const Failure& failure, const std::string& path) {
  // A full disk may pass too, but nobody is in the way then.
  if (!store::is_busy(failure)) return std::unexpected(failure);
  return in_use(path + " is used by another program", "wait for it or end it");
}

// The old database takes in its log or journal and is held, so that nobody begins another one while
// it is replaced.
Result<std::unique_ptr<store::Db>> hold_old(const std::string& path, bool keeps_mode) {
  const bool had_sides = has_sides(path);
  auto opened = [&]() -> Result<store::Db> {
    // At first it is told at once; in the end, with all the work done, somebody's short look is
    // waited for.
    const std::chrono::milliseconds patience(keeps_mode ? 0 : 500);
    LET(auto db, store::Db::open(path, {.mode = store::Open::write, .busy_timeout = patience}));
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
  // It is damaged, and there is nothing beside it: nor has our try, on a disk that fails, left a
  // journal there, which would be played back into the new database.
  if (!had_sides && !has_sides(path)) return nullptr;
  Failure failure = std::move(opened).error();
  failure.step = "into";
  failure.hint =
      "there is a log or a journal beside it that belongs to it: move them away together";
  return std::unexpected(std::move(failure));
}

}  // namespace

struct Target::State {
  Mode mode = Mode::fresh;
  std::uint32_t page_size = 0;
  std::string database{};
  std::string part{};
  std::string path{};
  Descriptor lock{};
  bool has_old = false;
  bool is_placed = false;
  bool has_note = false;  // in the part: it stays until the database says the same

  [[nodiscard]] bool is_fresh() const { return mode == Mode::fresh; }
  [[nodiscard]] Result<void> settle_note(bool has_database);
  [[nodiscard]] Result<void> take_back_end(const EndNote& note) const;
  [[nodiscard]] Result<void> make_room(const std::optional<struct stat>& old) const;
  [[nodiscard]] Result<void> require_no_log() const;
  [[nodiscard]] Result<void> try_lock_database() const;
  void take_over_mode() const;
};

Target::Target(const Options& options) : state_(std::make_unique<State>()) {
  state_->mode = options.mode;
  state_->page_size = options.page_size;
}

Target::~Target() {
  const bool is_done_with = state_->is_placed || state_->has_note;
  if (!state_->lock.is_open() || is_done_with) return;
  // What cannot be removed shall at least say nothing.
  if (!remove_with_sides(state_->part)) (void)!::ftruncate(state_->lock.number(), 0);
}

bool Target::is_fresh() const { return state_->is_fresh(); }
bool Target::replaces_old() const { return state_->is_fresh() && state_->has_old; }
const std::string& Target::path() const { return state_->path; }

Result<std::unique_ptr<Target>> Target::take(const Options& options) {
  std::unique_ptr<Target> target(new Target(options));  // NOLINT: the constructor is private
  State& state = *target->state_;
  LET(state.database, resolved(options.into));
  state.part = state.database + ".part";
  state.path = state.is_fresh() ? state.part : state.database;
  const std::string folder(walk::folder_of(state.database));
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return refuse(folder + ": there is no such folder", "make it first");
  }
  LET(const auto old, look(state.database));
  state.has_old = old.has_value();
  if (old) TRY(require_database(state.database, *old));
  if (old && state.is_fresh() && !options.may_replace) {
    return refuse(state.database + " is there already",
                  "replace it with --replace, or add to it with --append");
  }
  LET(state.lock, lock_part(state.part, state.database));
  TRY(state.settle_note(old.has_value()));
  TRY(state.is_fresh() ? state.make_room(old) : state.try_lock_database());
  return target;
}

// An import was killed while it was being marked as ended: it has not ended.
Result<void> Target::State::settle_note(bool has_database) {
  const auto note = read_end_note(lock.number());
  if (!note) return {};
  has_note = true;
  if (has_database) {
    auto taken_back = take_back_end(*note);
    const bool is_damaged = !taken_back && taken_back.error().cure == Cure::give_up;
    if (!taken_back && !(is_fresh() && is_damaged)) {  // what cannot be read can be replaced
      return database_in_use(taken_back.error(), database);
    }
  }
  if (::ftruncate(lock.number(), 0) != 0) return system_failed(errno, "into", part);
  has_note = false;
  return {};
}

Result<void> Target::State::take_back_end(const EndNote& note) const {
  LET(auto db, store::Db::open(database, {.busy_timeout = std::chrono::milliseconds(0)}));
  TRY(db.exec("PRAGMA synchronous = EXTRA"));
  LET(auto transaction, store::Transaction::begin(db));
  TRY(Ledger(db).take_back_end(note));
  return transaction.commit();
}

Result<void> Target::State::make_room(const std::optional<struct stat>& old) const {
  if (::ftruncate(lock.number(), 0) != 0) return system_failed(errno, "into", part);
  for (const char* side : kSides) ::unlink((part + side).c_str());
  if (!old) return {};
  LET(auto held, hold_old(database, true));
  held.reset();
  return require_no_log();
}

// It goes when the last connection does: so there is another one.
Result<void> Target::State::require_no_log() const {
  if (!is_there(database + kLog)) return {};
  return in_use(database + " is used by another program", "wait for it or end it");
}

Result<void> Target::State::try_lock_database() const {
  auto tried = [&]() -> Result<void> {
    LET(auto db, store::Db::open(database, {.busy_timeout = std::chrono::milliseconds(0)}));
    TRY(db.exec("BEGIN IMMEDIATE"));
    return db.exec("ROLLBACK");
  }();
  if (!tried) return database_in_use(tried.error(), database);
  return {};
}

Result<store::Db> Target::open() {
  LET(auto db, store::Db::open(state_->path));
  TRY(add_text_function(db));
  const std::string page_size = "PRAGMA page_size = " + std::to_string(state_->page_size) + ";";
  if (!state_->is_fresh()) {
    // The size: of one that is made now. EXTRA: a commit is on the disk with the removal of its
    // journal, which after a power cut would undo it.
    TRY(db.exec(page_size + "PRAGMA synchronous = EXTRA"));
    return db;
  }
  TRY(db.exec(page_size +
              "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF;"
              "PRAGMA synchronous = OFF; PRAGMA cache_size = -2048; PRAGMA secure_delete = OFF"));
  return db;
}

// Who could read and write the old database can do so with the new one. The owner stays if we may
// give files away.
void Target::State::take_over_mode() const {
  struct stat old{};
  struct stat now{};
  if (::stat(database.c_str(), &old) != 0 || ::fstat(lock.number(), &now) != 0) return;
  if (old.st_uid != now.st_uid || old.st_gid != now.st_gid) {
    [[maybe_unused]] const int given = ::fchown(lock.number(), old.st_uid, old.st_gid);
  }
  [[maybe_unused]] const int changed = ::fchmod(lock.number(), old.st_mode & 07777U);
}

Result<void> Target::place() {
  State& state = *state_;
  if (!state.is_fresh()) return {};
  LET(const auto old, look(state.database));
  std::unique_ptr<store::Db> held;
  if (old) {
    LET(held, hold_old(state.database, false));
    TRY(state.require_no_log());
    // With the lock in hand, a journal that is still there is an empty one that its owner kept.
    if (held) ::unlink((state.database + kJournal).c_str());
    state.take_over_mode();
    TRY(sync_folder_of(state.database));  // its log is gone before its name is the new one's
  }
  if (::fsync(state.lock.number()) != 0) return system_failed(errno, "sync", state.part);
  if (::rename(state.part.c_str(), state.database.c_str()) != 0) {
    return system_failed(errno, "into", state.database);
  }
  state.is_placed = true;
  return sync_folder_of(state.database);
}

Result<void> Target::note_end(const EndNote& note) {
  TRY(write_end_note(state_->lock.number(), state_->part, note));
  state_->has_note = true;
  return {};
}

void Target::forget_end() { state_->has_note = false; }

Result<void> add_text_function(store::Db& db) {
  static constexpr store::NumberText kText{.of_integer = jsonl::append_text,
                                           .of_real = jsonl::append_text};
  return db.add_function("tidemill_text", kText);
}

}  // namespace tidemill::import
