// When undo trusts a file: with a journal of this version, and with one without SHA-256.
#include "tidemill/jobs/dupes/act/undo.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tidemill/io/hash/hasher.h"
#include "tidemill/jobs/dupes/act/made_folders.h"
#include "tidemill/jobs/dupes/act/pair/pair.h"
#include "tidemill/jobs/dupes/act/undo_batch.h"
#include "tidemill/jobs/dupes/act/undo_step.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBytes = "bytes";
constexpr uid_t kOther = 61'000;

std::string digest(hash::Algorithm algorithm) {
  auto hasher = hash::Hasher::make(algorithm).value();
  hasher.update(std::as_bytes(std::span(kBytes)));
  return std::string(hasher.finish().view());
}

Tried<void> undo_one(const PairTools& tools, const PlanStep& step) {
  const SystemClock clock;
  Undoer undoer(tools);
  UndoBatch batch(tools, undoer, clock);
  batch.add(step, 7);
  return batch.finish().at(0);
}

// A file was deleted and its copy kept.
class UndoTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_);
    std::ofstream(kept_) << kBytes;
    step_ = {.action = Action::remove,
             .kept = site_of(kept_, root_),
             .duplicate = site_of(dup_, root_),
             .stamp = {.size = kBytes.size()},
             .metadata = {.mode = 0640, .user = ::geteuid(), .group = ::getegid()},
             .is_begun = true,
             .digest = digest(hash::Algorithm::sha256),
             .kept_user = ::geteuid(),
             .folder_user = ::geteuid()};
    step_.kept_stamp = stamp();
  }
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] FileStamp stamp() const { return stamp_of(look_at(AT_FDCWD, kept_).value()); }
  // As an older version would have written it: with an XXH3, and without the later fields.
  [[nodiscard]] PlanStep old_step() const {
    PlanStep step = step_;
    step.digest = digest(hash::Algorithm::xxh3);
    step.kept_user = 0;
    step.folder_user = 0;
    std::string bytes = packed(step);
    bytes.front() = 1;
    bytes.resize(bytes.size() - 3);  // a byte for each
    return step_of(bytes).value();
  }
  [[nodiscard]] std::string undone(const PlanStep& step) {
    places_.forget();
    fs::remove(dup_);
    const PairTools tools{.places = places_, .comparer = comparer_, .mark = "mark"};
    const auto done = undo_one(tools, step);
    EXPECT_EQ(fs::exists(dup_), done.has_value());
    EXPECT_EQ(std::distance(fs::directory_iterator(root_), {}), done ? 2 : 1);
    return done ? "done" : done.error().reason;
  }
  // The kept file was touched, but its bytes are unchanged.
  void touch() const { ASSERT_EQ(::utimensat(AT_FDCWD, kept_.c_str(), nullptr, 0), 0); }

  const std::string root_ = ::testing::TempDir() + "undo-" + std::to_string(::getpid());
  const std::string kept_ = root_ + "/kept";
  const std::string dup_ = root_ + "/dup";
  PairPlaces places_ = PairPlaces::from("").value();
  Comparer comparer_ = Comparer::make().value();
  PlanStep step_{};
};

TEST_F(UndoTest, RequiresContentsToMatchTheRecordedHash) {
  EXPECT_EQ(undone(step_), "done");
  touch();
  EXPECT_EQ(undone(step_), "done");
  std::ofstream(kept_) << "other";
  EXPECT_EQ(undone(step_), "the contents have changed since");
  std::ofstream(kept_) << kBytes;
  PlanStep unknown = step_;
  unknown.digest.clear();
  EXPECT_EQ(undone(unknown), "the contents have changed since");
  unknown.digest = step_.digest.substr(0, 31);
  EXPECT_EQ(undone(unknown), "the contents have changed since");
}

TEST_F(UndoTest, PrivilegesAreNotGivenToAFileOfAnotherOwner) {
  step_.metadata.mode = 04750;
  touch();
  EXPECT_EQ(undone(step_), "done");
  for (const std::uint32_t user : {::geteuid() + 1, PlanStep::kUnknownUser}) {
    step_.kept_user = user;
    EXPECT_TRUE(undone(step_).starts_with("the owner of the kept file has changed"));
  }
  step_.kept_stamp = stamp();  // it was not touched at all
  EXPECT_EQ(undone(step_), "done");
}

TEST_F(UndoTest, AnOldJournalRestoresFilesNobodyCouldForge) {
  EXPECT_EQ(old_step().kept_user, PlanStep::kUnknownUser);
  EXPECT_EQ(undone(old_step()), "done");
  touch();
  EXPECT_EQ(undone(old_step()), "done");
  std::ofstream(kept_) << "other";
  EXPECT_EQ(undone(old_step()), "the contents have changed since");
}

TEST_F(UndoTest, AnOldJournalRestoresNoPrivilegesFromATouchedFile) {
  step_.metadata.mode = 02750;
  EXPECT_EQ(undone(old_step()), "done");
  touch();
  EXPECT_TRUE(undone(old_step()).contains("capabilities are not restored"));
}

