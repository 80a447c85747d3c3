// Db and Statement: a thin, typed wrapper for SQLite.
//
// Failures carry a cure, so that callers need no list of SQLite's codes: a busy database and a full
// disk are Cure::retry, everything else is Cure::give_up. After a failure of the disk or of the
// file itself (a failed fsync, a failed read, a damaged page) it is unknown what is on the disk:
// damage() keeps the first such failure, and the connection no longer checkpoints its log when it
// is closed, because an fsync that failed once may succeed the next time without having written
// anything. A database is never deleted or recreated.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tidemill/base/result.h"

struct sqlite3;  // <sqlite3.h> stays out of our headers
struct sqlite3_stmt;

namespace tidemill::store {

// Binds bytes as a BLOB; a plain string_view is bound as TEXT. A std::string reads both.
struct Blob {
  std::string_view bytes;
};

// Whether another connection holds a lock on the database.
[[nodiscard]] bool is_busy(const Failure& failure);

enum class Open : std::uint8_t { read, write, create };

// Why a statement failed, if the cause is the row and not the database: the next row may succeed.
enum class RowRefusal : std::uint8_t {
  none,
  duplicate,   // a row with that key exists
  constraint,  // another constraint of the table
  mismatch,    // not an integer where only an integer is allowed
  too_large,   // above SQLite's size limit
};

// An SQL function with one argument that converts a number to text and returns any other value
// unchanged. Must not throw.
struct NumberText {
  void (*of_integer)(std::int64_t integer, std::string& out) = nullptr;  // append to `out`
  void (*of_real)(double real, std::string& out) = nullptr;
};

struct OpenOptions {
  Open mode = Open::create;
  std::chrono::milliseconds busy_timeout{5'000};
  bool is_immutable = false;  // the file cannot change: on a read-only medium
  std::string vfs{};          // name of an SQLite VFS; empty: the default
  // The open folder that contains the file; it must stay open as long as the database. The last
  // component of the path is opened there (held_vfs.h), and the path itself is only for messages.
  std::optional<int> folder{};
};

namespace internal {

// Shared by a Db and its statements. Closed when the last of them is destroyed. One thread.
struct DbConnection {
  DbConnection() = default;
  DbConnection(const DbConnection&) = delete;
  DbConnection& operator=(const DbConnection&) = delete;
  ~DbConnection();

  [[nodiscard]] Failure failure(int code, std::string step);  // of the last call; records damage

  sqlite3* handle = nullptr;
  std::string path{};
  std::optional<Failure> damage{};
  int system_errno = 0;  // of the last failure
  std::string words{};   // SQLite's message for the last failure, without the path
  RowRefusal refusal = RowRefusal::none;
  std::int64_t log_pages = 0;
  std::uint64_t rollbacks = 0;
};

// These return SQLite's code. The bytes must outlive the step.
[[nodiscard]] int bind(sqlite3_stmt* s, int at, std::int64_t value);
[[nodiscard]] int bind_real(sqlite3_stmt* s, int at, double value);
template <std::same_as<double> T>  // else a plain int would be ambiguous
[[nodiscard]] int bind(sqlite3_stmt* s, int at, T value) {
  return bind_real(s, at, value);
}
[[nodiscard]] int bind(sqlite3_stmt* s, int at, std::string_view text);
[[nodiscard]] int bind(sqlite3_stmt* s, int at, Blob blob);
[[nodiscard]] int bind(sqlite3_stmt* s, int at, std::nullptr_t);
template <class T>
[[nodiscard]] int bind(sqlite3_stmt* s, int at, const std::optional<T>& value) {
  return value ? bind(s, at, *value) : bind(s, at, nullptr);
}

[[nodiscard]] bool is_null(sqlite3_stmt* s, int at);
void read(sqlite3_stmt* s, int at, std::int64_t& value);
void read(sqlite3_stmt* s, int at, double& value);
void read(sqlite3_stmt* s, int at, std::string& value);  // NULL: empty
// Valid until the next row: for rows() only.
void read(sqlite3_stmt* s, int at, std::string_view& value);
template <class T>
constexpr bool kIsView = std::is_same_v<T, std::string_view>;
template <class T>
void read(sqlite3_stmt* s, int at, std::optional<T>& value) {
  if (is_null(s, at)) return value.reset();
  read(s, at, value.emplace());
}

struct Finalize {
  void operator()(sqlite3_stmt* s) const;
};

}  // namespace internal

// A prepared statement. Every call resets it, even on failure: an active statement would hold its
// snapshot and keep the log from being reused. One thread at a time, that of its Db.
class Statement {
 public:
  // For a statement without rows; any rows are ignored.
  template <class... Args>
  Result<void> run(const Args&... args) {
    const Reset reset{*this};
    if (auto bound = bind_all(args...); !bound) return bound;
    return run_to_its_end();
  }

  // For a statement with too many parameters for run(): set each, from 1, then call run_set(). The
  // bytes must live until then.
  template <class T>
  void set(int at, const T& value) {
    const int code = internal::bind(stmt_.get(), at, value);
    if (code != 0) set_code_ = code;
  }
  Result<void> run_set();

