// BookScan over a tree, with a judge defined by the test.
#include "tidemill/jobs/books/book_scan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/log.h"
#include "tidemill/jobs/books/in_a_folder.h"
#include "tidemill/jobs/books/report_cache.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::books {
namespace {

namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

// A clock some seconds ahead, so that the files are no longer fresh.
struct LaterClock final : Clock {
  [[nodiscard]] Instant now() const override { return real.now(); }
  [[nodiscard]] WallTime wall() const override { return real.wall() + ahead; }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  Instant until) const override {
    real.wait_until(lock, changed, until);
  }
  SystemClock real{};
  std::chrono::seconds ahead{9};
};

class BookScanTest : public InAFolder {
 protected:
  void SetUp() override {
    InAFolder::SetUp();
    options_.workers = 1;
    options_.interval = std::chrono::milliseconds(100);
    options_.roots = {at("tree")};
    fs::create_directories(at("tree"));
    cache_ = at("shelf");
  }

  struct Ran {
    Result<engine::FlowCounts> counts;
    std::map<std::string, BookReport> reports{};  // by path below the folder
  };

  // The default judge finds nothing wrong.
  Ran run() {
    judged_ = 0;
    command::Context context{
        .console = console_, .log = log_, .clock = clock_, .stop = stop_.get_token()};
    auto scan =
        BookScan::make({.options = options_,
                        .cache = cache_,
                        .asked = asked_,
                        .again = again_,
                        .judge = [&](const BookScan::Case& book,
                                     engine::TaskContext& task) -> Result<BookScan::Judged> {
                          ++judged_;
                          if (judge_) return judge_(book, task);
                          return good(book);
                        },
                        .report_of_failure =
                            [](const Failure& failure) { return encoded(errored_report(failure)); },
                        .still_holds = still_holds_,
                        .on_book = on_book_},
                       context);
    if (!scan) return {.counts = std::unexpected(scan.error())};
    Ran ran{.counts = (*scan)->run()};
    EXPECT_TRUE((*scan)->cache().each_seen([&](std::string_view path, std::string_view bytes) {
      const auto report = decoded(bytes);
      EXPECT_TRUE(report);
      if (report) ran.reports[std::string(path.substr(base_.size() + 1))] = *report;
      return true;
    }));
    return ran;
  }

  static BookScan::Judged good(const BookScan::Case& book) {
    return {.report = encoded(BookReport{.format = BookFormat::epub3}), .stamp = book.stamp};
  }
  static std::string rule_in(const BookReport& report) {
    return report.findings.size() == 1 ? std::string(report.findings.front().rule.text()) : "";
  }

  WorkOptions options_;
  std::string cache_;
  std::string asked_ = "so";
  bool again_ = false;
  BookScan::Judge judge_;
  BookScan::OnBook on_book_;
  std::function<bool(std::string_view)> still_holds_;
  LaterClock clock_;
  std::stop_source stop_;
  testing::RecordingConsole console_;
  SilentLog log_;
  std::atomic<int> judged_ = 0;
};

TEST_F(BookScanTest, FindsBooksByNameAndChecksEachOnce) {
  for (const char* name : {"a.epub", "b.PDF", "c.txt", "sub/d.Epub", ".hidden/e.pdf", "epub"}) {
    write("tree/" + std::string(name), "x");
  }
  options_.workers = 4;
  Ran ran = run();
  ASSERT_TRUE(ran.counts) << text_of(ran.counts.error());
  EXPECT_EQ(ran.counts->found, 4U);
  EXPECT_EQ(ran.counts->done, 4U);
  EXPECT_EQ(judged_, 4);
  EXPECT_EQ(ran.reports.size(), 4U);
  options_.no_hidden = true;
  options_.excludes = {"sub"};
  options_.globs = {"*.txt", "*.epub", "*.Epub"};
  ran = run();
  ASSERT_TRUE(ran.counts);
  EXPECT_EQ(ran.counts->found, 2U);
  EXPECT_EQ(ran.counts->skipped, 1U);  // a.epub is known
}

