// BookRepairer with sandboxes that lie, as a process compromised by a book would.
#include "tidemill/jobs/books/repair/book_repairer.h"

#include <fcntl.h>
#include <unistd.h>

#include <map>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/log.h"
#include "tidemill/jobs/books/in_a_folder.h"
#include "tidemill/jobs/books/repair/repair.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::books {
namespace {

constexpr std::string_view kOld = "the old book";
constexpr std::string_view kNew = "what the cell has written";

BookReport sound() { return {.format = BookFormat::epub3}; }
BookReport broken() {
  BookReport report{.format = BookFormat::epub3};
  report.add({.rule = "PKG-006"});
  return report;
}

// A request with four descriptors is a repair, a request with one is a check.
struct Liar {
  BookReport old{};                  // the check's report about the old book
  BookReport repaired{};             // the check's report about the repaired book
  RepairReport claim{};              // the repair's own report
  bool writes_while_judged = false;  // the check tries to change the file it was given

  std::string operator()(std::string_view /*request*/, std::span<const int> files) const {
    if (files.size() == 4) {
      (void)!::pwrite(files[1], kNew.data(), kNew.size(), 0);
      return encoded(claim);
    }
    std::string bytes(64, '\0');
    bytes.resize(static_cast<std::size_t>(::pread(files[0], bytes.data(), bytes.size(), 0)));
    if (writes_while_judged) (void)!::pwrite(files[0], "changed", 7, 0);
    return encoded(bytes == kOld ? old : repaired);
  }
};

class Lying : public InAFolder {
 protected:
  // Runs `books repair --apply` on the one book.
  void repair(const Liar& liar) {
    write("a.epub", std::string(kOld));
    RepairOptions options{.apply = true, .has_backup = false, .has_cache = false};
    options.work = {.roots = {at("a.epub")},
                    .workers = 1,
                    .timeout = std::chrono::seconds(60),
                    .memory = mib(208),
                    .interval = std::chrono::milliseconds(100)};
    const auto fork_server = sandbox::ForkServer::start(liar);
    EXPECT_TRUE(fork_server);
    testing::RecordingConsole console;
    SilentLog log;
    SystemClock clock;
    command::Context context{.console = console, .log = log, .clock = clock};
    auto writer = repair_json(true);
    std::string said;
    const Out out = [&](std::string_view text) -> Result<void> {
      said += text;
      return {};
    };
    const auto totals = books::repair(options, **fork_server, {}, *writer, out, context);
    EXPECT_TRUE(totals) << text_of(totals.error());
    EXPECT_EQ(totals->found, 1U);
    text_ = said;
    fates_ = totals->fates;
  }
  [[nodiscard]] bool is_repaired() const { return fates_.contains(Fate::repaired); }

  static RepairReport claim() {
    return {.fate = Fate::planned, .before = broken(), .after = sound()};
  }

  std::string text_;
  std::map<Fate, std::uint64_t> fates_;
};

TEST_F(Lying, ReplacesTheBookWhenTheCheckerConfirmsTheRepair) {
  repair({.old = broken(), .repaired = sound(), .claim = claim()});
  EXPECT_TRUE(is_repaired()) << text_;
  EXPECT_EQ(read("a.epub"), kNew);
}

TEST_F(Lying, DoesNotReplaceTheBookWhenTheResultIsWorseThanClaimed) {
  repair({.old = broken(), .repaired = broken(), .claim = claim()});
  EXPECT_EQ(read("a.epub"), kOld);
  EXPECT_TRUE(fates_.contains(Fate::errored)) << text_;
  EXPECT_TRUE(text_.contains("TIDE-003")) << text_;
  EXPECT_TRUE(text_.contains("not confirmed")) << text_;
}

TEST_F(Lying, DoesNotReplaceAValidBook) {
  repair({.old = sound(), .repaired = sound(), .claim = claim()});
  EXPECT_EQ(read("a.epub"), kOld);
  EXPECT_TRUE(fates_.contains(Fate::errored)) << text_;
}

TEST_F(Lying, DoesNotReplaceTheBookWithoutAnImprovementEvenIfAllAgree) {
  repair({.old = broken(),
          .repaired = broken(),
          .claim = {.fate = Fate::planned, .before = broken(), .after = broken()}});
  EXPECT_EQ(read("a.epub"), kOld);
}

TEST_F(Lying, TheCheckerCannotChangeTheFileItChecks) {
  repair({.old = broken(), .repaired = sound(), .claim = claim(), .writes_while_judged = true});
  EXPECT_EQ(read("a.epub"), kNew);
}

class BookRepairerTest : public InAFolder {};

TEST_F(BookRepairerTest, LocksABookExclusively) {
  write("a.epub", "old");
  const Descriptor one(::open(at("a.epub").c_str(), O_RDONLY));
  Descriptor other(::open(at("a.epub").c_str(), O_RDONLY));
  ASSERT_TRUE(lock_book(other.number()));
  const auto locked = lock_book(one.number());
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().cure, Cure::retry);
  other.close();
  EXPECT_TRUE(lock_book(one.number()));
}

}  // namespace
}  // namespace tidemill::books
