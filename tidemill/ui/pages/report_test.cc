#include "tidemill/ui/pages/report.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/state/run/run.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/own_folder.h"
#include "tidemill/ui/pages/run_plots.h"
#include "tidemill/ui/pages/run_tables.h"

namespace tidemill::pages {
namespace {

using engine::Abandoned;
using engine::Died;
using engine::Done;
using engine::Entry;
using engine::Found;
using engine::TaskId;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::FakeClock;
using testing::OwnFolder;

constexpr WallTime kBegin{std::chrono::hours(480'000)};

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

RunView view_of(std::uint64_t done, std::uint64_t dead) {
  RunView view{.status = {.folder = run::RunFolder("/state/runs", "20261120-0102-each")}};
  view.status.state = run::kComplete;
  view.status.card = {.job = "each",
                      .arguments = {"--jobs=4", "--shell", "photos", "--", "--not-a-flag"},
                      .directory = "/srv",
                      .version = "0.1",
                      .started = kBegin,
                      .ending = std::string(run::kComplete),
                      .has_found_all = true};
  view.status.tally.of(engine::TaskState::done) = done;
  view.status.tally.of(engine::TaskState::dead) = dead;
  view.read_at = kBegin + seconds(100);
  return view;
}

history::Sample sample_at(int second, std::uint64_t session, std::uint64_t done) {
  return {.at = kBegin + seconds(second),
          .session = session,
          .found = 100,
          .done = done,
          .busy = 3,
          .places = 4};
}

std::string page_of(const RunView& view) {
  return report_page(view, {.name = "tidemill", .version = "0.1"}, {});
}

TEST(Report, SaysThatFoundIsTheSumOfTheOthers) {
  RunView view = view_of(90, 7);
  view.status.tally.of(engine::TaskState::skipped) = 2;
  view.status.tally.of(engine::TaskState::abandoned) = 1;
  EXPECT_TRUE(has(page_of(view), "100 found = 90 done + 2 skipped + 8 failed + 0 left"));
}

TEST(Report, EscapesEveryTextFromOutside) {
  const std::string bad = "<script>x</script>\n\xff\xe2\x80\xae\"'&";
  RunView view = view_of(1, 1);
  view.status.card.job = bad;
  view.status.card.cause = bad;
  view.status.card.directory = bad;
  view.status.card.version = bad;
  view.status.card.arguments = {bad, "--flag=" + bad};
  view.failures = {{.step = bad, .reason = bad, .count = 1, .example = bad}};
  view.history.sessions = {{.number = 1, .host = bad, .system = bad}};
  view.history.slowest = {{.attempt = {.type = bad, .note = bad}, .host = bad}};
  view.history.series = {{.samples = {sample_at(0, 1, 0), sample_at(1, 1, 1)}},
                         {.host = bad, .samples = {sample_at(0, 1, 0), sample_at(1, 1, 1)}}};
  history::Durations durations{.host = bad, .type = bad};
  durations.times.counts[50] = 3;
  view.history.durations = {durations};
  view.history.parts = {{.name = bad,
                         .title = bad,
                         .label = bad,
                         .form = history::PartForm::treemap,
                         .columns = {{bad, history::HistoryUnit::bytes}},
                         .rows = {{bad, {5}, bad}}}};
  const std::string page = page_of(view);
  EXPECT_FALSE(has(page, "<script"));
  EXPECT_FALSE(has(page, "\xff"));
  EXPECT_FALSE(has(page, "\xe2\x80\xae"));
  EXPECT_GT(count_of(page, "&lt;script&gt;x"), 10U);
}

TEST(Report, IsAsLargeForTenMillionTasksAsForFew) {
  RunView view = view_of(9'900'000, 100'000);
  for (int i = 0; i < 1'001; ++i) {
    view.failures.push_back({.id = i,
                             .step = "command",
                             .reason = std::string(80, 'r') + std::to_string(i),
                             .count = 100,
                             .example = std::string(120, 'p')});
  }
  view.history.series.push_back({});
  for (int i = 0; i < 1'999; ++i) {
    const auto done = static_cast<std::uint64_t>(i * 4'999 + i * i % 977);
    history::Sample one = sample_at(i * 16, 1, done);
    one.failed = static_cast<std::uint64_t>(i * 50);
    view.history.series.front().samples.push_back(one);
  }
  for (int host = 0; host < 64; ++host) {
    view.history.series.push_back({.host = "host-" + std::to_string(host)});
    for (int i = 0; i < 249; ++i) {
      view.history.series.back().samples.push_back(sample_at(i * 128, 1, 0));
    }
  }
  for (int i = 0; i < 100; ++i) {
    view.history.slowest.push_back(
        {.attempt = {.note = std::string(256, 'n'), .took = seconds(100 - i)}, .host = "h"});
  }
  for (int part = 0; part < 4; ++part) {
    history::HistoryPart one{.name = std::to_string(part),
                             .title = "part " + std::to_string(part),
                             .label = "row",
                             .columns = {{"n"}}};
    for (std::size_t i = 0; i < history::kMostRows; ++i) {
      one.rows.push_back({std::string(60, 'l'), {static_cast<std::int64_t>(i)}, ""});
    }
    view.history.parts.push_back(std::move(one));
  }
  const std::string page = page_of(view);
  EXPECT_LT(page.size(), 300'000U);
  EXPECT_TRUE(has(page, "901 more reasons are not shown."));
}

TEST(Report, OfARunWithoutHistorySaysSo) {
  const std::string page = page_of(view_of(3, 0));
  EXPECT_TRUE(has(page, "This run has no history"));
  EXPECT_FALSE(has(page, "<svg class=\"plot"));
}

TEST(Report, OfARunThatWasOverAtOnceHasNoPlotsOverTime) {
  RunView view = view_of(10, 0);
  view.history.series = {{.samples = {sample_at(0, 1, 0), sample_at(1, 1, 10)}}};
  EXPECT_FALSE(has(page_of(view), "Tasks per second"));
  view.history.series.front().samples.push_back(sample_at(2, 1, 10));
  EXPECT_TRUE(has(page_of(view), "Tasks per second"));
  EXPECT_TRUE(has(page_of(view), "Workers busy"));
  for (history::Sample& one : view.history.series.front().samples) one.places = 0;
  EXPECT_FALSE(has(page_of(view), "Workers busy"));
}

TEST(Report, TimeOfWorkLeavesOutThePausesBetweenProcesses) {
  RunView view = view_of(10, 0);
  view.history.series = {{.samples = {sample_at(0, 1, 0), sample_at(4, 1, 5), sample_at(60, 2, 5),
                                      sample_at(63, 2, 10)}}};
  EXPECT_EQ(view.worked(), seconds(7));
  EXPECT_EQ(view.last_time(), kBegin + seconds(63));
}

TEST(Report, AddsTheDurationsOfAllHostsByType) {
  history::RunHistory history;
  for (const char* host : {"a", "b"}) {
    history::Durations one{.host = host, .type = "hash"};
    one.times.counts[40] = 2;
    history.durations.push_back(one);
  }
  history.durations.push_back({.type = "copy"});
  const auto all = durations_by_type(history);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].times.count(), 4U);
}

TEST(Report, ShowsSettingsAndTheWordsOfTheCommandApart) {
  const std::string table = settings_table(view_of(1, 0)).str();
  EXPECT_TRUE(has(table, "--jobs"));
  EXPECT_TRUE(has(table, ">on<"));
  EXPECT_TRUE(has(table, "argument 1"));
  EXPECT_TRUE(has(table, "word of the command 1"));
  EXPECT_TRUE(has(table, "--not-a-flag"));
}

TEST(Report, ASlowAttemptWithoutANameStillHasAHeader) {
  RunView view = view_of(1, 0);
  view.history.slowest = {{.attempt = {.took = seconds(1)}}};
  EXPECT_TRUE(has(page_of(view), "no name"));
}

TEST(Report, SaysHowManyRowsOfAPartWereLeftOut) {
  RunView view = view_of(1, 0);
  view.history.parts = {{.name = "p",
                         .title = "Rejects",
                         .label = "reason",
                         .columns = {{"lines"}},
                         .rows = {{"bad", {3}, ""}},
                         .left_out = 12}};
  EXPECT_TRUE(has(page_of(view), "12 more rows are not shown."));
}

// Two runs with journals, whose tasks 1 to 4 end as told: 'd' done, 'f' failed.
class ComparisonTest : public ::testing::Test {
 protected:
  [[nodiscard]] RunView run_with(const std::string& ends) {
    const run::StateFolder state(folder_ / "state");
    auto run = run::Run::create(state, {.job = "each", .has_found_all = true}, clock_).value();
    std::vector<Entry> entries;
    for (TaskId id = 1; id <= ends.size(); ++id) {
      entries.emplace_back(Found{.id = id, .subject = "f" + std::to_string(id)});
      if (ends[id - 1] == 'd') {
        entries.emplace_back(Done{.id = id});
      } else {
        entries.emplace_back(Died{.id = id, .failure = {.step = "run", .reason = "status 3"}});
      }
    }
    EXPECT_TRUE(run->journal().commit(entries));
    EXPECT_TRUE(run->end(run::kComplete));
    const run::RunFolder folder = run->folder();
    run.reset();
    return read_run(folder, clock_).value();
  }

  const OwnFolder folder_;
  FakeClock clock_;
};

TEST_F(ComparisonTest, TellsNewFailuresFromThoseThatWereMended) {
  const RunView before = run_with("dffd");
  const RunView now = run_with("fdfd");
  const auto comparison = compare(now, before).value();
  ASSERT_EQ(comparison.newly_failing.size(), 1U);
  EXPECT_EQ(comparison.newly_failing[0].name, "f1");
  EXPECT_EQ(comparison.newly_failing[0].reason, "run: status 3");
  ASSERT_EQ(comparison.mended.size(), 1U);
  EXPECT_EQ(comparison.mended[0].name, "f2");
  EXPECT_FALSE(comparison.is_cut);
}

TEST_F(ComparisonTest, CountsAllButKeepsTheFirstNames) {
  const RunView before = run_with("d");
  const RunView now = run_with(std::string(Comparison::kMostNames + 30, 'f'));
  const auto comparison = compare(now, before).value();
  EXPECT_EQ(comparison.newly_failing_count, Comparison::kMostNames + 30);
  EXPECT_EQ(comparison.newly_failing.size(), Comparison::kMostNames);
  EXPECT_TRUE(has(comparison_part(now, comparison).str(), "30 more tasks are not shown."));
}

TEST_F(ComparisonTest, ListsTasksThatAreSlowInBothAndBecameSlower) {
  RunView before = run_with("d");
  RunView now = before;
  const auto slow = [](const char* name, int ms) {
    return history::SlowTask{.attempt = {.note = name, .took = milliseconds(ms)}};
  };
  before.history.slowest = {slow("a", 100), slow("b", 90), slow("c", 50)};
  now.history.slowest = {slow("b", 400), slow("a", 99), slow("c", 60), slow("new", 55)};
  const auto comparison = compare(now, before).value();
  ASSERT_EQ(comparison.slower.size(), 2U);
  EXPECT_EQ(comparison.slower[0].name, "b");
  EXPECT_EQ(comparison.slower[1].before, milliseconds(50));
}

}  // namespace
}  // namespace tidemill::pages