TEST_F(BookScanTest, AnUnchangedBookIsNotReadAgain) {
  write("tree/a.epub", "x");
  write("tree/b.epub", "x");
  Strings reported;
  on_book_ = [&](std::string_view path, std::string_view /*report*/) -> Result<void> {
    reported.emplace_back(path);
    return {};
  };
  ASSERT_TRUE(run().counts);
  EXPECT_EQ(judged_, 2);
  write("tree/b.epub", "xy");
  Ran ran = run();
  ASSERT_TRUE(ran.counts);
  EXPECT_EQ(judged_, 1);
  EXPECT_EQ(ran.counts->skipped, 1U);
  EXPECT_EQ(ran.reports.size(), 2U);
  EXPECT_EQ(reported.size(), 4U);
  asked_ = "otherwise";
  ASSERT_TRUE(run().counts);
  EXPECT_EQ(judged_, 2);
  again_ = true;
  ASSERT_TRUE(run().counts);
  EXPECT_EQ(judged_, 2);
  again_ = false;
  still_holds_ = [](std::string_view) { return false; };
  ASSERT_TRUE(run().counts);
  EXPECT_EQ(judged_, 2);
}

// Within one tick of the file system's clock a second write leaves the stamp as it was.
TEST_F(BookScanTest, ChecksARecentlyWrittenBookAgain) {
  clock_.ahead = std::chrono::seconds(-60);  // the file stays fresh, however long the test takes
  write("tree/a.epub", "x");
  ASSERT_TRUE(run().counts);
  ASSERT_TRUE(run().counts);
  EXPECT_EQ(judged_, 1);
}

TEST_F(BookScanTest, RefusesAMissingPathBeforeReadingAnything) {
  write("tree/a.epub", "x");
  options_.roots.push_back(at("typo"));
  const Ran ran = run();
  ASSERT_FALSE(ran.counts);
  EXPECT_EQ(ran.counts.error().reason, at("typo") + ": No such file or directory");
  EXPECT_EQ(judged_, 0);
}

TEST_F(BookScanTest, ReportsAnUnpackedBookWithoutReadingIt) {
  write("tree/a.epub", "x");
  write("tree/deep/b.EPUB/META-INF/container.xml", "x");
  write("tree/sources/META-INF/container.xml", "x");  // not named like a book and not a root
  write("c/META-INF/container.xml", "x");
  options_.roots.push_back(at("c"));
  options_.globs = {"*.epub"};
  const Ran ran = run();
  ASSERT_TRUE(ran.counts) << text_of(ran.counts.error());
  EXPECT_EQ(ran.counts->found, 3U);
  EXPECT_EQ(judged_, 1);
  EXPECT_EQ(rule_in(ran.reports.at("tree/deep/b.EPUB")), "TIDE-021");
  EXPECT_EQ(rule_in(ran.reports.at("c")), "TIDE-021");
}

TEST_F(BookScanTest, ReportsAnUnreadableFolderAsAnErroredBook) {
  write("tree/a.epub", "x");
  write("tree/closed/b.epub", "x");
  ASSERT_EQ(::chmod(at("tree/closed").c_str(), 0), 0);
  cache_ = "";
  const bool is_root = ::geteuid() == 0;
  ASSERT_EQ(::seteuid(is_root ? 65534 : ::geteuid()), 0);
  const Ran ran = run();
  ASSERT_EQ(::seteuid(is_root ? 0 : ::geteuid()), 0);
  ASSERT_EQ(::chmod(at("tree/closed").c_str(), 0755), 0);
  ASSERT_TRUE(ran.counts) << text_of(ran.counts.error());
  EXPECT_EQ(ran.counts->found, 2U);
  EXPECT_EQ(ran.counts->failed, 1U);
  EXPECT_EQ(ran.reports.at("tree/closed").status(), BookStatus::errored);
}