  // Calls `each(column…)` for every row. A std::string_view is valid until `each` returns.
  template <class... Columns, class... Args, class Each>
  Result<void> rows(const std::tuple<Args...>& args, Each each) {
    return rows_while<Columns...>(args, [&](auto&&... columns) {
      each(std::forward<decltype(columns)>(columns)...);
      return true;
    });
  }

  // The same until `each` returns false.
  template <class... Columns, class... Args, class Each>
  Result<void> rows_while(const std::tuple<Args...>& args, Each each) {
    const Reset reset{*this};
    auto bound = std::apply([&](const auto&... a) { return bind_all(a...); }, args);
    if (!bound) return bound;
    for (;;) {
      auto more = step();
      if (!more) return std::unexpected(std::move(more).error());
      if (!*more || !std::apply(each, row<Columns...>())) return {};
    }
  }

  // The first row, or nothing.
  template <class... Columns, class... Args>
  Result<std::optional<std::tuple<Columns...>>> first(const Args&... args) {
    static_assert(!(internal::kIsView<Columns> || ...), "the row is gone when this returns");
    const Reset reset{*this};
    if (auto bound = bind_all(args...); !bound) return std::unexpected(std::move(bound).error());
    auto more = step();
    if (!more) return std::unexpected(std::move(more).error());
    if (!*more) return std::nullopt;
    return row<Columns...>();
  }

  // The first column of the first row.
  template <class Column, class... Args>
  Result<std::optional<Column>> one(const Args&... args) {
    auto found = first<Column>(args...);
    if (!found) return std::unexpected(std::move(found).error());
    auto& row = *found;
    if (!row) return std::nullopt;
    return std::get<0>(*std::move(row));
  }

 private:
  friend class Db;

  struct Reset {
    Statement& statement;
    ~Reset() { statement.reset(); }
  };

  Statement(std::shared_ptr<internal::DbConnection> connection, sqlite3_stmt* s)
      : connection_(std::move(connection)), stmt_(s) {}

  template <class... Args>
  Result<void> bind_all(const Args&... args) {
    int code = 0;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      for (const int bound : {0, internal::bind(stmt_.get(), static_cast<int>(I) + 1, args)...}) {
        if (code == 0) code = bound;
      }
    }(std::index_sequence_for<Args...>{});
    if (code != 0) return std::unexpected(connection_->failure(code, "bind"));
    return {};
  }

  template <class... Columns>
  std::tuple<Columns...> row() {
    std::tuple<Columns...> values;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (internal::read(stmt_.get(), static_cast<int>(I), std::get<I>(values)), ...);
    }(std::index_sequence_for<Columns...>{});
    return values;
  }

  Result<bool> step();  // true: there is a row
  Result<void> run_to_its_end();
  void reset();

  std::shared_ptr<internal::DbConnection> connection_;  // before stmt_: must live longer
  std::unique_ptr<sqlite3_stmt, internal::Finalize> stmt_;
  int set_code_ = 0;  // of the last set() that failed
};

// A connection. One thread at a time.
class Db {
 public:
  [[nodiscard]] static Result<Db> open(const std::string& path, const OpenOptions& options = {});

  Result<void> exec(const std::string& sql);
  [[nodiscard]] Result<Statement> prepare(std::string_view sql);
  // For the lifetime of the connection, which `text` must outlive.
  Result<void> add_function(const std::string& name, const NumberText& text);
  // Adds checksum(value, ...), see io/store/checksum.h.
  Result<void> add_checksum();

  [[nodiscard]] const std::string& path() const { return connection_->path; }
  [[nodiscard]] std::int64_t changes() const;  // rows of the last insert, update or delete
  [[nodiscard]] std::int64_t last_id() const;  // row id of the last insert
  [[nodiscard]] int system_errno() const;      // of the last failure; 0: not a system error
  [[nodiscard]] RowRefusal refusal() const { return connection_->refusal; }  // of the last failure
  // SQLite's message for the last failure, without the path.
  [[nodiscard]] const std::string& words() const { return connection_->words; }
  [[nodiscard]] bool in_transaction() const;
  [[nodiscard]] const std::optional<Failure>& damage() const { return connection_->damage; }

  // Number of rollbacks: when it changes, cached contents are invalid.
  [[nodiscard]] std::uint64_t rollbacks() const { return connection_->rollbacks; }

  // Disables SQLite's automatic checkpoints, which hide their failures. The owner checks
  // log_pages() after commits and calls checkpoint(), which copies the log as far as readers allow,
  // without waiting.
  void take_over_checkpoints();
  [[nodiscard]] std::int64_t log_pages() const { return connection_->log_pages; }
  Result<void> checkpoint();

 private:
  friend class Transaction;
  friend class Savepoint;
  explicit Db(std::shared_ptr<internal::DbConnection> connection)
      : connection_(std::move(connection)) {}

  std::shared_ptr<internal::DbConnection> connection_;
};

}  // namespace tidemill::store
