#include "tidemill/state/journal/schema.h"

#include <string_view>

#include "tidemill/base/try.h"
#include "tidemill/io/files/private_files.h"
#include "tidemill/state/history/tables.h"

namespace tidemill::journal {
namespace {

// SQLite stores the integers 0 and 1 in no extra bytes, so the most frequent states, the first
// attempt and the first type are free. The two partial indexes hold row ids only, and only of tasks
// that are queried by state.
constexpr std::string_view kVersion1 = R"sql(
create table folder(id integer primary key, path blob not null unique);
create table type(id integer primary key, name blob not null unique);
create table task(
  id integer primary key,
  state integer not null,
  attempts integer not null,
  crashes integer not null,
  type integer not null,
  folder integer not null,
  name blob not null,
  weight integer not null,
  outcome blob);
create index task_pending on task(state) where state = 0;
create index task_dead on task(state) where state = 3;
create table trouble(
  task integer primary key,
  cure integer not null,
  step blob not null,
  reason blob not null,
  hint blob not null,
  wish_ms integer not null,
  first_us integer not null,
  last_us integer not null);
create table wait(task integer primary key, not_before_us integer not null);
create table checkpoint(
  task integer primary key,
  steps_done integer not null,
  last_step blob not null,
  data blob not null,
  warnings blob not null);
create table tally(state integer primary key, n integer not null);
insert into tally values (0, 0), (1, 0), (2, 0), (3, 0), (4, 0);
create table note(key text primary key, value blob not null) without rowid;
create table owner(epoch integer not null);
insert into owner values (0);
)sql";

// Finished tasks keep NULL, because they never run again. journal/checksum.h has the rules.
constexpr std::string_view kVersion2 = R"sql(
alter table task add column checksum integer;
alter table note add column checksum integer;
alter table wait add column checksum integer;
alter table checkpoint add column checksum integer;
update task as k set checksum = (
  checksum(id, (select name from type where id = k.type),
           (select path from folder where id = k.folder), name, weight)
  + state * 1640531527 + attempts * 1103515245 + crashes * 2147483629
  + iif(length(outcome) > 0, checksum(outcome), 0)) & 2147483647
  where state in (0, 3);
update note set checksum = checksum(key, value);
update wait set checksum = checksum(task, not_before_us);
update checkpoint set checksum = checksum(task, steps_done, last_step, data, warnings);
)sql";

// Dead tasks by reason, so that neither counting nor listing them reads all failures. Each of the
// first kMostReasons (reasons.h) has a row of its own; the others share row 0.
constexpr std::string_view kVersion3 = R"sql(
create table reason(
  id integer primary key,
  step blob not null,
  reason blob not null,
  n integer not null,
  first_us integer not null,
  last_us integer not null,
  unique(step, reason));
create table failed_task(
  reason integer not null,
  task integer not null,
  primary key(reason, task)) without rowid;
alter table trouble add column counted integer;
insert into reason(step, reason, n, first_us, last_us)
  select step, reason, count(*), min(first_us), max(last_us) from trouble
  where task in (select id from task where state = 3)
  group by step, reason order by count(*) desc, min(task) limit 1000;
update trouble as t set counted = coalesce(
    (select id from reason r where r.step = t.step and r.reason = t.reason), 0)
  where task in (select id from task where state = 3);
insert into failed_task(reason, task) select counted, task from trouble where counted is not null;
insert into reason(id, step, reason, n, first_us, last_us)
  select 0, x'', x'', count(*), min(first_us), max(last_us) from trouble where counted = 0
  having count(*) > 0;
)sql";

constexpr std::string_view kScripts[] = {kVersion1, kVersion2, kVersion3, history::kTables};

std::string_view pragma_of(Synchronous synchronous) {
  switch (synchronous) {
    case Synchronous::full:
      return "pragma synchronous = full";
    case Synchronous::normal:
      return "pragma synchronous = normal";
    case Synchronous::off:
      break;
  }
  return "pragma synchronous = off";
}

}  // namespace

const store::DbFormat& journal_format() {
  static constexpr store::DbFormat kFormat{.name = "journal",
                                           .application_id = 0x746d6a6c,  // "tmjl"
                                           .scripts = kScripts,
                                           .damage_hint = kDamageHint};
  return kFormat;
}

Result<store::Db> open_for_writing(const JournalOptions& options) {
  const bool may_create = options.access == Access::create;
  if (may_create) files::make_private_file(options.path);
  LET(auto db, store::Db::open(options.path,
                               {.mode = may_create ? store::Open::create : store::Open::write}));
  // A wrong path must not turn another program's file into a WAL database.
  LET(auto objects, db.prepare("select count(*) from sqlite_schema"));
  LET(const auto count, objects.one<std::int64_t>());
  if (count != 0) {
    LET(auto id, db.prepare("pragma application_id"));
    LET(const auto found, id.one<std::int64_t>());
    if (found != journal_format().application_id) TRY(store::migrate(db, journal_format()));
  } else if (!may_create) {
    return fail(Cure::give_up, "open", options.path + ": not a tidemill journal");
  }
  TRY(db.exec("pragma page_size = " + std::to_string(options.page_size)));
  LET(auto wal, db.prepare("pragma journal_mode = wal"));
  LET(const auto mode, wal.one<std::string>());
  if (mode != "wal") {
    return fail(Cure::give_up, "open",
                options.path + ": this file system does not support a write-ahead log");
  }
  TRY(db.exec(std::string(pragma_of(options.synchronous))));
  TRY(store::migrate(db, journal_format()));
  return db;
}

// Later versions only added columns and tables, so older runs can still be read.
Result<OpenedJournal> open_for_reading(const std::string& path) {
  LET(auto db, store::Db::open(path, {.mode = store::Open::read}));
  LET(const auto version, store::require_since(db, journal_format(), 1));
  return OpenedJournal{.db = std::move(db),
                       .has_checksums = version >= 2,
                       .has_reasons = version >= 3,
                       .has_history = version >= 4};
}

Result<std::int64_t> take_ownership(store::Db& db) {
  LET(auto transaction, store::Transaction::begin(db));
  LET(auto raise, db.prepare("update owner set epoch = epoch + 1 returning epoch"));
  LET(const auto epoch, raise.one<std::int64_t>());
  if (!epoch) return fail(Cure::give_up, "open", db.path() + ": the journal has no owner row");
  TRY(transaction.commit());
  return *epoch;
}

}  // namespace tidemill::journal
