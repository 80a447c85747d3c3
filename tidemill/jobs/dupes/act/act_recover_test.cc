#include "tidemill/jobs/dupes/act/act_recover.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;

void write(const std::string& path, std::string_view bytes, time_t time = 9) {
  std::ofstream(path, std::ios::binary) << bytes;
  const timespec times[2] = {{.tv_sec = time, .tv_nsec = 1}, {.tv_sec = time, .tv_nsec = 1}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

// Interrupts one step at a hook point; then files are changed, and the step is recovered.
class RecoverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_);
    write(kept_, "bytes");
    write(dup_, "bytes");
  }
  void TearDown() override { fs::remove_all(root_); }

  void cut(Action action, HookPoint moment) {
    struct Killed : std::runtime_error {
      using std::runtime_error::runtime_error;
    };
    places_.forget();
    PairTools tools{.places = places_, .comparer = comparer_, .mark = "mark"};
    step_ = {.action = action, .kept = site_of(kept_, root_), .duplicate = site_of(dup_, root_)};
    step_.kept_stamp = stamp_of(look_at(AT_FDCWD, kept_).value());
    step_.stamp = stamp_of(look_at(AT_FDCWD, dup_).value());
    step_ = prepare(tools, step_).value();
    tools.hook = [&](HookPoint now) {
      if (now == moment) throw Killed("killed");
    };
    try {
      auto displaced = begin(tools, step_, 7);
      ASSERT_TRUE(displaced);
      (void)settle(tools, *displaced);
      FAIL() << "the moment did not come";
    } catch (const Killed&) {
    }
  }
  Tried<Recovered> recovered() {
    places_.forget();
    return recover({.places = places_, .comparer = comparer_, .mark = "mark"}, step_, 7);
  }
  void replace(const std::string& path, std::string_view bytes) const {
    write(root_ + "/new", bytes);
    fs::rename(root_ + "/new", path);
  }
  [[nodiscard]] std::map<std::string, std::string> all() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(root_)) {
      std::ifstream in(entry.path(), std::ios::binary);
      all[entry.path().filename()] = {std::istreambuf_iterator<char>(in), {}};
    }
    return all;
  }
  using Names = std::map<std::string, std::string>;

  const std::string root_ = ::testing::TempDir() + "recover-" + std::to_string(::getpid());
  const std::string kept_ = root_ + "/kept";
  const std::string dup_ = root_ + "/dup";
  PairPlaces places_ = PairPlaces::from("").value();
  Comparer comparer_ = Comparer::make().value();
  PlanStep step_{};
};

TEST_F(RecoverTest, KeepsWritesToEitherNameAndRestoresTheDuplicate) {
  cut(Action::hardlink, HookPoint::begun);
  write(dup_, "mine", 11);  // both names are the kept file
  const auto answer = recovered();
  ASSERT_FALSE(answer);
  EXPECT_TRUE(answer.error().reason.contains("the changes are in")) << answer.error().reason;
  EXPECT_EQ(all(), (Names{{"kept", "mine"}, {"dup", "bytes"}}));
  const auto again = recovered();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->has_changed);
}

TEST_F(RecoverTest, LosesNothingWhenTheKeptFileWasReplaced) {
  for (const HookPoint moment : {HookPoint::linked, HookPoint::begun}) {
    cut(Action::hardlink, moment);
    replace(kept_, "newer");
    const auto answer = recovered();
    ASSERT_TRUE(answer) << answer.error().reason;
    EXPECT_TRUE(answer->has_changed);
    EXPECT_EQ(all(), (Names{{"kept", "newer"}, {"dup", "bytes"}}));
    TearDown();
    SetUp();
  }
}

TEST_F(RecoverTest, RestoresARemovedNameWhenItsContentsExistNowhereElse) {
  cut(Action::hardlink, HookPoint::begun);
  fs::remove(dup_);
  write(kept_, "mine", 11);
  ASSERT_TRUE(recovered());
  EXPECT_EQ(all(), (Names{{"kept", "mine"}, {"dup", "bytes"}}));
}

TEST_F(RecoverTest, RestoresAFileThatTookTheNameJustBeforeTheExchange) {
  cut(Action::hardlink, HookPoint::poised);
  replace(dup_, "newer");
  ASSERT_EQ(exchange(AT_FDCWD, root_ + "/.tidemill-mark-7", dup_), 0);  // and then it was killed
  ASSERT_TRUE(recovered());
  EXPECT_EQ(all(), (Names{{"kept", "bytes"}, {"dup", "newer"}}));
}

TEST_F(RecoverTest, KeepsTheOnlyCopyUnderItsTemporaryNameAndReportsIt) {
  for (const Action action : {Action::hardlink, Action::remove}) {
    cut(action, HookPoint::begun);
    replace(dup_, "newer");
    write(kept_, "mine", 11);
    const auto answer = recovered();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind, Refusal::Kind::failed);
    EXPECT_TRUE(answer.error().reason.contains(".tidemill-mark-7")) << answer.error().reason;
    EXPECT_EQ(all(), (Names{{"kept", "mine"}, {"dup", "newer"}, {".tidemill-mark-7", "bytes"}}));
    TearDown();
    SetUp();
  }
}

// The digest decides what undo may restore: the kept file has other bytes by now.
TEST_F(RecoverTest, DoesNotMistakeAChangedKeptFileForTheDuplicate) {
  for (const Action action : {Action::hardlink, Action::remove}) {
    cut(action, HookPoint::unlinked);
    write(kept_, "mine!", 11);
    const auto answer = recovered();
    ASSERT_TRUE(answer && answer->done);
    EXPECT_EQ(answer->done->digest, "");
    TearDown();
    SetUp();
  }
}

// The owner wrote to it and reset its time. That is trusted if the owner can gain nothing by it.
TEST_F(RecoverTest, DoesNotTrustAnOwnersTimestampForPrivilegedFiles) {
  constexpr uid_t kOther = 61'000;
  for (const mode_t mode : {0755U, 02755U}) {
    for (const std::string& path : {kept_, dup_}) {
      if (::chown(path.c_str(), kOther, 8) != 0) GTEST_SKIP() << "needs root: NOT TESTED";
      ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    }
    cut(Action::remove, HookPoint::unlinked);
    ASSERT_EQ(recovered()->done->digest.size(), 32U);
    write(kept_, "mine!");
    EXPECT_EQ(recovered()->done->digest.empty(), mode == 02755U) << mode;
    TearDown();
    SetUp();
  }
}

TEST_F(RecoverTest, FailsOnAMissingFolderAndRecoversWhenItReturns) {
  cut(Action::remove, HookPoint::begun);
  fs::rename(root_, root_ + "-away");
  const auto answer = recovered();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, Refusal::Kind::failed);  // declined would be final
  fs::rename(root_ + "-away", root_);
  ASSERT_TRUE(recovered());
  EXPECT_EQ(all(), (Names{{"kept", "bytes"}, {"dup", "bytes"}}));
}

}  // namespace
}  // namespace tidemill::dupes
