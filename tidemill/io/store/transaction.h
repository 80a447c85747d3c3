// Transaction and Savepoint: work that is kept whole or not at all.
//
// Both begin with begin(), are kept by commit(), and are rolled back by their destructor when
// nobody committed them. When SQLite has ended the transaction by itself, as it does on a full
// disk, there is nothing left to roll back, and a Savepoint inside it is gone too.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"

namespace tidemill::store {

// Takes the write lock at once: a transaction that began as a reader could fail half-way.
// One thread, that of its Db.
class Transaction {
 public:
  [[nodiscard]] static Result<Transaction> begin(Db& db);
  Transaction(Transaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  // After a failure nothing was kept, unless db.damage() says that nobody can know.
  [[nodiscard]] Result<void> commit();

 private:
  explicit Transaction(Db& db) : db_(&db) {}
  Db* db_;  // nothing: committed, or moved away
};

// A part of a transaction that can be undone alone. One thread, that of its Db.
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

// What a database file is: the mark in its header, and the scripts that make it. Script n leads
// from version n to n + 1 and is never changed once a program with it was given away.
struct Format {
  std::string_view name;  // for people: "journal"
  std::int32_t application_id = 0;
  std::span<const std::string_view> scripts;
  std::string_view update_hint = "resume the run once to update the file";
  std::string_view damage_hint = "restore the file from a backup, or start again with a new file";
};

// Makes an empty file one of this format, or brings an older one up to date. A newer file, a
// stranger's file and one whose schema is not what the scripts make are refused with Cure::give_up
// and stay as they are.
[[nodiscard]] Result<void> migrate(Db& db, const Format& format);

// For readers: the file is exactly of the version this program writes, and its schema too.
[[nodiscard]] Result<void> require(Db& db, const Format& format);
// The same of a version not below `oldest`; answers which.
[[nodiscard]] Result<std::int64_t> require_since(Db& db, const Format& format, std::int64_t oldest);

}  // namespace tidemill::store