TEST_F(UndoTest, AnOldJournalRestoresNothingFromAnotherUsersTouchedFile) {
  if (::chown(kept_.c_str(), kOther, kOther) != 0) GTEST_SKIP() << "needs root: NOT TESTED";
  step_.kept_stamp = stamp();
  EXPECT_EQ(undone(old_step()), "done");
  touch();
  EXPECT_TRUE(undone(old_step()).contains("belongs to another user"));
  EXPECT_EQ(undone(step_), "done");
}

TEST_F(UndoTest, RootPutsNothingIntoAFolderOfAnotherOwner) {
  const PairTools tools{.places = places_, .comparer = comparer_, .mark = "mark", .is_root = true};
  ++step_.folder_user;
  const auto other = undo_one(tools, step_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), declined("the owner of its folder has changed").error());
  --step_.folder_user;
  EXPECT_TRUE(undo_one(tools, step_));
}

TEST_F(UndoTest, DoesNotMistakeAnotherOwnersFileForTheRestoredFile) {
  const PairTools tools{.places = places_, .comparer = comparer_, .mark = "mark"};
  std::ofstream(dup_) << kBytes;
  step_.metadata.mtime_ns = stamp_of(look_at(AT_FDCWD, dup_).value()).mtime_ns;
  EXPECT_TRUE(undo_one(tools, step_));  // by a process that was killed before it recorded this
  ++step_.metadata.user;
  const auto other = undo_one(tools, step_);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().reason, "another file now has the name");
}

TEST_F(UndoTest, IdentifiesCreatedFoldersByInodeBirthTimeAndPath) {
  const PairTools tools{.places = places_, .comparer = comparer_, .mark = "mark"};
  const Site site = site_of(root_ + "/made/below/file", root_ + "/made");
  ASSERT_TRUE(places_.made_folder_of(site, PairPlaces::Links::refused));
  const auto made = places_.take_made();
  if (made.empty()) GTEST_SKIP() << "the file system has no times of birth: NOT TESTED";
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made.at(1).path, root_ + "/made/below");
  testing::RecordingConsole console;
  auto others = made;
  ++others.at(0).born_ns;
  ++others.at(1).born_ns;
  EXPECT_EQ(remove_empty(others, tools, console), 0U);
  others = made;
  ++others.at(1).inode;
  EXPECT_EQ(remove_empty(others, tools, console), 0U);
  EXPECT_TRUE(fs::exists(root_ + "/made/below"));
  fs::rename(root_ + "/made/below", root_ + "/below");
  fs::rename(root_ + "/made", root_ + "/aside");
  fs::create_directory_symlink(root_, root_ + "/made");  // symlinks below the root are refused
  auto linked = made;
  linked.at(1).root_bytes = root_.size();
  EXPECT_EQ(remove_empty(linked, tools, console), 0U);
  EXPECT_TRUE(fs::exists(root_ + "/below"));
  fs::remove(root_ + "/made");
  fs::rename(root_ + "/aside", root_ + "/made");
  fs::rename(root_ + "/below", root_ + "/made/below");
  EXPECT_EQ(remove_empty(made, tools, console), 0U);
  EXPECT_FALSE(fs::exists(root_ + "/made"));
  EXPECT_EQ(console.said().said, "");
}

// Such as /home, on some machines.
TEST_F(UndoTest, CreatesAndRemovesFoldersBelowAnUnreadableFolder) {
  const std::string open = root_ + "/closed/open";
  fs::create_directories(open);
  fs::permissions(open, fs::perms::all);
  fs::permissions(root_ + "/closed", fs::perms(0111));
  const bool is_root = ::geteuid() == 0;  // root ignores permissions
  ASSERT_EQ(::seteuid(is_root ? 65534 : ::geteuid()), 0);
  const PairTools tools{.places = places_, .comparer = comparer_, .mark = "mark"};
  testing::RecordingConsole console;
  const auto folder = places_.made_folder_of(site_of(open + "/made/file", open + "/made"),
                                             PairPlaces::Links::followed);
  EXPECT_EQ(folder ? "" : folder.error().reason, "");
  const auto made = places_.take_made();
  EXPECT_EQ(remove_empty(made, tools, console), 0U);
  ASSERT_EQ(::seteuid(is_root ? 0 : ::geteuid()), 0);
  fs::permissions(root_ + "/closed", fs::perms::owner_all);
  EXPECT_EQ(fs::is_empty(open), !made.empty());
  EXPECT_EQ(console.said().said, "");
}

TEST_F(UndoTest, AStopLeavesCreatedFoldersForTheNextUndo) {
  std::stop_source stop;
  stop.request_stop();
  const PairTools tools{
      .places = places_, .comparer = comparer_, .mark = "mark", .stop = stop.get_token()};
  testing::RecordingConsole console;
  EXPECT_EQ(remove_empty({{.path = root_}, {.path = root_ + "/made"}}, tools, console), 2U);
}

}  // namespace
}  // namespace tidemill::dupes
