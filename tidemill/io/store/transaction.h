// Transaction and Savepoint: changes that are applied completely or not at all.
//
// Both start with begin() and are kept by commit(); the destructor rolls them back if they were not
// committed. When SQLite has ended the transaction itself, as it does on a full disk, there is
// nothing to roll back, and a Savepoint inside it is gone too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"

namespace tidemill::store {

// Takes the write lock at once: a transaction that began as a reader could fail when it first
// writes.
// One thread, that of its Db.
class Transaction {
 public:
  [[nodiscard]] static Result<Transaction> begin(Db& db);
  Transaction(Transaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  // After a failure nothing was kept, unless db.damage() is set: then it is unknown.
  [[nodiscard]] Result<void> commit();

 private:
  explicit Transaction(Db& db) : db_(&db) {}
  Db* db_;  // null: committed or moved from
};

// A part of a transaction that can be rolled back alone. One thread, that of its Db.
class Savepoint {
 public:
  [[nodiscard]] static Result<Savepoint> begin(Db& db);
  Savepoint(Savepoint&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  Savepoint& operator=(Savepoint&&) = delete;
  ~Savepoint();

  [[nodiscard]] Result<void> commit();

 private:
  explicit Savepoint(Db& db) : db_(&db) {}
  Db* db_;
};

// The format of a database file: the id in its header and the scripts that create it. Script n
// migrates from version n to n + 1 and never changes once it has been released.
struct DbFormat {
  std::string_view name;  // for messages: "journal"
  std::int32_t application_id = 0;
  std::span<const std::string_view> scripts;
  std::string_view update_hint = "resume the run once to update the file";
  std::string_view damage_hint = "restore the file from a backup, or start again with a new file";
};

// Creates the schema in an empty file, or migrates an older one. Files that are newer, of another
// program, or lack part of the schema that the scripts create are refused with Cure::give_up and
// stay unchanged.
[[nodiscard]] Result<void> migrate(Db& db, const DbFormat& format);

// For readers: requires exactly the version that this program writes, and its schema.
[[nodiscard]] Result<void> require(Db& db, const DbFormat& format);
// The same for any version from `oldest` on; returns the version.
[[nodiscard]] Result<std::int64_t> require_since(Db& db, const DbFormat& format,
                                                 std::int64_t oldest);

}  // namespace tidemill::store