// The only worker is blocked at the first book until the third one is found. The second is in the
// queue then, and the test changes it.
class BetweenFindingAndReading : public BookScanTest {
 protected:
  Ran run_with(const std::function<void(const std::string& path)>& happens) {
    const std::string second = write("2.epub", "x");
    options_.roots = {write("3.epub", "x")};
    EXPECT_TRUE(run().counts);  // the third is known now
    options_.roots = {write("1.epub", "x"), second, at("3.epub")};
    std::atomic<bool> is_found = false;
    still_holds_ = [&](std::string_view) { return is_found = true; };
    judge_ = [&](const BookScan::Case& book, engine::TaskContext&) -> Result<BookScan::Judged> {
      if (book.path == at("1.epub")) {
        EXPECT_TRUE(testing::eventually([&] { return is_found.load(); }));
        happens(second);
      }
      return good(book);
    };
    return run();
  }
};

TEST_F(BetweenFindingAndReading, ABookVanishes) {
  const Ran ran = run_with([](const std::string& path) { fs::remove(path); });
  ASSERT_TRUE(ran.counts) << text_of(ran.counts.error());
  EXPECT_EQ(ran.counts->found, 3U);
  EXPECT_EQ(ran.counts->done, 1U);
  EXPECT_EQ(ran.counts->skipped, 1U);
  EXPECT_EQ(ran.counts->failed, 1U);
  EXPECT_EQ(rule_in(ran.reports.at("2.epub")), "TIDE-019");
}

TEST_F(BetweenFindingAndReading, ABookBecomesAFifoAndDoesNotBlock) {
  const Ran ran = run_with([](const std::string& path) {
    fs::remove(path);
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  });
  ASSERT_TRUE(ran.counts) << text_of(ran.counts.error());
  EXPECT_EQ(ran.counts->failed, 1U);
  EXPECT_EQ(ran.reports.at("2.epub").findings.at(0).detail, "not a regular file");
}

TEST_F(BookScanTest, ReportsAFailureAsAFindingOfTheMatchingRule) {
  write("tree/a.epub", "x");
  using PlaceGroup = sandbox::SandboxAnswer::Kind;
  const std::map<PlaceGroup, std::string> rules = {
      {PlaceGroup::crashed, "TIDE-003"},  {PlaceGroup::refused, "TIDE-003"},
      {PlaceGroup::garbled, "TIDE-003"},  {PlaceGroup::timed_out, "TIDE-004"},
      {PlaceGroup::too_much, "TIDE-005"}, {PlaceGroup::out_of_memory, "TIDE-005"},
  };
  for (const auto& [kind, rule] : rules) {
    judge_ = [&](const BookScan::Case&, engine::TaskContext& task) -> Result<BookScan::Judged> {
      auto answer = answer_in({.kind = kind, .signal = 11}, task);
      if (!answer) return std::unexpected(answer.error());
      return BookScan::Judged{};
    };
    const Ran ran = run();
    ASSERT_TRUE(ran.counts);
    EXPECT_EQ(ran.counts->failed, 1U);
    EXPECT_EQ(rule_in(ran.reports.at("tree/a.epub")), rule);
  }
  EXPECT_EQ(rule_in(errored_report({.step = "disk", .reason = "full"})), "TIDE-019");
}

TEST_F(BookScanTest, ChecksABookAgainInTheNextRunIfItChangedWhileBeingRead) {
  const std::string path = write("tree/a.epub", "x");
  judge_ = [&](const BookScan::Case& book, engine::TaskContext&) -> Result<BookScan::Judged> {
    write("tree/a.epub", "longer");
    const auto after = stamp_behind(book.file);
    if (!after || *after != book.stamp) return unread("it changed while it was read");
    return good(book);
  };
  const Ran ran = run();
  ASSERT_TRUE(ran.counts);
  EXPECT_EQ(rule_in(ran.reports.at("tree/a.epub")), "TIDE-019");
  judge_ = nullptr;
  ASSERT_TRUE(run().counts);
  EXPECT_EQ(judged_, 1);
}

