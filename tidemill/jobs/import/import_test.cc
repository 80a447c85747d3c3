// The complete import of real files in a temporary folder: the contents of the database.
#include "tidemill/jobs/import/import.h"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/dice.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/read/sources.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::import {
namespace {

namespace fs = std::filesystem;

std::string gzip(std::string_view text) {
  isal_zstream stream;
  isal_deflate_init(&stream);
  std::string out(text.size() + 1'000, '\0');
  std::string in(text);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<std::uint8_t*>(in.data());
  stream.avail_in = static_cast<std::uint32_t>(in.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(out.size());
  EXPECT_EQ(isal_deflate(&stream), COMP_OK);
  out.resize(stream.total_out);
  return out;
}

// As if some seconds had passed since the files were written, and one more at each call.
struct LaterClock final : Clock {
  [[nodiscard]] Instant now() const override { return real.now() + std::chrono::seconds(++looks); }
  [[nodiscard]] WallTime wall() const override { return real.wall() + std::chrono::seconds(9); }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  Instant /*until*/) const override {
    changed.wait_for(lock, std::chrono::milliseconds(1));
  }
  SystemClock real{};
  mutable std::atomic<int> looks = 0;
};

class Importing : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(base_ + "/in/sub");
    options_.sources = {base_ + "/in"};
    options_.into = base_ + "/out.db";
    options_.page_size = 32 * 1024;
    options_.longest_line = mib(512);
    options_.workers = 2;
  }

  [[nodiscard]] std::string path(const std::string& name) const { return base_ + "/in/" + name; }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  Result<ImportOutcome> run(const ImportOptions& options, std::stop_token stop = {}) {
    testing::RecordingConsole console;
    SilentLog log;
    const LaterClock clock;
    command::Context context{.console = console, .log = log, .clock = clock, .stop = stop};
    auto imported = run_import(options, context);
    items_ = console.said().items;
    if (!imported) return std::unexpected(imported.error());
    EXPECT_TRUE(imported->ending.mark());
    return std::move(imported->outcome);
  }
  ImportOutcome must(const ImportOptions& options) {
    auto outcome = run(options);
    EXPECT_TRUE(outcome) << text_of(outcome.error());
    if (!outcome) return {};
    const LineCounts& counts = outcome->counts;
    EXPECT_EQ(counts.lines, counts.rows + counts.blank + counts.rejected);
    EXPECT_FALSE(fs::exists(options.into + ".tidemill.part"));
    return *std::move(outcome);
  }
  std::string failure(const ImportOptions& options, std::stop_token stop = {}) {
    auto outcome = run(options, std::move(stop));
    return outcome ? "none" : outcome.error().step;
  }

  // The first column of all rows, separated by spaces.
  [[nodiscard]] std::string query(const std::string& sql) const {
    auto db = store::Db::open(options_.into, {.mode = store::Open::read});
    if (!db) return db.error().reason;
    auto select = db->prepare(sql);
    if (!select) return select.error().reason;
    std::string all;
    EXPECT_TRUE(select->rows<std::string>(
        std::tuple(), [&](const std::string& row) { all += (all.empty() ? "" : " ") + row; }));
    return all;
  }

  // The complete contents except times and stamps.
  [[nodiscard]] std::string dump() const {
    std::string all = query(
        "SELECT type || ' ' || name || ' ' || coalesce(sql, '') || char(10) "
        "FROM sqlite_schema ORDER BY name");
    std::istringstream tables(
        query("SELECT hex(name) FROM sqlite_schema WHERE type = 'table' AND "
              "name NOT LIKE '\\_tidemill%' ESCAPE '\\' ORDER BY name"));
    for (std::string hex; tables >> hex;) {
      std::string name;
      for (std::size_t i = 0; i < hex.size(); i += 2) {
        name += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
      }
      const std::string columns = query(
          "SELECT group_concat('typeof(\"' || replace(name, '\"', '\"\"') || '\") || quote(\"' || "
          "replace(name, '\"', '\"\"') || '\")', ' || ') FROM pragma_table_info('" +
          name + "')");
      all += name + ": " +
             query("SELECT rowid || ' ' || " + (columns.empty() ? "''" : columns) + " FROM \"" +
                   name + "\" ORDER BY rowid") +
             "\n";
    }
    return all +
           query(
               "SELECT name || tbl || bytes || ' ' || lines || ' ' || \"rows\" || ' ' || blank "
               "|| ' ' || rejected || ' ' || child_rows FROM _tidemill_files ORDER BY name") +
           query(
               "SELECT tbl || place || name || field || seen FROM _tidemill_columns "
               "ORDER BY tbl, place");
  }

