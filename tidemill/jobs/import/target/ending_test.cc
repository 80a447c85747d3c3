// The same command after an import that was interrupted at its very end, and after a complete one.
#include "tidemill/jobs/import/target/ending.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <gtest/gtest.h>

#include "tidemill/base/log.h"
#include "tidemill/jobs/import/import.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::import {
namespace {

namespace fs = std::filesystem;

class ImportEndingTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    fs::create_directory(base_ + "/in");
    options_.sources = {base_ + "/in"};
    options_.into = base_ + "/out.db";
    options_.page_size = 32 * 1024;
    options_.longest_line = mib(512);
    options_.mode = Mode::append;
    options_.workers = 1;
    exec(std::string("PRAGMA journal_mode = ") + GetParam());
    write("a.jsonl", "{\"v\":1}\n");
    write("b.jsonl", "{\"v\":1}\n{\"v\":2}\n");
  }

  void write(const std::string& name, std::string_view text) const {
    std::ofstream(base_ + "/in/" + name, std::ios::binary) << text;
  }
  void exec(const std::string& sql) const {
    auto db = store::Db::open(options_.into);
    ASSERT_TRUE(db && db->exec(sql));
  }
  [[nodiscard]] std::string query(const std::string& sql) const {
    auto db = store::Db::open(options_.into);
    auto select = db->prepare(sql);
    if (!select) return select.error().reason;
    return select->one<std::string>().value().value_or("-");
  }
  [[nodiscard]] std::string rows() const {
    return query("SELECT (SELECT count(*) FROM a) || ' ' || (SELECT count(*) FROM b)");
  }

  Imported run(const ImportOptions& options) {
    testing::RecordingConsole console;
    SilentLog log;
    const SystemClock clock;
    command::Context context{.console = console, .log = log, .clock = clock};
    auto imported = run_import(options, context);
    EXPECT_TRUE(imported) << text_of(imported.error());
    return imported ? *std::move(imported) : Imported{};
  }
  // As if killed after all rows were stored, before the outcome was reported.
  ImportOutcome run_and_kill(const ImportOptions& options) { return run(options).outcome; }
  ImportOutcome run_to_its_end(const ImportOptions& options) {
    Imported imported = run(options);
    EXPECT_TRUE(imported.ending.mark());
    EXPECT_FALSE(fs::exists(options.into + ".tidemill.part"));
    return std::move(imported.outcome);
  }
  // As if killed after `ended` was stored in the database, while DB.tidemill.part still existed.
  void run_and_kill_at_the_mark(const ImportOptions& options) {
    run_to_its_end(options);
    const std::string last = "FROM _tidemill_imports ORDER BY id DESC LIMIT 1";
    std::ofstream(options.into + ".tidemill.part", std::ios::binary)
        << text_of(EndNote{.import = std::stoll(query("SELECT id " + last)),
                           .begun = std::stoll(query("SELECT begun " + last))});
  }

  testing::OwnFolder own_;
  const std::string& base_ = own_.path();
  ImportOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Journals, ImportEndingTest, ::testing::Values("delete", "wal"));

TEST_P(ImportEndingTest, RepeatsACompletedAppend) {
  EXPECT_EQ(run_to_its_end(options_).files_done, 2U);
  EXPECT_EQ(run_to_its_end(options_).files_done, 2U);
  EXPECT_EQ(rows(), "2 4");
}

TEST_P(ImportEndingTest, DoesNotRepeatAnAppendKilledAfterStoringAllRows) {
  run_and_kill(options_);
  EXPECT_EQ(run_and_kill(options_).files_skipped, 2U);
  EXPECT_EQ(run_to_its_end(options_).files_skipped, 2U);
  EXPECT_EQ(rows(), "1 2");
  EXPECT_EQ(run_to_its_end(options_).files_skipped, 0U) << "that one had ended";
  EXPECT_EQ(rows(), "2 4");
}

TEST_P(ImportEndingTest, TheEndNoteMarksTheImportAsUnfinished) {
  run_and_kill_at_the_mark(options_);
  EXPECT_EQ(run_to_its_end(options_).files_skipped, 2U);
  EXPECT_EQ(rows(), "1 2");
  EXPECT_EQ(run_to_its_end(options_).files_skipped, 0U);
  EXPECT_EQ(rows(), "2 4");
}