TEST_F(BookScanTest, KeepsFinishedBooksWhenStoppedAndResumesInTheNextRun) {
  for (int at = 0; at < 50; ++at) write("tree/" + std::to_string(at) + ".epub", "x");
  judge_ = [&](const BookScan::Case& book, engine::TaskContext&) -> Result<BookScan::Judged> {
    if (judged_ == 3) stop_.request_stop();
    return good(book);
  };
  const Ran first = run();
  ASSERT_FALSE(first.counts);
  EXPECT_EQ(first.counts.error().cure, Cure::resume);
  EXPECT_EQ(first.reports.size(), 3U);
  stop_ = {};
  judge_ = nullptr;
  const Ran second = run();
  ASSERT_TRUE(second.counts) << text_of(second.counts.error());
  EXPECT_EQ(second.counts->found, 50U);
  EXPECT_EQ(second.counts->skipped, 3U);
  EXPECT_EQ(second.counts->done, 47U);
}

TEST_F(BookScanTest, FailsWithoutASandboxOutputOrCache) {
  write("tree/a.epub", "x");
  judge_ = [](const BookScan::Case&, engine::TaskContext& task) -> Result<BookScan::Judged> {
    auto answer =
        answer_in({.kind = sandbox::SandboxAnswer::Kind::unavailable, .text = "no cell"}, task);
    return std::unexpected(answer.error());
  };
  Ran ran = run();
  ASSERT_FALSE(ran.counts);
  EXPECT_EQ(ran.counts.error().reason, "no cell");
  judge_ = nullptr;
  on_book_ = [](std::string_view, std::string_view) -> Result<void> {
    return fail(Cure::give_up, "output", "nobody reads it");
  };
  ran = run();
  ASSERT_FALSE(ran.counts);
  EXPECT_EQ(ran.counts.error().step, "output");
  cache_ = at("no/folder/shelf");
  EXPECT_FALSE(run().counts);
}

TEST_F(BookScanTest, ReportsADuplicatePathOnce) {
  write("tree/a.epub", "x");
  options_.roots = {at("tree"), at("tree")};
  const Ran ran = run();
  ASSERT_TRUE(ran.counts);
  EXPECT_EQ(ran.counts->found, 2U);
  EXPECT_EQ(ran.reports.size(), 1U);
}

TEST_F(BookScanTest, ChecksListedFilesWhateverTheirNameAndFailsMissingFiles) {
  write("tree/a.epub", "x");
  write("tree/c.txt", "x");
  write("list", at("tree/a.epub") + "\n" + at("tree/gone.epub") + "\n" + at("tree/c.txt") + "\n" +
                    at("tree") + "\n" + at("tree/a.epub") + "\n");
  options_.roots = {};
  options_.files_from = at("list");
  Ran ran = run();
  ASSERT_TRUE(ran.counts) << text_of(ran.counts.error());
  EXPECT_EQ(ran.counts->found, 4U);
  EXPECT_EQ(ran.counts->failed, 2U);
  EXPECT_EQ(judged_, 2);
  EXPECT_EQ(rule_in(ran.reports.at("tree/gone.epub")), "TIDE-019");
  EXPECT_EQ(rule_in(ran.reports.at("tree")), "TIDE-019");
  EXPECT_FALSE(ran.reports.at("tree/c.txt").is_errored);
  ran = run();
  ASSERT_TRUE(ran.counts);
  EXPECT_EQ(judged_, 0);
  EXPECT_EQ(ran.counts->skipped, 2U);
  write("nul", at("tree/a.epub") + std::string(1, '\0') + at("tree/c.txt"));
  options_.files_from = at("nul");
  options_.is_nul_separated = true;
  ran = run();
  ASSERT_TRUE(ran.counts);
  EXPECT_EQ(ran.counts->found, 2U);
}

TEST_F(BookScanTest, FailsWhenTheListIsMissing) {
  options_.roots = {};
  options_.files_from = at("gone");
  EXPECT_FALSE(run().counts);
}

}  // namespace
}  // namespace tidemill::books