  // More than one block of lines, with keys from `first` on.
  static std::string many(std::int64_t first, std::size_t lines, std::string_view last = "") {
    std::string text;
    const std::string padding(300, 'p');
    for (std::size_t i = 0; i < lines; ++i) {
      text += "{\"_key\":" + std::to_string(first + static_cast<std::int64_t>(i)) + ",\"p\":\"" +
              padding + "\"}\n";
    }
    return text + std::string(last);
  }

  testing::OwnFolder own_;
  const std::string& base_ = own_.path();
  ImportOptions options_;
  std::vector<command::SettledItem> items_;  // of the last run
};

std::string random_lines(SeededDice& dice, std::size_t lines) {
  static const std::vector<std::string> kValues{"1",
                                                "2.5",
                                                "\"x\\ny\"",
                                                "null",
                                                "true",
                                                "9007199254740993",
                                                "1e400",
                                                "-613012.4353798394",
                                                "5e-324",
                                                "{\"x\":1,\"y\":{\"z\":[1,2]}}",
                                                "[1,{\"q\":\"w\"},[3]]",
                                                "{}",
                                                "[]",
                                                "{\"en\":\"e\",\"de\":\"d\"}",
                                                "\"\"",
                                                "0.1"};
  static const std::vector<std::string> kKeys{"a", "b", "B", "", "a.b", "n", "rowid", "text", "l"};
  const auto roll = [&](std::size_t sides) {
    return static_cast<std::size_t>(dice.next() % sides);
  };
  std::string text;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::size_t kind = roll(20);
    if (kind == 0) text += "\r\n";
    if (kind == 1) text += "{\"a\":1,\"a\":2}\n{\"c\n";
    std::string line = "{\"_key\":" + std::to_string(i * 3);
    for (std::size_t fields = roll(5); fields > 0; --fields) {
      line += ",\"" + kKeys[roll(kKeys.size())] + "\":" + kValues[roll(kValues.size())];
    }
    text += line + "}\n";
  }
  return text;
}

TEST_F(Importing, ReportsEveryFileAsAnItem) {
  write("a.jsonl", "{\"x\":1}\n{\"x\":2}\n");
  write("b.jsonl", "{\"x\":1}\nno\n\nno\n");
  std::string torn = gzip("{\"x\":1}\n");
  torn.resize(torn.size() / 2);
  write("c.jsonl.gz", torn);
  must(options_);
  std::vector<std::pair<std::string, command::ItemState>> told;
  for (const command::SettledItem& item : items_) {
    told.emplace_back(fs::path(item.name).filename(), item.state);
  }
  using enum command::ItemState;
  EXPECT_EQ(told, (std::vector<std::pair<std::string, command::ItemState>>{
                      {"a.jsonl", good}, {"b.jsonl", bad}, {"c.jsonl.gz", failed}}));
  EXPECT_EQ(items_.at(0).details.at(0), "2 rows");
  EXPECT_EQ(items_.at(1).details, (std::vector<std::string>{"1 row; rejected: 2 not JSON",
                                                            "not JSON: 2 lines, first is line 2"}));
}