TEST_P(ImportEndingTest, TheEndNoteSurvivesOtherAndFailedCommands) {
  run_and_kill_at_the_mark(options_);
  ImportOptions other = options_;
  other.table = "other";
  {
    auto user = store::Db::open(options_.into);
    ASSERT_TRUE(user->exec("BEGIN IMMEDIATE"));
    for (const Mode mode : {Mode::append, Mode::fresh}) {
      other.mode = mode;
      other.may_replace = mode == Mode::fresh;
      EXPECT_EQ(ImportTarget::take(other).error().step, "lock");
      EXPECT_TRUE(fs::exists(options_.into + ".tidemill.part"));
    }
  }
  EXPECT_TRUE(ImportTarget::take(other)) << "a --replace that comes to nothing";
  EXPECT_EQ(run_to_its_end(options_).files_skipped, 2U);
  EXPECT_EQ(rows(), "1 2");
}

TEST_P(ImportEndingTest, IgnoresAnEndNoteFromAnotherDatabase) {
  run_and_kill_at_the_mark(options_);
  exec("UPDATE _tidemill_imports SET begun = begun - 9");
  EXPECT_EQ(run_to_its_end(options_).files_skipped, 0U);
  EXPECT_EQ(rows(), "2 4");
}

TEST_P(ImportEndingTest, ResumesWithoutRepeatingRowsAfterAnotherCommand) {
  run_and_kill(options_);
  ImportOptions other = options_;
  other.sources = {base_ + "/in/b.jsonl"};
  EXPECT_EQ(run_to_its_end(other).files_skipped, 0U);
  EXPECT_EQ(rows(), "1 4");
  const ImportOutcome outcome = run_to_its_end(options_);
  EXPECT_EQ(outcome.files_skipped, 1U);
  ASSERT_EQ(outcome.failures.size(), 1U) << "whether b was in, nobody knows any more: it is told";
  EXPECT_EQ(outcome.failures[0].failure.step, "append");
  EXPECT_EQ(rows(), "1 4");
}

TEST_P(ImportEndingTest, ResumesDespiteAddedOrRemovedFiles) {
  run_and_kill(options_);
  write("c.jsonl", "{\"v\":1}\n");
  fs::remove(base_ + "/in/a.jsonl");
  ImportOutcome outcome = run_and_kill(options_);
  EXPECT_EQ(outcome.files_skipped, 1U);
  EXPECT_EQ(outcome.files_done, 1U);
  options_.sources = {base_ + "/in/", base_ + "/in/c.jsonl"};  // more names, of the same kind
  EXPECT_EQ(run_to_its_end(options_).files_skipped, 2U);
  EXPECT_EQ(rows(), "1 2");
  EXPECT_EQ(query("SELECT count(*) FROM c"), "1");
}

TEST_P(ImportEndingTest, ResumesSeveralInterruptedImportsTogether) {
  options_.sources = {base_ + "/in/a.jsonl"};
  run_and_kill(options_);
  options_.sources = {base_ + "/in/b.jsonl"};
  run_and_kill(options_);
  options_.sources = {base_ + "/in/a.jsonl", base_ + "/in/b.jsonl"};
  EXPECT_EQ(run_to_its_end(options_).files_skipped, 2U);
  EXPECT_EQ(query("SELECT count(*) FROM _tidemill_imports WHERE ended IS NULL"), "0");
  EXPECT_EQ(run_to_its_end(options_).files_skipped, 0U);
  EXPECT_EQ(rows(), "2 4");
}

TEST_P(ImportEndingTest, ReportsAFileThatChangedSinceAndDoesNotImportIt) {
  run_and_kill(options_);
  write("a.jsonl", "{\"v\":1}\n{\"v\":3}\n");
  const ImportOutcome outcome = run_to_its_end(options_);
  EXPECT_EQ(outcome.files_skipped, 1U);
  EXPECT_EQ(outcome.failures.size(), 1U);
  EXPECT_EQ(rows(), "1 2");
}

TEST(EndNoteTest, RoundTripsAndRejectsDamagedText) {
  const EndNote note{.import = 7, .begun = 1'700'000'000};
  const std::string text = text_of(note);
  EXPECT_EQ(end_note_in(text), std::optional(note));
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_EQ(end_note_in(text.substr(0, length)), std::nullopt) << length;
  }
  EXPECT_EQ(end_note_in(text + "x"), std::nullopt);
  EXPECT_EQ(end_note_in("SQLite format 3"), std::nullopt);
}

}  // namespace
}  // namespace tidemill::import
