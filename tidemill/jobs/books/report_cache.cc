#include "tidemill/jobs/books/report_cache.h"

#include <tuple>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/files/private_files.h"

namespace tidemill::books {
namespace {

constexpr std::int64_t kApplication = 0x74646273;  // "tdbs"
constexpr std::int64_t kFormat = 1;

constexpr std::string_view kSchema = R"(
create table book(
  path blob primary key,
  device integer not null, inode integer not null, size integer not null,
  mtime integer not null, ctime integer not null,
  asked text not null,
  report blob not null,
  later blob not null
) without rowid;
)";

Result<std::int64_t> pragma(store::Db& db, std::string_view name) {
  LET(auto select, db.prepare("pragma " + std::string(name)));
  LET(const auto value, select.one<std::int64_t>());
  return value.value_or(0);
}

Result<bool> has_no_table(store::Db& db) {
  LET(auto select, db.prepare("select count(*) from sqlite_master"));
  LET(const auto count, select.one<std::int64_t>());
  return count.value_or(0) == 0;
}

Result<void> make_tables(store::Db& db) {
  TRY(db.exec("begin"));  // a consistent read: another process may be creating the tables
  LET(const std::int64_t application, pragma(db, "application_id"));
  LET(const std::int64_t format, pragma(db, "user_version"));
  LET(const bool is_empty, has_no_table(db));
  TRY(db.exec("commit"));
  if (application == kApplication && format == kFormat) return {};
  if (application == kApplication && format > kFormat) {
    return fail(Cure::give_up, "cache",
                db.path() + " has format " + std::to_string(format) +
                    "; this version supports up to " + std::to_string(kFormat));
  }
  if (application != 0 || format != 0 || !is_empty) {  // most programs leave both at 0
    return fail(Cure::give_up, "cache", db.path() + " is not a cache of tidemill");
  }
  TRY(db.exec("begin immediate"));
  LET(const std::int64_t again, pragma(db, "user_version"));
  if (again == 0) {  // no other process has created them meanwhile
    TRY(db.exec(std::string(kSchema)));
    TRY(db.exec("pragma application_id = " + std::to_string(kApplication)));
    TRY(db.exec("pragma user_version = " + std::to_string(kFormat)));
  }
  return db.exec("commit");
}

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

Result<ReportCache> ReportCache::open(const std::string& path) {
  if (!path.empty()) files::make_private_file(path);
  LET(auto db, store::Db::open(path));
  TRY(make_tables(db));  // first: a file that is not ours must not be changed
  if (!path.empty()) {
    // If another process is just setting the mode, it is set, or this run works without WAL.
    const auto done = db.exec("pragma journal_mode = wal");
    if (!done && !store::is_busy(done.error())) return std::unexpected(done.error());
  }
  TRY(db.exec("pragma synchronous = normal"));
  LET(auto statements, prepare(db));
  return ReportCache(std::move(db), std::move(statements));
}

Result<ReportCache::Statements> ReportCache::prepare(store::Db& db) {
  TRY(db.exec("create temp table seen(path blob primary key) without rowid"));
  LET(auto known,
      db.prepare("select iif(length(later) > 0, later, report) from book where path = ? "
                 "and device = ? and inode = ? and "
                 "size = ? and mtime = ? and ctime = ? and asked = ?"));
  LET(auto put, db.prepare("insert or replace into book values(?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  LET(auto saw, db.prepare("insert or ignore into seen values(?)"));
  return Statements{.known = std::move(known), .put = std::move(put), .saw = std::move(saw)};
}

Result<std::optional<std::string>> ReportCache::known(std::string_view path, const FileStamp& stamp,
                                                      std::string_view asked) {
  return statements_.known.one<std::string>(store::Blob{path}, number(stamp.device),
                                            number(stamp.inode), number(stamp.size), stamp.mtime_ns,
                                            stamp.ctime_ns, asked);
}

Result<void> ReportCache::begin() { return db_.exec("begin immediate"); }

Result<void> ReportCache::put(const CachedReport& row) {
  return statements_.put.run(store::Blob{row.path}, number(row.stamp.device),
                             number(row.stamp.inode), number(row.stamp.size), row.stamp.mtime_ns,
                             row.stamp.ctime_ns, std::string_view(row.asked),
                             store::Blob{row.report}, store::Blob{row.later});
}

Result<void> ReportCache::saw(std::string_view path) {
  return statements_.saw.run(store::Blob{path});
}

Result<void> ReportCache::commit() { return db_.exec("commit"); }

void ReportCache::roll_back() {
  if (db_.in_transaction()) (void)db_.exec("rollback");
}

Result<void> ReportCache::each_seen(
    const std::function<bool(std::string_view path, std::string_view report)>& each) {
  LET(auto select,
      db_.prepare("select path, report from seen join book using(path) order by path"));
  return select.rows_while<std::string_view, std::string_view>(
      std::tuple(),
      [&](std::string_view path, std::string_view report) { return each(path, report); });
}

}  // namespace tidemill::books