TEST_F(Importing, BothWritersAndAnyNumberOfWorkersMakeTheSameDatabase) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeededDice dice(seed);
  for (const char* name : {"a.jsonl", "sub/a.ndjson", "sub/r.jsonl"}) {
    write(name, random_lines(dice, 40));
  }
  write("long.jsonl", many(1, 4'000, "{\"_key\":5000,\"q\":1}\n" + random_lines(dice, 9)));
  write("broken.jsonl", many(10, 4'000, "{\"z\":1,\"_key\":3}\n{\"_key\":10,\"y\":1.5,\"p\":1}\n"));
  write("packed.jsonl.gz", gzip(random_lines(dice, 30)));
  write("empty.jsonl", "");
  std::vector<ImportOptions> all(4, options_);
  all[1].nested = Nested::flatten;
  all[1].languages = {"en"};
  all[1].indices = {"a", "n_x"};
  all[2].nested = Nested::tables;
  all[2].types = {{"b", ColumnType::text}};
  all[3].table = "all";
  for (ImportOptions& options : all) {
    options.may_replace = true;
    std::string first;
    for (const Writing writing : {Writing::pages, Writing::sql}) {
      for (const std::size_t workers : {1U, 2U, 8U}) {
        options.writing = writing;
        options.workers = workers;
        const ImportOutcome outcome = must(options);
        EXPECT_EQ(outcome.files_done, 7U);
        EXPECT_TRUE(outcome.is_verified);
        const std::string made = dump();
        if (first.empty()) first = made;
        const auto differ = std::ranges::mismatch(first, made).in1 - first.begin();
        EXPECT_TRUE(made == first)
            << static_cast<int>(options.nested) << options.table << ' ' << outcome.writer << ' '
            << workers << ":\n"
            << first.substr(static_cast<std::size_t>(std::max(differ, 300L)) - 300, 600)
            << "\n---\n"
            << made.substr(
                   std::min(made.size(), static_cast<std::size_t>(std::max(differ, 300L)) - 300),
                   600);
      }
    }
  }
}

TEST_F(Importing, DetectsANonAscendingKeyAnywhere) {
  const std::string early = "{\"_key\":1}\n{\"_key\":3}\n{\"_key\":2}\n";
  const std::string padding(1'100'000, 'p');  // each line is a block
  const std::string blocks =
      "{\"_key\":5,\"p\":\"" + padding + "\"}\n{\"_key\":3,\"p\":\"" + padding + "\"}\n";
  for (const std::string& text : {early, many(10, 8'000, "{\"_key\":7}\n{\"_key\":4}\n"), blocks}) {
    for (const Writing writing : {Writing::pages, Writing::sql}) {
      write("k.jsonl", text);
      options_.writing = writing;
      options_.may_replace = true;
      const ImportOutcome outcome = must(options_);
      EXPECT_TRUE(outcome.is_clean());
      EXPECT_EQ(outcome.tables.at(0).key_state, "unique");
      const auto lines = std::to_string(std::ranges::count(text, '\n'));
      EXPECT_EQ(query("SELECT count(*) || ' ' || min(rowid) || ' ' || max(rowid) FROM k"),
                lines + " 1 " + lines);
      EXPECT_EQ(query("SELECT sql FROM sqlite_schema WHERE name = 'k_key'"),
                R"(CREATE UNIQUE INDEX "k_key" ON "k" ("_key"))");
    }
  }
  write("k.jsonl", many(1, 8'000));
  EXPECT_EQ(must(options_).tables.at(0).key_state, "rowid");
  EXPECT_EQ(query("SELECT max(_key) || ' ' || max(rowid) FROM k"), "8000 8000");
}

TEST_F(Importing, NotesADuplicateKeyAndRefusesItWhenKeyIsGiven) {
  write("k.jsonl", "{\"_key\":1,\"id\":1}\n{\"_key\":1,\"id\":1}\n");
  ImportOutcome outcome = must(options_);
  EXPECT_TRUE(outcome.is_clean());
  EXPECT_EQ(outcome.notes.size(), 1U);
  EXPECT_EQ(query("SELECT name FROM sqlite_schema WHERE tbl_name = 'k' AND type = 'index'"), "");
  options_.may_replace = true;
  options_.key = "id";
  outcome = must(options_);
  EXPECT_TRUE(outcome.is_key_refused);
  EXPECT_FALSE(query("SELECT sql FROM sqlite_schema WHERE tbl_name = 'k' AND type = 'index'")
                   .contains("UNIQUE"));
}

TEST_F(Importing, ADamagedFileLeavesNothingAndTheOthersAreImported) {
  write("a.jsonl", "{\"v\":1}\nx\n");
  write("c.jsonl", "{\"v\":3}\n");
  const std::string before = (must(options_), dump());
  const std::string packed = gzip(many(1, 12'000) + "x\n");
  write("b.jsonl.gz", packed.substr(0, packed.size() - 9));
  options_.may_replace = true;
  for (const Writing writing : {Writing::pages, Writing::sql}) {
    for (const Nested how : {Nested::json, Nested::tables}) {
      options_.writing = writing;
      options_.nested = how;
      options_.table.clear();
      ImportOutcome outcome = must(options_);
      ASSERT_EQ(outcome.failures.size(), 1U);
      EXPECT_TRUE(outcome.failures[0].path.ends_with("b.jsonl.gz"));
      EXPECT_FALSE(outcome.is_clean());
      EXPECT_EQ(outcome.counts, (LineCounts{.lines = 3, .rows = 2, .rejected = 1}));
      EXPECT_EQ(query("SELECT name FROM sqlite_schema WHERE name NOT LIKE '%tidemill%' "
                      "ORDER BY name"),
                "_rejects a c");
      EXPECT_EQ(query("SELECT file || line FROM _rejects"), path("a.jsonl") + "2");
      options_.table = "all";
      outcome = must(options_);
      EXPECT_EQ(outcome.failures.size(), 1U);
      EXPECT_EQ(query("SELECT v FROM \"all\" ORDER BY rowid"), "1 3");
      EXPECT_EQ(query("SELECT file || line FROM _rejects"), path("a.jsonl") + "2");
    }
  }
}

TEST_F(Importing, FailsAndLeavesNothingOnTooManyRejects) {
  write("a.jsonl", "{}\nx\n");
  write("b.jsonl", "[]\n{}\n");
  for (const Writing writing : {Writing::pages, Writing::sql}) {
    options_.writing = writing;
    for (const RejectLimit limit : {RejectLimit{.count = 1}, RejectLimit{.share = 0.49}}) {
      options_.most_rejects = limit;
      EXPECT_EQ(failure(options_), "--max-rejects");
      EXPECT_FALSE(fs::exists(options_.into));
      EXPECT_FALSE(fs::exists(options_.into + ".tidemill.part"));
    }
  }
  options_.most_rejects = {.share = 0.5};
  EXPECT_EQ(must(options_).counts.rejected, 2U);
  options_.may_replace = true;
  options_.most_rejects = {.count = 2};
  EXPECT_EQ(must(options_).rejects.size(), 2U);
}

TEST_F(Importing, ReplaceKeepsTheOldDatabaseWhenNothingCanBeRead) {
  write("a.jsonl", "{\"v\":1}\n");
  must(options_);
  const std::string before = dump();
  fs::remove(path("a.jsonl"));
  options_.may_replace = true;
  EXPECT_EQ(failure(options_), "nothing found");
  write("b.jsonl.gz", gzip(many(1, 100)).substr(0, 60));
  EXPECT_EQ(failure(options_), "read");
  options_.sources = {path("gone")};
  EXPECT_EQ(failure(options_), path("gone"));
  EXPECT_EQ(dump(), before);
  EXPECT_FALSE(fs::exists(options_.into + ".tidemill.part"));
  options_.may_replace = false;
  options_.sources = {base_ + "/in"};
  EXPECT_EQ(failure(options_), "--into");
}

// A file that the test writes while it is read: after this many bytes its first rows are stored,
// because there is no room for more blocks.
class Pipe {
 public:
  explicit Pipe(std::string path) : path_(std::move(path)) {
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  }
  void feed(const std::function<void()>& then) {
    thread_ = std::jthread([this, then] {
      const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      std::string text;
      while (text.size() < 9'000'000) text += "{\"v\":\"" + std::string(1'000, 'v') + "\"}\n";
      std::string_view left = text;
      while (!left.empty()) {
        const auto written = ::write(fd, left.data(), left.size());
        if (written <= 0) break;
        left.remove_prefix(static_cast<std::size_t>(written));
      }
      then();
      ::close(fd);
    });
  }
  void join() { thread_.join(); }

 private:
  std::string path_;
  std::jthread thread_;
};

TEST_F(Importing, AStopLeavesNothingBehind) {
  Pipe pipe(path("pipe"));
  options_.sources = {path("pipe")};
  for (const Writing writing : {Writing::pages, Writing::sql}) {
    std::stop_source stop;
    options_.writing = writing;
    pipe.feed([&] { stop.request_stop(); });
    const auto outcome = run(options_, stop.get_token());
    pipe.join();
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().cure, Cure::resume);
    EXPECT_EQ(outcome.error().step, "stopped");
    EXPECT_FALSE(fs::exists(options_.into));
    EXPECT_FALSE(fs::exists(options_.into + ".tidemill.part"));
  }
  std::stop_source stop;
  stop.request_stop();
  write("a.jsonl", "{}\n");
  options_.sources = {path("a.jsonl")};
  EXPECT_FALSE(run(options_, stop.get_token()));
  EXPECT_FALSE(fs::exists(options_.into));
}

TEST_F(Importing, ResumesAnInterruptedAppendWithTheMissingFiles) {
  Pipe pipe(path("pipe"));
  write("a.jsonl", "{\"v\":1}\n{\"v\":2}\nx\n");
  options_.mode = Mode::append;
  options_.writing = Writing::sql;
  options_.sources = {path("a.jsonl"), path("pipe")};
  std::stop_source stop;
  pipe.feed([&] { stop.request_stop(); });
  EXPECT_EQ(failure(options_, stop.get_token()), "stopped");
  pipe.join();
  EXPECT_EQ(query("SELECT v FROM a"), "1 2");
  EXPECT_EQ(query("SELECT name FROM sqlite_schema WHERE name = 'pipe'"), "");
  pipe.feed([] {});
  const ImportOutcome outcome = must(options_);
  pipe.join();
  EXPECT_EQ(outcome.files_skipped, 1U);
  EXPECT_EQ(query("SELECT v FROM a"), "1 2");
  EXPECT_EQ(query("SELECT line FROM _rejects"), "3");
  EXPECT_GT(std::stoi(query("SELECT count(*) FROM pipe")), 8'000);
  // It is complete now: the same command is a new import.
  options_.sources.pop_back();
  EXPECT_EQ(must(options_).files_skipped, 0U);
  EXPECT_EQ(query("SELECT v FROM a"), "1 2 1 2");
}

TEST_F(Importing, IncrementalModeImportsOnlyChangedFiles) {
  write("a.jsonl", "{\"_key\":1,\"v\":1}\n");
  write("b.jsonl", "{\"_key\":1,\"v\":1}\nx\n");
  options_.mode = Mode::incremental;
  options_.writing = Writing::sql;
  EXPECT_EQ(must(options_).files_done, 2U);
  ImportOutcome outcome = must(options_);
  EXPECT_EQ(outcome.files_skipped, 2U);
  EXPECT_EQ(outcome.files_done, 0U);
  fs::last_write_time(path("a.jsonl"), fs::file_time_type::clock::now() - std::chrono::hours(1));
  outcome = must(options_);
  EXPECT_EQ(outcome.files_skipped, 2U) << "only touched";
  write("b.jsonl", "{\"_key\":2,\"v\":2}\ny\n");  // of the same size
  write("c.jsonl", "{\"_key\":3,\"v\":[],\"w\":0.5}\n");
  fs::remove(path("a.jsonl"));
  outcome = must(options_);
  EXPECT_EQ(outcome.files_done, 2U);
  EXPECT_EQ(outcome.notes.size(), 1U) << "one is gone";
  EXPECT_EQ(query("SELECT _key || ':' || v FROM a UNION ALL SELECT _key || ':' || v FROM b "
                  "UNION ALL SELECT _key || ':' || v FROM c"),
            "1:1 2:2 3:[]");
  EXPECT_EQ(query("SELECT text FROM _rejects"), "y");
  EXPECT_EQ(must(options_).files_skipped, 2U);
}

TEST_F(Importing, ListsOfARejectedRowAreNeitherStoredNorCounted) {
  options_.nested = Nested::tables;
  write("a.jsonl", "{\"_key\":1,\"l\":[1,2]}\n");
  must(options_);
  write("a.jsonl", "{\"_key\":1,\"l\":[1,2]}\n{\"_key\":1,\"l\":[3,4,5]}\n");
  options_.mode = Mode::incremental;
  options_.writing = Writing::sql;
  const ImportOutcome outcome = must(options_);  // the counts were verified
  EXPECT_EQ(outcome.counts, (LineCounts{.lines = 2, .rows = 1, .rejected = 1, .child_rows = 2}));
  EXPECT_EQ(query("SELECT value FROM a_l ORDER BY value"), "1 2");
  EXPECT_EQ(query("SELECT line FROM _rejects"), "2");
}

// Its rows could only be identified by a name of the rowid, and all three are names of columns.
TEST_F(Importing, FailsInsteadOfGuessingWhenColumnsHideEveryRowidName) {
  write("a.jsonl", "{\"rowid\":1,\"_rowid_\":2,\"OID\":3}\n");
  const std::string packed = gzip(many(1, 12'000));
  write("b.jsonl.gz", packed.substr(0, packed.size() - 9));
  options_.table = "all";
  for (const Writing writing : {Writing::pages, Writing::sql}) {
    options_.writing = writing;
    const auto outcome = run(options_);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().step, "table");
    EXPECT_FALSE(fs::exists(options_.into));
  }
}

TEST_F(Importing, AnUpsertChangesOnlyTheFieldsInTheRecord) {
  write("a.jsonl", "{\"_key\":1,\"v\":1,\"w\":1}\n{\"_key\":2,\"v\":2,\"w\":2}\n");
  options_.mode = Mode::upsert;
  options_.writing = Writing::sql;
  must(options_);
  write("a.jsonl",
        "{\"_key\":2,\"w\":null,\"x\":9}\n{\"_key\":3,\"v\":3}\n{\"_key\":1,\"v\":\"t\"}\n");
  must(options_);
  EXPECT_EQ(query("SELECT _key || coalesce(v, '-') || coalesce(w, '-') || coalesce(x, '-') FROM a "
                  "ORDER BY _key"),
            "1t1- 22-9 33--");
}

TEST_F(Importing, SourcesAreFilesAndFoldersFilteredByTheGlob) {
  write("b.jsonl", "{}\n");
  write("a.ndjson", "\xef\xbb\xbf{\"a\":1}\r\n");
  write("c.txt", "{}\n");
  write("sub/B.jsonl.gz", gzip("{}\n"));
  options_.sources = {base_ + "/in", path("b.jsonl"), path("c.txt")};
  const ImportOutcome outcome = must(options_);
  std::string tables;
  for (const TableOutcome& table : outcome.tables) tables += table.name + " ";
  EXPECT_EQ(tables, "a b B_2 c.txt ");
  EXPECT_EQ(query("SELECT a FROM a"), "1");
  options_.sources = {base_ + "/in"};
  write(".h.jsonl", "{}\n");
  options_.may_replace = true;
  EXPECT_EQ(must(options_).tables.size(), 4U);
  options_.hidden = false;
  EXPECT_EQ(must(options_).tables.size(), 3U);
  options_.globs = {"*.txt"};
  options_.may_replace = true;
  EXPECT_EQ(must(options_).tables.size(), 1U);
}

}  // namespace
}  // namespace tidemill::import
