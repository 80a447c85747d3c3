#include "tidemill/io/store/db.h"

#include <cerrno>
#include <utility>

#include <sqlite3.h>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/store/checksum.h"
#include "tidemill/io/store/held_vfs.h"

namespace tidemill::store {
namespace {

// The kinds of failure that a caller must distinguish.
enum class Kind : std::uint8_t { busy, disordered, full, damage, other };

// SQLite loses the errno when a commit fails; the log file still has it.
int errno_of(sqlite3* db, int code) {
  sqlite3_file* log = nullptr;
  int error = 0;
  if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC) {
    sqlite3_file_control(db, nullptr, SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log != nullptr && log->pMethods != nullptr) {
      log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
    }
  }
  return error != 0 ? error : sqlite3_system_errno(db);
}

// Only writing can fail for lack of space. A failed fsync is damage, whatever the reason: the
// commit may or may not be on the disk.
Kind kind_of(int code, int system_errno) {
  const bool writes =
      code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_TRUNCATE || code == SQLITE_IOERR_SHMSIZE;
  const bool no_space = writes && (system_errno == ENOSPC || system_errno == EDQUOT);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Kind::busy;
    case SQLITE_PROTOCOL:
      return Kind::disordered;
    case SQLITE_FULL:
      return Kind::full;
    case SQLITE_IOERR:
      return no_space ? Kind::full : Kind::damage;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
      return Kind::damage;
    default:
      return Kind::other;
  }
}

RowRefusal refusal_of(int code) {
  switch (code) {
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
    case SQLITE_CONSTRAINT_UNIQUE:
      return RowRefusal::duplicate;
    default:
      break;
  }
  switch (code & 0xff) {
    case SQLITE_CONSTRAINT:
      return RowRefusal::constraint;
    case SQLITE_MISMATCH:
      return RowRefusal::mismatch;
    case SQLITE_TOOBIG:
      return RowRefusal::too_large;
    default:
      return RowRefusal::none;
  }
}

