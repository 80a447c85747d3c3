#include "tidemill/state/history/tables.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "tidemill/base/micros.h"
#include "tidemill/base/try.h"

namespace tidemill::history {
namespace {

using std::chrono::nanoseconds;
using store::Blob;
using store::Db;

constexpr std::size_t kNumbers = 3;  // columns for numbers in a row of a part

std::int64_t stored(std::uint64_t count) { return static_cast<std::int64_t>(count); }
std::uint64_t count_of(std::int64_t stored) { return static_cast<std::uint64_t>(stored); }

Result<void> write_session(Db& db, const RunSession& session) {
  LET(auto add, db.prepare("insert or replace into session values (?, ?, ?, ?, ?, ?)"));
  LET(auto drop, db.prepare("delete from session where number <= ?"));
  TRY(add.run(stored(session.number), micros(session.began), Blob{session.host},
              Blob{session.system}, stored(session.cores), stored(session.memory)));
  return drop.run(stored(session.number) - static_cast<std::int64_t>(kMostSessions));
}

Result<void> write_samples(Db& db, const HistoryChange::NewSamples& news) {
  LET(auto put_series, db.prepare("insert into series(host, interval_ms) values (?1, ?2)"
                                  " on conflict(host) do update set interval_ms = ?2"));
  LET(auto find_series, db.prepare("select id from series where host = ?"));
  LET(auto drop, db.prepare("delete from sample where series = ?"));
  LET(auto add, db.prepare("insert into sample(series, session, time_us, found, done, failed,"
                           " skipped, busy, waiting, places, bytes)"
                           " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"));
  TRY(put_series.run(Blob{news.series.host}, std::int64_t{news.series.interval.count()}));
  LET(const auto series, find_series.one<std::int64_t>(Blob{news.series.host}));
  if (news.replaces_all) TRY(drop.run(series.value_or(0)));
  for (const Sample& one : news.series.samples) {
    TRY(add.run(series.value_or(0), stored(one.session), micros(one.at), stored(one.found),
                stored(one.done), stored(one.failed), stored(one.skipped), one.busy, one.waiting,
                stored(one.places), stored(one.bytes)));
  }
  return {};
}

Result<void> write_durations(Db& db, const Durations& durations) {
  LET(auto put, db.prepare("insert into timing(host, type, sum_ns) values (?1, ?2, ?3)"
                           " on conflict(host, type) do update set sum_ns = ?3"));
  LET(auto find, db.prepare("select id from timing where host = ? and type = ?"));
  LET(auto put_bucket, db.prepare("insert or replace into duration(timing, bucket, n)"
                                  " values (?, ?, ?)"));
  TRY(put.run(Blob{durations.host}, Blob{durations.type},
              std::int64_t{durations.times.sum.count()}));
  LET(const auto id, find.one<std::int64_t>(Blob{durations.host}, Blob{durations.type}));
  for (std::size_t i = 0; i < durations.times.counts.size(); ++i) {
    const std::uint64_t n = durations.times.counts[i];
    if (n > 0) TRY(put_bucket.run(id.value_or(0), static_cast<std::int64_t>(i), stored(n)));
  }
  return {};
}

Result<void> write_slowest(Db& db, const std::vector<SlowTask>& slowest) {
  TRY(db.exec("delete from slow"));
  LET(auto add, db.prepare("insert into slow(task, attempt, took_ns, ended_us, type, host, name)"
                           " values (?, ?, ?, ?, ?, ?, ?)"));
  for (const SlowTask& slow : slowest) {
    const engine::SlowAttempt& one = slow.attempt;
    TRY(add.run(stored(one.task), std::int64_t{one.attempt}, std::int64_t{one.took.count()},
                micros(one.ended), Blob{one.type}, Blob{slow.host}, Blob{one.note}));
  }
  return {};
}

Result<void> drop_part(Db& db, std::string_view name) {
  for (const std::string_view sql :
       {"delete from part_row where part = (select id from part where name = ?)",
        "delete from part_column where part = (select id from part where name = ?)",
        "delete from part where name = ?"}) {
    LET(auto drop, db.prepare(sql));
    TRY(drop.run(Blob{name}));
  }
  return {};
}

std::optional<std::int64_t> number_at(const HistoryRow& row, std::size_t at) {
  return at < row.numbers.size() ? std::optional(row.numbers[at]) : std::nullopt;
}

Result<void> write_part(Db& db, const HistoryPart& part) {
  TRY(drop_part(db, part.name));
  const std::size_t rows = std::min(part.rows.size(), kMostRows);
  LET(auto add, db.prepare("insert into part(name, title, label, form, left_out)"
                           " values (?, ?, ?, ?, ?)"));
  LET(auto add_column, db.prepare("insert into part_column values (?, ?, ?, ?)"));
  LET(auto add_row, db.prepare("insert into part_row values (?, ?, ?, ?, ?, ?, ?)"));
  TRY(add.run(Blob{part.name}, Blob{part.title}, Blob{part.label},
              static_cast<std::int64_t>(part.form),
              stored(part.left_out + (part.rows.size() - rows))));
  const std::int64_t id = db.last_id();
  for (std::size_t i = 0; i < std::min(part.columns.size(), kNumbers); ++i) {
    TRY(add_column.run(id, static_cast<std::int64_t>(i), Blob{part.columns[i].name},
                       static_cast<std::int64_t>(part.columns[i].unit)));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const HistoryRow& row = part.rows[i];
    TRY(add_row.run(id, static_cast<std::int64_t>(i), Blob{row.label}, number_at(row, 0),
                    number_at(row, 1), number_at(row, 2), Blob{row.detail}));
  }
  return {};
}

Result<void> read_sessions(Db& db, RunHistory& history) {
  LET(auto rows, db.prepare("select number, began_us, host, system, cores, memory from session"
                            " order by number"));
  using Text = std::string;
  using Int = std::int64_t;
  return rows.rows<Int, Int, Text, Text, Int, Int>(
      std::tuple(), [&](Int number, Int began, Text host, Text system, Int cores, Int memory) {
        history.sessions.push_back({.number = count_of(number),
                                    .began = time_of_micros(began),
                                    .host = std::move(host),
                                    .system = std::move(system),
                                    .cores = count_of(cores),
                                    .memory = count_of(memory)});
      });
}

Result<void> read_series(Db& db, RunHistory& history) {
  LET(auto series, db.prepare("select host, interval_ms from series order by id"));
  using Text = std::string;
  TRY((series.rows<Text, std::int64_t>(std::tuple(), [&](Text host, std::int64_t interval) {
    history.series.push_back(
        {.host = std::move(host),
         .interval = std::chrono::milliseconds(std::max<std::int64_t>(interval, 1))});
  })));
  LET(auto samples,
      db.prepare("select session, time_us, found, done, failed, skipped, busy, waiting, places,"
                 " bytes from sample where series = (select id from series where host = ?)"
                 " order by id"));
  using Int = std::int64_t;
  for (SampleSeries& one : history.series) {
    TRY((samples.rows<Int, Int, Int, Int, Int, Int, double, double, Int, Int>(
        std::tuple(Blob{one.host}),
        [&](Int session, Int time, Int found, Int done, Int failed, Int skipped, double busy,
            double waiting, Int places, Int bytes) {
          one.samples.push_back({.at = time_of_micros(time),
                                 .session = count_of(session),
                                 .found = count_of(found),
                                 .done = count_of(done),
                                 .failed = count_of(failed),
                                 .skipped = count_of(skipped),
                                 .busy = busy,
                                 .waiting = waiting,
                                 .places = count_of(places),
                                 .bytes = count_of(bytes)});
        })));
  }
  return {};
}

Result<void> read_durations(Db& db, RunHistory& history) {
  std::vector<std::int64_t> ids;
  LET(auto timings, db.prepare("select id, host, type, sum_ns from timing order by id"));
  using Text = std::string;
  using Int = std::int64_t;
  TRY((timings.rows<Int, Text, Text, Int>(std::tuple(), [&](Int id, Text host, Text type, Int sum) {
    ids.push_back(id);
    history.durations.push_back(
        {.host = std::move(host), .type = std::move(type), .times = {.sum = nanoseconds(sum)}});
  })));
  LET(auto buckets, db.prepare("select bucket, n from duration where timing = ?"));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto& counts = history.durations[i].times.counts;
    TRY((buckets.rows<Int, Int>(std::tuple(ids[i]), [&](Int bucket, Int n) {
      if (bucket >= 0 && bucket < std::ssize(counts)) {
        counts[static_cast<std::size_t>(bucket)] = count_of(n);
      }
    })));
  }
  return {};
}

Result<void> read_slowest(Db& db, RunHistory& history) {
  LET(auto rows, db.prepare("select task, attempt, took_ns, ended_us, type, host, name from slow"
                            " order by id"));
  using Text = std::string;
  using Int = std::int64_t;
  return rows.rows<Int, Int, Int, Int, Text, Text, Text>(
      std::tuple(),
      [&](Int task, Int attempt, Int took, Int ended, Text type, Text host, Text name) {
        history.slowest.push_back({.attempt = {.task = count_of(task),
                                               .type = std::move(type),
                                               .note = std::move(name),
                                               .attempt = static_cast<int>(attempt),
                                               .took = nanoseconds(took),
                                               .ended = time_of_micros(ended)},
                                   .host = std::move(host)});
      });
}

// A form or unit of a later version is shown as the plainest one.
PartForm form_of(std::int64_t stored) {
  return stored == 1 ? PartForm::bars : stored == 2 ? PartForm::treemap : PartForm::table;
}
HistoryUnit unit_of(std::int64_t stored) {
  return stored == 1   ? HistoryUnit::bytes
         : stored == 2 ? HistoryUnit::milliseconds
                       : HistoryUnit::count;
}

Result<void> read_rows(Db& db, std::int64_t id, HistoryPart& part) {
  using Text = std::string;
  using Int = std::int64_t;
  using Maybe = std::optional<std::int64_t>;
  LET(auto columns,
      db.prepare("select name, unit from part_column where part = ? order by position"));
  TRY((columns.rows<Text, Int>(std::tuple(id), [&](Text name, Int unit) {
    part.columns.push_back({.name = std::move(name), .unit = unit_of(unit)});
  })));
  LET(auto rows, db.prepare("select label, first, second, third, detail from part_row"
                            " where part = ? order by position"));
  return rows.rows<Text, Maybe, Maybe, Maybe, Text>(
      std::tuple(id), [&](Text label, Maybe first, Maybe second, Maybe third, Text detail) {
        HistoryRow row{.label = std::move(label), .detail = std::move(detail)};
        for (const Maybe& number : {first, second, third}) {
          if (number) row.numbers.push_back(*number);
        }
        part.rows.push_back(std::move(row));
      });
}

Result<void> read_parts(Db& db, RunHistory& history) {
  std::vector<std::int64_t> ids;
  using Text = std::string;
  using Int = std::int64_t;
  LET(auto parts,
      db.prepare("select id, name, title, label, form, left_out from part order by id"));
  TRY((parts.rows<Int, Text, Text, Text, Int, Int>(
      std::tuple(), [&](Int id, Text name, Text title, Text label, Int form, Int left_out) {
        ids.push_back(id);
        history.parts.push_back({.name = std::move(name),
                                 .title = std::move(title),
                                 .label = std::move(label),
                                 .form = form_of(form),
                                 .left_out = count_of(left_out)});
      })));
  for (std::size_t i = 0; i < ids.size(); ++i) TRY(read_rows(db, ids[i], history.parts[i]));
  return {};
}

}  // namespace

Result<void> write(Db& db, const HistoryChange& change) {
  if (change.session) TRY(write_session(db, *change.session));
  for (const auto& news : change.samples) TRY(write_samples(db, news));
  for (const Durations& durations : change.durations) TRY(write_durations(db, durations));
  if (change.slowest) TRY(write_slowest(db, *change.slowest));
  for (const HistoryPart& part : change.parts) TRY(write_part(db, part));
  return {};
}

Result<RunHistory> read(Db& db) {
  RunHistory history;
  TRY(read_sessions(db, history));
  TRY(read_series(db, history));
  TRY(read_durations(db, history));
  TRY(read_slowest(db, history));
  TRY(read_parts(db, history));
  return history;
}

}  // namespace tidemill::history
