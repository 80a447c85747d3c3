// The tables of a history in SQLite: the same in the journal of a run (docs/formats/journal.md) and
// in the file of a command without one.
#pragma once

#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/history/history.h"

namespace tidemill::history {

// Creates the tables.
inline constexpr std::string_view kTables = R"sql(
create table session(
  number integer primary key,
  began_us integer not null,
  host blob not null,
  system blob not null,
  cores integer not null,
  memory integer not null);
create table series(
  id integer primary key,
  host blob not null unique,
  interval_ms integer not null);
create table sample(
  id integer primary key,
  series integer not null,
  session integer not null,
  time_us integer not null,
  found integer not null,
  done integer not null,
  failed integer not null,
  skipped integer not null,
  busy real not null,
  waiting real not null,
  places integer not null,
  bytes integer not null);
create index sample_series on sample(series);
create table timing(
  id integer primary key,
  host blob not null,
  type blob not null,
  sum_ns integer not null,
  unique(host, type));
create table duration(
  timing integer not null,
  bucket integer not null,
  n integer not null,
  primary key(timing, bucket)) without rowid;
create table slow(
  id integer primary key,
  task integer not null,
  attempt integer not null,
  took_ns integer not null,
  ended_us integer not null,
  type blob not null,
  host blob not null,
  name blob not null);
create table part(
  id integer primary key,
  name blob not null unique,
  title blob not null,
  label blob not null,
  form integer not null,
  left_out integer not null);
create table part_column(
  part integer not null,
  position integer not null,
  name blob not null,
  unit integer not null,
  primary key(part, position)) without rowid;
create table part_row(
  part integer not null,
  position integer not null,
  label blob not null,
  first integer,
  second integer,
  third integer,
  detail blob not null,
  primary key(part, position)) without rowid;
)sql";

// In the transaction of the caller.
[[nodiscard]] Result<void> write(store::Db& db, const HistoryChange& change);
[[nodiscard]] Result<RunHistory> read(store::Db& db);

}  // namespace tidemill::history