void answer_number_text(sqlite3_context* context, int /*count*/, sqlite3_value** arguments) {
  const auto& text = *static_cast<const NumberText*>(sqlite3_user_data(context));
  std::string out;
  switch (sqlite3_value_type(arguments[0])) {
    case SQLITE_INTEGER:
      text.of_integer(sqlite3_value_int64(arguments[0]), out);
      break;
    case SQLITE_FLOAT:
      text.of_real(sqlite3_value_double(arguments[0]), out);
      break;
    default:
      return sqlite3_result_value(context, arguments[0]);
  }
  sqlite3_result_text64(context, out.data(), out.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// None of our columns holds a REAL: hashed as bytes, it never matches.
void answer_checksum(sqlite3_context* context, int count, sqlite3_value** arguments) {
  Checksum sum;
  for (int i = 0; i < count; ++i) {
    if (sqlite3_value_type(arguments[i]) == SQLITE_INTEGER) {
      sum.add(std::int64_t{sqlite3_value_int64(arguments[i])});
      continue;
    }
    const auto* start = static_cast<const char*>(sqlite3_value_blob(arguments[i]));
    const auto size = static_cast<std::size_t>(sqlite3_value_bytes(arguments[i]));
    sum.add(start == nullptr ? std::string_view() : std::string_view(start, size));
  }
  sqlite3_result_int64(context, sum.value());
}

// "t.a, t.b" from "UNIQUE constraint failed: t.a, t.b": only the message has the columns.
std::string columns_in(std::string_view message) {
  constexpr std::string_view kBefore = "UNIQUE constraint failed: ";
  if (!message.starts_with(kBefore)) return {};
  return std::string(message.substr(kBefore.size()));
}

bool is_system_error(int code) {
  const int primary = code & 0xff;
  return primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN;
}

int note_log_pages(void* connection, sqlite3* /*db*/, const char* /*name*/, int pages) {
  static_cast<internal::DbConnection*>(connection)->log_pages = pages;
  return SQLITE_OK;
}

int flags_of(Open mode) {
  constexpr int kAlways = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (mode) {
    case Open::read:
      return kAlways | SQLITE_OPEN_READONLY;
    case Open::write:
      return kAlways | SQLITE_OPEN_READWRITE;
    case Open::create:
      break;
  }
  return kAlways | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
}

// SQLite counts its memory under one lock for all connections, and the number is not used. If other
// code has initialised SQLite before, this has no effect, and SQLite is only slower.
void stop_counting_memory() {
  static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  (void)once;
}

// Debian's SQLite takes a name that begins with "file:" for a URI even without SQLITE_OPEN_URI.
std::string file_name(const std::string& path, bool is_immutable) {
  if (!is_immutable) return path.starts_with("file:") ? "./" + path : path;
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    uri += {'%', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return uri + "?immutable=1";
}

}  // namespace

bool is_busy(const Failure& failure) {
  return failure.cure == Cure::retry && failure.kind == FailureKind::busy;
}

namespace internal {

DbConnection::~DbConnection() { sqlite3_close(handle); }

Failure DbConnection::failure(int code, std::string step) {
  const int error = errno_of(handle, code);
  system_errno = is_system_error(code) ? error : 0;
  refusal = refusal_of(code);
  words = handle ? sqlite3_errmsg(handle) : "out of memory";
  if (system_errno != 0) words += ": " + system_text(system_errno);
  Failure failure{.cure = Cure::give_up, .step = std::move(step), .reason = path + ": " + words};
  if (refusal == RowRefusal::duplicate) failure.subject = columns_in(words);
  switch (kind_of(code, error)) {
    case Kind::busy:
      failure.cure = Cure::retry;
      failure.kind = FailureKind::busy;
      break;
    case Kind::disordered:  // lost the race for the log's lock too often
      failure.cure = Cure::retry;
      break;
    case Kind::full:
      failure.cure = Cure::retry;
      failure.kind = FailureKind::disk_full;
      failure.step = "disk full";
      failure.hint = "free space on the disk that holds " + path;
      break;
    case Kind::damage:
      if (!damage) damage = failure;
      sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
      break;
    case Kind::other:
      break;
  }
  return failure;
}

int bind(sqlite3_stmt* s, int at, std::int64_t value) { return sqlite3_bind_int64(s, at, value); }

int bind_real(sqlite3_stmt* s, int at, double value) { return sqlite3_bind_double(s, at, value); }

int bind(sqlite3_stmt* s, int at, std::string_view text) {
  const char* start = text.empty() ? "" : text.data();  // a null pointer would bind NULL
  return sqlite3_bind_text64(s, at, start, text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

int bind(sqlite3_stmt* s, int at, Blob blob) {
  const char* start = blob.bytes.empty() ? "" : blob.bytes.data();
  return sqlite3_bind_blob64(s, at, start, blob.bytes.size(), SQLITE_STATIC);
}

int bind(sqlite3_stmt* s, int at, std::nullptr_t) { return sqlite3_bind_null(s, at); }

bool is_null(sqlite3_stmt* s, int at) { return sqlite3_column_type(s, at) == SQLITE_NULL; }

void read(sqlite3_stmt* s, int at, std::int64_t& value) { value = sqlite3_column_int64(s, at); }
void read(sqlite3_stmt* s, int at, double& value) { value = sqlite3_column_double(s, at); }

void read(sqlite3_stmt* s, int at, std::string& value) {
  const auto* start = static_cast<const char*>(sqlite3_column_blob(s, at));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(s, at));
  if (start == nullptr) return value.clear();
  value.assign(start, size);
}

void read(sqlite3_stmt* s, int at, std::string_view& value) {
  const auto* start = static_cast<const char*>(sqlite3_column_blob(s, at));
  if (start == nullptr) return void(value = {});
  value = {start, static_cast<std::size_t>(sqlite3_column_bytes(s, at))};
}

void Finalize::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }

}  // namespace internal

Result<bool> Statement::step() {
  const int code = sqlite3_step(stmt_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(connection_->failure(code, "step"));
}

Result<void> Statement::run_to_its_end() {
  for (;;) {
    LET(const bool more, step());
    if (!more) return {};
  }
}

Result<void> Statement::run_set() {
  const Reset reset{*this};
  if (set_code_ != 0) {
    return std::unexpected(connection_->failure(std::exchange(set_code_, 0), "bind"));
  }
  return run_to_its_end();
}

void Statement::reset() { sqlite3_reset(stmt_.get()); }

Result<Db> Db::open(const std::string& path, const OpenOptions& options) {
  stop_counting_memory();
  auto connection = std::make_shared<internal::DbConnection>();
  connection->path = path;
  const char* vfs = options.vfs.empty() ? nullptr : options.vfs.c_str();
  std::string name = file_name(path, options.is_immutable);
  if (options.folder) {
    sqlite3_initialize();
    vfs = held_vfs();
    name = "/proc/self/fd/" + std::to_string(*options.folder) + "/" +
           path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  }
  const int flags = flags_of(options.mode) | (options.is_immutable ? SQLITE_OPEN_URI : 0);
  const int code = sqlite3_open_v2(name.c_str(), &connection->handle, flags, vfs);
  if (code != SQLITE_OK) return std::unexpected(connection->failure(code, "open"));
  sqlite3_busy_timeout(connection->handle, static_cast<int>(options.busy_timeout.count()));
  sqlite3_db_config(connection->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  Db db(std::move(connection));
  TRY(db.exec("pragma cell_size_check = on"));
  return db;
}

Result<void> Db::exec(const std::string& sql) {
  const int code = sqlite3_exec(connection_->handle, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(connection_->failure(code, "exec"));
  return {};
}

Result<Statement> Db::prepare(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int code = sqlite3_prepare_v3(connection_->handle, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
  if (code != SQLITE_OK) return std::unexpected(connection_->failure(code, "prepare"));
  return Statement(connection_, raw);
}

Result<void> Db::add_function(const std::string& name, const NumberText& text) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  // SQLite takes a non-const pointer, but only passes it back.
  auto* const context = const_cast<NumberText*>(&text);  // NOLINT(*-const-cast)
  const int code = sqlite3_create_function_v2(connection_->handle, name.c_str(), 1, kFlags, context,
                                              answer_number_text, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(connection_->failure(code, "function"));
  return {};
}

Result<void> Db::add_checksum() {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  const int code = sqlite3_create_function_v2(connection_->handle, "checksum", -1, kFlags, nullptr,
                                              answer_checksum, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return std::unexpected(connection_->failure(code, "function"));
  return {};
}

std::int64_t Db::changes() const { return sqlite3_changes64(connection_->handle); }
std::int64_t Db::last_id() const { return sqlite3_last_insert_rowid(connection_->handle); }
int Db::system_errno() const { return connection_->system_errno; }
bool Db::in_transaction() const { return sqlite3_get_autocommit(connection_->handle) == 0; }

void Db::take_over_checkpoints() {
  sqlite3_wal_hook(connection_->handle, note_log_pages, connection_.get());
}

Result<void> Db::checkpoint() {
  const int code = sqlite3_wal_checkpoint_v2(connection_->handle, nullptr,
                                             SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY) return {};
  return std::unexpected(connection_->failure(code, "checkpoint"));
}

}  // namespace tidemill::store
