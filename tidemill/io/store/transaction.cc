#include "tidemill/io/store/transaction.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"

namespace tidemill::store {
namespace {

struct Stamp {
  std::int64_t application_id = 0;
  std::int64_t version = 0;
  bool is_empty = false;
};

Result<std::int64_t> number(Db& db, std::string_view sql) {
  LET(auto select, db.prepare(sql));
  LET(const auto value, select.one<std::int64_t>());
  return value.value_or(0);
}

Result<Stamp> stamp_of(Db& db) {
  LET(const auto id, number(db, "pragma application_id"));
  LET(const auto version, number(db, "pragma user_version"));
  LET(const auto objects, number(db, "select count(*) from sqlite_schema"));
  return Stamp{.application_id = id, .version = version, .is_empty = objects == 0};
}

Result<void> check_stamp(const Db& db, const DbFormat& format, const Stamp& stamp) {
  const std::string name(format.name);
  if (stamp.application_id != format.application_id) {
    return fail(Cure::give_up, "open", db.path() + ": not a tidemill " + name);
  }
  const auto known = static_cast<std::int64_t>(format.scripts.size());
  if (stamp.version < 1) {
    return fail(Cure::give_up, "open", db.path() + ": the file is damaged: it has no version");
  }
  if (stamp.version > known) {
    return std::unexpected(Failure{
        .cure = Cure::give_up,
        .step = "open",
        .reason = db.path() + ": this " + name + " has version " + std::to_string(stamp.version) +
                  ", but this program supports versions up to " + std::to_string(known),
        .hint = "use a newer tidemill"});
  }
  return {};
}

// Type, name, table and statement of every schema entry, without white space.
using Schema = std::vector<std::string>;

Result<Schema> schema_of(Db& db) {
  Schema schema;
  LET(auto select, db.prepare("select type || ' ' || name || ' ' || tbl_name || ' ' ||"
                              " coalesce(sql, '') from sqlite_schema order by 1"));
  TRY(select.rows<std::string>(std::tuple(), [&](std::string line) {
    std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
    schema.push_back(std::move(line));
  }));
  return schema;
}

// The schema of a file that the first `version` scripts have created. Computed once, then cached.
Result<Schema> expected_schema(const DbFormat& format, std::size_t version) {
  static Guarded<std::map<std::pair<std::int32_t, std::size_t>, Schema>> known;
  const std::pair key(format.application_id, version);
  {
    const auto lock = known.lock();
    if (const auto at = lock->find(key); at != lock->end()) return at->second;
  }
  LET(auto db, Db::open(":memory:"));
  TRY(db.add_checksum());
  for (const std::string_view script : format.scripts.first(version)) {
    TRY(db.exec(std::string(script)));
  }
  LET(auto schema, schema_of(db));
  known.lock()->insert_or_assign(key, schema);
  return schema;
}

// SQLite trusts the statements in the schema, and one changed character in an index changes the
// results of queries. Additional entries are allowed.
Result<void> check_schema(Db& db, const DbFormat& format, std::int64_t version) {
  LET(const Schema expected, expected_schema(format, static_cast<std::size_t>(version)));
  LET(const Schema found, schema_of(db));
  std::vector<std::string> missing;
  std::ranges::set_difference(expected, found, std::back_inserter(missing));
  if (missing.empty()) return {};
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .step = "open",
              .reason = db.path() + ": the file is damaged: its schema does not match a " +
                        std::string(format.name) + " of version " + std::to_string(version),
              .hint = std::string(format.damage_hint)});
}

Result<void> check(Db& db, const DbFormat& format, const Stamp& stamp) {
  TRY(check_stamp(db, format, stamp));
  return check_schema(db, format, stamp.version);
}

}  // namespace

Result<Transaction> Transaction::begin(Db& db) {
  TRY(db.exec("begin immediate"));
  return Transaction(db);
}

Transaction::~Transaction() {
  if (db_ == nullptr) return;
  ++db_->connection_->rollbacks;
  if (db_->in_transaction()) (void)db_->exec("rollback");
}

Result<void> Transaction::commit() {
  // Without this, a "commit" after SQLite's own rollback would fail with an unclear message.
  if (!db_->in_transaction()) {
    return fail(Cure::retry, "commit", db_->path() + ": the transaction was rolled back");
  }
  TRY(db_->exec("commit"));
  db_ = nullptr;
  return {};
}

Result<Savepoint> Savepoint::begin(Db& db) {
  TRY(db.exec("savepoint part"));
  return Savepoint(db);
}

Savepoint::~Savepoint() {
  if (db_ == nullptr) return;
  ++db_->connection_->rollbacks;
  if (!db_->in_transaction()) return;
  // A partial rollback would be the worst outcome: roll back the complete transaction instead.
  if (!db_->exec("rollback to part; release part")) (void)db_->exec("rollback");
}

Result<void> Savepoint::commit() {
  TRY(db_->exec("release part"));
  db_ = nullptr;
  return {};
}

Result<void> migrate(Db& db, const DbFormat& format) {
  TRY(db.add_checksum());
  LET(const Stamp before, stamp_of(db));
  if (!before.is_empty) {
    TRY(check(db, format, before));
    if (before.version == static_cast<std::int64_t>(format.scripts.size())) return {};
  }
  LET(auto transaction, Transaction::begin(db));
  LET(const Stamp now, stamp_of(db));  // another process may have migrated it meanwhile
  if (!now.is_empty) TRY(check(db, format, now));
  const auto first = static_cast<std::size_t>(now.is_empty ? 0 : now.version);
  for (const std::string_view script : format.scripts.subspan(first)) {
    TRY(db.exec(std::string(script)));
  }
  TRY(db.exec("pragma application_id = " + std::to_string(format.application_id)));
  TRY(db.exec("pragma user_version = " + std::to_string(format.scripts.size())));
  return transaction.commit();
}

Result<std::int64_t> require_since(Db& db, const DbFormat& format, std::int64_t oldest) {
  TRY(db.add_checksum());
  LET(const Stamp stamp, stamp_of(db));
  TRY(check(db, format, stamp));
  if (stamp.version >= oldest) return stamp.version;
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = "open",
                                 .reason = db.path() + ": this " + std::string(format.name) +
                                           " has the old version " + std::to_string(stamp.version),
                                 .hint = std::string(format.update_hint)});
}

Result<void> require(Db& db, const DbFormat& format) {
  TRY(require_since(db, format, static_cast<std::int64_t>(format.scripts.size())));
  return {};
}

}  // namespace tidemill::store
