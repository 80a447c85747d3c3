// What the journal costs: transitions a second at FULL in batches of 1,000, bytes a task, and the
// time to go on with a large run. A bare loop on the C API of SQLite, with one table and nothing
// else, is run beside it: the ratio says what the journal adds, the figures what the disk does.
//
//   journal_bench COUNT PATH         all of it; PATH must not exist
//   journal_bench generate PATH N    makes a journal of N tasks, every second of them done
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <sqlite3.h>

#include "tidemill/base/result.h"
#include "tidemill/state/journal/sqlite_journal.h"

namespace tidemill {
namespace {

using engine::Entry;
using engine::TaskId;
using journal::Access;
using journal::SqliteJournal;
using Seconds = std::chrono::duration<double>;

constexpr TaskId kBatch = 1'000;

// The figures would be worthless.
[[noreturn]] void leave(std::string_view why) {
  std::fprintf(stderr, "journal_bench: %.*s\n", static_cast<int>(why.size()), why.data());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) leave(text_of(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

template <class Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

std::unique_ptr<SqliteJournal> open(const std::string& path, Access access) {
  return must(SqliteJournal::open({.path = path, .access = access}));
}

// 100 files a folder, names of about 20 bytes.
std::string folder_of(TaskId id) {
  char text[96];
  std::snprintf(text, sizeof text, "/srv/photos/archive/%04llu/album-%05llu/",
                static_cast<unsigned long long>(id / 10'000),
                static_cast<unsigned long long>(id / 100));
  return text;
}

std::string name_of(TaskId id) {
  char text[64];
  std::snprintf(text, sizeof text, "IMG_%08llu_v%02llu.jpeg", static_cast<unsigned long long>(id),
                static_cast<unsigned long long>(id % 100));
  return text;
}

template <class EntryOf>
void commit_all(SqliteJournal& journal, TaskId count, TaskId step, EntryOf entry_of) {
  std::vector<Entry> batch;
  for (TaskId id = 1; id <= count; id += step) {
    batch.push_back(entry_of(id));
    if (batch.size() < kBatch && id + step <= count) continue;
    must(journal.commit(batch));
    batch.clear();
  }
}

Entry found(TaskId id) {
  return engine::Found{.id = id,
                       .type = "hash",
                       .subject = folder_of(id) + name_of(id),
                       .weight = 100'000 + id * 7'919 % 4'000'000};
}

// Eight workers do not finish in the order of ids: neighbours change places.
TaskId shuffled(TaskId id, TaskId count) {
  const TaskId other = id ^ 5U;
  return other >= 1 && other <= count ? other : id;
}

std::uint64_t bytes_of_names(TaskId count) {
  std::uint64_t bytes = 0;
  for (TaskId id = 1; id <= count; ++id) {
    bytes += name_of(id).size();
    if (id % 100 == 0 || id == 1) bytes += folder_of(id).size();
  }
  return bytes;
}

void check(int code, sqlite3* db) {
  if (code != SQLITE_OK && code != SQLITE_DONE) leave(sqlite3_errmsg(db));
}

// The same updates on one narrow table, with nothing but SQLite. Answers transitions a second.
double bare_rate(const std::string& path, TaskId count) {
  sqlite3* db = nullptr;
  check(sqlite3_open(path.c_str(), &db), db);
  const auto exec = [&](const char* sql) {
    check(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), db);
  };
  const auto each = [&](const char* sql, auto bind) {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(db, sql, -1, &statement, nullptr), db);
    for (TaskId id = 1; id <= count; ++id) {
      if (id % kBatch == 1) exec("begin");
      bind(statement, id);
      check(sqlite3_step(statement), db);
      check(sqlite3_reset(statement), db);
      if (id % kBatch == 0 || id == count) exec("commit");
    }
    sqlite3_finalize(statement);
  };
  exec(
      "pragma journal_mode = wal; pragma synchronous = off; pragma wal_autocheckpoint = 4000;"
      "create table task(id integer primary key, state, attempts, name blob, outcome blob)");
  each("insert into task values (?, 0, 0, ?, null)", [](sqlite3_stmt* s, TaskId id) {
    const std::string name = name_of(id);
    sqlite3_bind_int64(s, 1, static_cast<std::int64_t>(id));
    sqlite3_bind_blob64(s, 2, name.data(), name.size(), SQLITE_TRANSIENT);
  });
  exec("pragma wal_checkpoint(truncate); pragma synchronous = full");
  const double time = seconds([&] {
    each("update task set state = 1, attempts = 1 where id = ? and state = 0",
         [&](sqlite3_stmt* s, TaskId id) {
           sqlite3_bind_int64(s, 1, static_cast<std::int64_t>(shuffled(id, count)));
         });
  });
  sqlite3_close(db);
  return static_cast<double>(count) / time;
}

void generate(const std::string& path, TaskId count) {
  const auto journal = open(path, Access::create);
  commit_all(*journal, count, 1, found);
  commit_all(*journal, count, 2, [](TaskId id) { return engine::Done{.id = id}; });
}

void measure(const std::string& path, TaskId count) {
  const auto n = static_cast<double>(count);
  const std::string bare = path + ".bare";
  {
    const auto journal = open(path, Access::create);
    const double finding = seconds([&] { commit_all(*journal, count, 1, found); });
    std::printf("found            %10.0f a second\n", n / finding);
    const double doing = seconds([&] {
      commit_all(*journal, count, 1,
                 [&](TaskId id) { return engine::Done{.id = shuffled(id, count)}; });
    });
    const double raw = bare_rate(bare, count);
    std::printf("done             %10.0f a second\n", n / doing);
    std::printf("done, bare       %10.0f a second   ours is %.2f of it\n", raw, n / doing / raw);
  }
  const auto size = std::filesystem::file_size(path);
  std::printf("file             %10.1f bytes a task, %.1f beside the names\n",
              static_cast<double>(size) / n,
              (static_cast<double>(size) - static_cast<double>(bytes_of_names(count))) / n);
  {
    const auto journal = open(path, Access::own);
    commit_all(*journal, kBatch, 1, [&](TaskId id) {
      return engine::Found{.id = count + id, .type = "hash", .subject = name_of(id)};
    });
  }
  std::unique_ptr<SqliteJournal> journal;
  const double opening = seconds([&] {
    journal = open(path, Access::own);
    if (must(journal->pending(0, kBatch)).size() != kBatch) leave("the page is not full");
  });
  std::printf("reopen + page    %10.2f ms\n", opening * 1'000);
  std::filesystem::remove(bare);
}

int run(int argc, char** argv) {
  const bool generates = argc == 4 && std::string_view(argv[1]) == "generate";
  if (argc != 3 && !generates) {
    std::fputs("usage: journal_bench COUNT PATH | journal_bench generate PATH N\n", stderr);
    return 2;
  }
  const std::string_view number = argv[generates ? 3 : 1];
  TaskId count = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
  if (error != std::errc() || end != number.data() + number.size() || count < kBatch) {
    std::fputs("journal_bench: the count must be a number from 1000 up\n", stderr);
    return 2;
  }
  const std::string path = argv[2];
  if (std::filesystem::exists(path)) leave(path + " is already there");
  generates ? generate(path, count) : measure(path, count);
  return 0;
}

}  // namespace
}  // namespace tidemill

int main(int argc, char** argv) { return tidemill::run(argc, argv); }
