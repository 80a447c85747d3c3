#include "tidemill/jobs/dupes/act/pair/pair.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "tidemill/jobs/dupes/act/extents.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBytes = "the same bytes in both files";
constexpr timespec kOld[2] = {{.tv_sec = 1'000'000, .tv_nsec = 5},
                              {.tv_sec = 1'000'000, .tv_nsec = 5}};

void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), kOld, 0), 0);
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

ino_t inode(const std::string& path) {
  struct stat seen{};
  return ::lstat(path.c_str(), &seen) == 0 ? seen.st_ino : 0;
}

class PairTest : public ::testing::Test {
 protected:
  void SetUp() override { make_in(::testing::TempDir()); }
  void TearDown() override { fs::remove_all(root_); }

  void make_in(const std::string& folder) {
    root_ = folder + "/pair-" + std::to_string(::getpid());
    fs::create_directories(root_ + "/a");
    fs::create_directories(root_ + "/b");
    kept_ = root_ + "/a/kept";
    dup_ = root_ + "/b/dup\n\xff";
    write(kept_, kBytes);
    write(dup_, kBytes);
  }

  // As the plan would make it from the current files.
  [[nodiscard]] PlanStep step(Action action) const {
    PlanStep step{.action = action,
                  .kept = site_of(kept_, root_),
                  .duplicate = site_of(dup_, root_),
                  .reclaimable = 4096};
    if (const auto look = look_at(AT_FDCWD, kept_)) step.kept_stamp = stamp_of(*look);
    if (const auto look = look_at(AT_FDCWD, dup_)) step.stamp = stamp_of(*look);
    step.target = {.path = root_ + "/moved/b/dup", .root_bytes = root_.size() + 6};
    return step;
  }

  [[nodiscard]] PairTools tools(std::function<void(HookPoint)> hook = {}) {
    return {.places = places_,
            .comparer = comparer_,
            .mark = "mark",
            .hook = std::move(hook),
            .probe = &probe_};
  }

  // Both halves; `race` is called at the hook point `when`.
  Tried<PlanStep> perform(PlanStep step, HookPoint when = HookPoint::opened,
                          const std::function<void()>& race = {}) {
    places_.forget();
    has_raced_ = false;
    const PairTools all = tools([&](HookPoint moment) {
      if (moment == when && race && !std::exchange(has_raced_, true)) race();
    });
    auto prepared = prepare(all, std::move(step));
    if (!prepared) return std::unexpected(prepared.error());
    auto displaced = begin(all, *std::move(prepared), 7);
    if (!displaced) return std::unexpected(displaced.error());
    return settle(all, *displaced);
  }
  [[nodiscard]] std::string refusal(Action action, HookPoint when = HookPoint::opened,
                                    const std::function<void()>& race = {}) {
    auto done = perform(step(action), when, race);
    return done ? "done" : done.error().reason;
  }

  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      if (!entry.is_directory()) names.insert(entry.path().lexically_relative(root_));
    }
    return names;
  }
  [[nodiscard]] std::set<std::string, std::less<>> contents() const {
    std::set<std::string, std::less<>> contents;
    for (const std::string& name : names()) contents.insert(read(root_ + '/' + name));
    return contents;
  }
  [[nodiscard]] bool is_as_before() const {
    return names() == std::set<std::string>{"a/kept", "b/dup\n\xff"} && read(kept_) == kBytes &&
           read(dup_) == kBytes && inode(kept_) != inode(dup_);
  }
  void replace(const std::string& path, std::string_view bytes) const {
    write(root_ + "/new", bytes);
    fs::rename(root_ + "/new", path);
  }

  std::string root_;
  std::string kept_;
  std::string dup_;
  PairPlaces places_ = PairPlaces::from("").value();
  Comparer comparer_ = Comparer::make().value();
  ShareProbe probe_;
  bool has_raced_ = false;  // not every action reaches every hook point
};

TEST_F(PairTest, AHardlinkTakesTheDuplicatesPlace) {
  const auto done = perform(step(Action::hardlink));
  ASSERT_TRUE(done) << done.error().reason;
  EXPECT_EQ(inode(dup_), inode(kept_));
  EXPECT_EQ(read(dup_), kBytes);
  EXPECT_EQ(done->after.inode, inode(kept_));
  EXPECT_EQ(done->digest.size(), 32U);
  EXPECT_EQ(names(), (std::set<std::string>{"a/kept", "b/dup\n\xff"}));
}

TEST_F(PairTest, ADuplicateIsDeleted) {
  const auto done = perform(step(Action::remove));
  ASSERT_TRUE(done) << done.error().reason;
  EXPECT_EQ(names(), std::set<std::string>{"a/kept"});
  EXPECT_EQ(read(kept_), kBytes);
}

TEST_F(PairTest, ADuplicateIsMovedAndNothingIsOverwritten) {
  const ino_t before = inode(dup_);
  ASSERT_TRUE(perform(step(Action::move)));
  EXPECT_EQ(inode(root_ + "/moved/b/dup"), before);
  write(dup_, kBytes);
  EXPECT_TRUE(refusal(Action::move).starts_with("there is already something at"));
  EXPECT_EQ(read(dup_), kBytes);
}

TEST_F(PairTest, MetadataThatWouldBeLostIsNamed) {
  ASSERT_EQ(::chmod(dup_.c_str(), 0640), 0);
  EXPECT_EQ(refusal(Action::hardlink), "the mode differs");
  ASSERT_EQ(::chmod(dup_.c_str(), fs::status(kept_).permissions() == fs::perms::none ? 0 : 0644),
            0);
  ASSERT_EQ(::chmod(kept_.c_str(), 0644), 0);
  ASSERT_EQ(::utimensat(AT_FDCWD, dup_.c_str(), nullptr, 0), 0);
  EXPECT_EQ(refusal(Action::hardlink), "the modification time differs");
  ASSERT_EQ(::utimensat(AT_FDCWD, dup_.c_str(), kOld, 0), 0);
  if (::setxattr(dup_.c_str(), "user.origin", "x", 1, 0) == 0) {
    EXPECT_EQ(refusal(Action::hardlink), "the extended attribute user.origin differs");
  }
  EXPECT_TRUE(is_as_before());
  PlanStep lenient = step(Action::hardlink);
  lenient.lenience = {.mtime = true, .mode = true, .owner = true, .xattrs = true};
  EXPECT_TRUE(perform(lenient));
}

TEST_F(PairTest, ChangedFilesAreLeftAlone) {
  const PlanStep scanned = step(Action::hardlink);
  write(dup_, "other bytes, as many as that");
  EXPECT_EQ(refusal(Action::hardlink), "the contents differ");
  ASSERT_EQ(::utimensat(AT_FDCWD, dup_.c_str(), nullptr, 0), 0);
  EXPECT_EQ(perform(scanned).error().reason, "the duplicate changed since the scan");
  fs::remove(dup_);
  EXPECT_EQ(perform(scanned).error().reason, "the duplicate no longer exists");
  fs::create_symlink(kept_, dup_);
  EXPECT_EQ(perform(scanned).error().reason, "the duplicate is no longer a regular file");
  fs::remove(dup_);
  ASSERT_EQ(::mkfifo(dup_.c_str(), 0600), 0);
  EXPECT_EQ(perform(scanned).error().reason, "the duplicate is no longer a regular file");
  fs::remove(dup_);
  fs::create_hard_link(kept_, dup_);
  EXPECT_EQ(refusal(Action::hardlink), "both names are already the same file");
  EXPECT_EQ(refusal(Action::remove), "both names are already the same file");
}

TEST_F(PairTest, AFolderThatBecameASymlinkIsNotFollowed) {
  const PlanStep scanned = step(Action::remove);
  fs::rename(root_ + "/b", root_ + "/c");
  fs::create_symlink("c", root_ + "/b");
  EXPECT_EQ(perform(scanned).error().reason, "the duplicate: a part of the path is not a folder");
  EXPECT_TRUE(fs::exists(root_ + "/c/dup\n\xff"));
}

TEST_F(PairTest, SkipsFilesOpenForWriting) {
  for (const std::string& path : {dup_, kept_}) {
    const Descriptor writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    EXPECT_TRUE(refusal(Action::hardlink).ends_with("is open for writing")) << path;
    EXPECT_TRUE(refusal(Action::remove).ends_with("is open for writing")) << path;
  }
  EXPECT_TRUE(is_as_before());
}

// Another file takes the name: at every hook point, it still exists afterwards.
TEST_F(PairTest, NeverLosesAFileThatTakesTheNameMeanwhile) {
  for (const Action action : {Action::hardlink, Action::remove, Action::move}) {
    for (int moment = 0; moment <= static_cast<int>(HookPoint::unlinked); ++moment) {
      const auto when = static_cast<HookPoint>(moment);
      (void)perform(step(action), when, [&] { replace(dup_, "newer"); });
      ASSERT_TRUE(!has_raced_ || read(dup_) == "newer") << type_of(action) << moment;
      ASSERT_EQ(read(kept_), kBytes);
      fs::remove_all(root_);
      make_in(::testing::TempDir());
    }
  }
}

// The same with a writer that forges the times; it can open the file only without a lease.
TEST_F(PairTest, NeverLosesConcurrentWrites) {
  for (const Action action : {Action::hardlink, Action::remove}) {
    for (int moment = 0; moment <= static_cast<int>(HookPoint::unlinked); ++moment) {
      const auto when = static_cast<HookPoint>(moment);
      bool has_written = false;
      (void)perform(step(action), when, [&] {
        const Descriptor writer(::open(dup_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
        has_written = writer.is_open() && ::pwrite(writer.number(), "NEW", 3, 0) == 3;
        (void)::futimens(writer.number(), kOld);
      });
      ASSERT_TRUE(has_written ? read(dup_).starts_with("NEW") : read(kept_) == kBytes) << moment;
      fs::remove_all(root_);
      make_in(::testing::TempDir());
    }
  }
}

TEST_F(PairTest, TheLastCopyIsNeverDeleted) {
  for (int moment = 0; moment <= static_cast<int>(HookPoint::unlinked); ++moment) {
    const auto when = static_cast<HookPoint>(moment);
    const std::string why = refusal(Action::remove, when, [&] { fs::remove(kept_); });
    EXPECT_TRUE(!has_raced_ || read(dup_) == kBytes) << moment << why;
    fs::remove_all(root_);
    make_in(::testing::TempDir());
  }
}

TEST_F(PairTest, LosesNothingWhenTheKeptFileIsReplacedMeanwhile) {
  for (const Action action : {Action::hardlink, Action::remove}) {
    for (int moment = 0; moment < static_cast<int>(HookPoint::unlinked); ++moment) {
      (void)perform(step(action), static_cast<HookPoint>(moment), [&] { replace(kept_, "newer"); });
      EXPECT_TRUE(!has_raced_ || read(dup_) == kBytes) << moment;
      EXPECT_TRUE(!has_raced_ || read(kept_) == "newer") << moment;
      fs::remove_all(root_);
      make_in(::testing::TempDir());
    }
  }
}

TEST_F(PairTest, RestoresTheDuplicateForAWaitingWriter) {
  // A process looks the file up by its old name, and opens it when that is the kept file.
  std::string reason = refusal(Action::hardlink, HookPoint::displaced, [&] {
    EXPECT_LT(::open((root_ + "/b/.tidemill-mark-7").c_str(), O_WRONLY | O_NONBLOCK), 0);
  });
  EXPECT_EQ(reason, "another process wants to write to the duplicate");
  EXPECT_TRUE(is_as_before());
  reason = refusal(Action::hardlink, HookPoint::synced, [&] {
    EXPECT_LT(::open((root_ + "/b/.tidemill-mark-7").c_str(), O_WRONLY | O_NONBLOCK), 0);
  });
  EXPECT_EQ(reason, "the duplicate changed in the meantime");
  EXPECT_TRUE(is_as_before());
}

TEST_F(PairTest, HandlesPathsLongerThanPathMax) {
  Descriptor folder(::open((root_ + "/b").c_str(), O_RDONLY | O_DIRECTORY));
  const std::string part(200, 'd');
  std::string path = root_ + "/b";
  for (int depth = 0; depth < 30; ++depth) {
    ASSERT_EQ(::mkdirat(folder.number(), part.c_str(), 0700), 0);
    folder = Descriptor(::openat(folder.number(), part.c_str(), O_RDONLY | O_DIRECTORY));
    path += '/' + part;
  }
  ASSERT_EQ(::renameat(AT_FDCWD, dup_.c_str(), folder.number(), "dup"), 0);
  PlanStep deep = step(Action::hardlink);
  deep.duplicate = site_of(path + "/dup", root_);
  deep.stamp = stamp_of(*look_at(folder.number(), "dup"));
  const auto done = perform(deep);
  EXPECT_TRUE(done) << done.error().reason;
  EXPECT_EQ(look_at(folder.number(), "dup")->stx_ino, inode(kept_));
}

// A file takes the name just before the exchange, and just after it another process uses the name,
// which is the kept file by then. Its later writes go to the wrong file, but the bytes of both are
// preserved.
TEST_F(PairTest, LosesNothingWhenTheKeptFilesNewNameIsMoved) {
  const auto names_of = [&] { return std::pair(dup_, root_ + "/b/other"); };
  const auto move_away = [&] { fs::rename(names_of().first, names_of().second); };
  const auto move_back = [&] { fs::rename(names_of().second, names_of().first); };
  const auto exchange = [&] {
    replace(names_of().second, "third");
    ASSERT_EQ(::renameat2(AT_FDCWD, names_of().first.c_str(), AT_FDCWD, names_of().second.c_str(),
                          RENAME_EXCHANGE),
              0);
  };
  const auto write_to_other = [&] { write(names_of().second, "mine"); };
  const auto ask_to_write = [&] {
    EXPECT_LT(::open(names_of().second.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC), 0);
  };
  struct Case {
    std::vector<std::function<void()>> meanwhile;
    std::function<void()> afterwards;
  };
  const std::vector<Case> cases = {{{move_away}, move_back},
                                   {{move_away}, write_to_other},
                                   {{move_away, ask_to_write}, write_to_other},
                                   {{exchange}, write_to_other},
                                   {{exchange, ask_to_write}, write_to_other}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    places_.forget();
    const PairTools all = tools([&](HookPoint moment) {
      if (moment == HookPoint::poised) replace(dup_, "newer");
      if (moment != HookPoint::displaced) return;
      for (const auto& act : cases[i].meanwhile) act();
    });
    const auto displaced = begin(all, prepare(all, step(Action::hardlink)).value(), 7);
    ASSERT_FALSE(displaced);
    EXPECT_EQ(displaced.error().kind, Refusal::Kind::failed) << i;
    cases[i].afterwards();
    EXPECT_TRUE(contents().contains("newer")) << i;
    EXPECT_TRUE(contents().contains(kBytes)) << i;
    fs::remove_all(root_);
    make_in(::testing::TempDir());
  }
}

// A process has opened the kept file by the duplicate's name or by its own: indistinguishable.
TEST_F(PairTest, LosesNothingWhenTheKeptFilesNewNameIsOpenedForWriting) {
  for (const bool is_taken : {false, true}) {
    const PairTools all = tools([&](HookPoint moment) {
      if (moment == HookPoint::poised && is_taken) replace(dup_, "newer");
      if (moment != HookPoint::displaced && (moment != HookPoint::poised || is_taken)) return;
      EXPECT_LT(::open(dup_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC), 0);
    });
    const auto displaced = begin(all, prepare(all, step(Action::hardlink)).value(), 7);
    ASSERT_FALSE(displaced);
    EXPECT_TRUE(displaced.error().reason.contains("may reach")) << displaced.error().reason;
    EXPECT_EQ(read(dup_), is_taken ? "newer" : kBytes);
    write(kept_, "mine");  // the process continues
    EXPECT_EQ(read(root_ + "/b/.tidemill-mark-7-kept"), kBytes);
    fs::remove_all(root_);
    make_in(::testing::TempDir());
    places_.forget();
  }
}

TEST_F(PairTest, RemovingTheKeptFilesNewNameRemovesOnlyThatName) {
  const PairTools all = tools([&](HookPoint moment) {
    if (moment == HookPoint::poised) replace(dup_, "newer");
    if (moment == HookPoint::displaced) fs::remove(dup_);
  });
  EXPECT_FALSE(begin(all, prepare(all, step(Action::hardlink)).value(), 7));
  EXPECT_EQ(read(dup_), "newer");
  EXPECT_EQ(names(), (std::set<std::string>{"a/kept", "b/dup\n\xff"}));
}

// The step is rolled back after the sync, and the name was moved or is open for writing.
TEST_F(PairTest, NeverLosesADuplicateThatMustBeRestoredAfterTheSync) {
  const std::string temporary = root_ + "/b/.tidemill-mark-7";
  const auto ask = [&] { EXPECT_LT(::open(temporary.c_str(), O_WRONLY | O_NONBLOCK), 0); };
  (void)refusal(Action::hardlink, HookPoint::synced, [&] {
    ask();
    fs::rename(dup_, root_ + "/b/away");
  });
  const ino_t duplicate = inode(temporary);
  fs::rename(root_ + "/b/away", dup_);
  EXPECT_NE(duplicate, inode(kept_));
  EXPECT_EQ(read(temporary), kBytes);
  fs::remove_all(root_);
  make_in(::testing::TempDir());
  Descriptor writer;
  const std::string why = refusal(Action::hardlink, HookPoint::synced, [&] {
    ask();
    writer = Descriptor(::open(dup_.c_str(), O_WRONLY | O_CLOEXEC));
  });
  EXPECT_TRUE(why.contains("both names are being written to")) << why;
  EXPECT_EQ(::pwrite(writer.number(), "NEW", 3, 0), 3);
  EXPECT_TRUE(read(dup_).starts_with("NEW"));
  EXPECT_EQ(read(temporary), kBytes);
}

// On a file system image that can share blocks: only root can mount it.
class MountedPairTest : public PairTest {
 protected:
  void SetUp() override {
    PairTest::SetUp();
    image_ = root_ + ".img";
    mount_ = root_ + ".mnt";
    fs::create_directories(mount_);
    std::ofstream(image_).close();
    fs::resize_file(image_, std::uintmax_t{512} << 20U);
    const std::string command = "mkfs.xfs -q " + image_ + " 2>/dev/null && mount -o loop " +
                                image_ + " " + mount_ + " 2>/dev/null";
    // The mount is private to this process and ends with it.
    const bool is_private = ::geteuid() == 0 && ::unshare(CLONE_NEWNS) == 0 &&
                            ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    is_mounted_ = is_private && std::system(command.c_str()) == 0;
    if (!is_mounted_) GTEST_SKIP() << "xfs in a file cannot be mounted here: NOT TESTED";
  }
  void TearDown() override {
    places_.forget();
    if (is_mounted_) ::umount2(mount_.c_str(), MNT_DETACH);
    fs::remove_all(image_);
    fs::remove_all(mount_);
    PairTest::TearDown();
  }

  std::string image_;
  std::string mount_;
  bool is_mounted_ = false;
};

// On any file system: the plan predicts the outcome.
TEST_F(PairTest, ThePlanPredictsWhetherBlocksCanBeShared) {
  PairTools all = tools();
  const auto planned = prepare(all, step(Action::reflink));
  EXPECT_EQ(probe_.unanswered(), 0U);
  EXPECT_EQ(read(dup_), kBytes);
  all.probe = nullptr;
  auto unasked = prepare(all, step(Action::reflink));
  ASSERT_TRUE(unasked);
  const auto done = begin(all, *std::move(unasked), 7);
  EXPECT_EQ(planned.has_value(), done.has_value());
  if (planned) return;
  const PlanStep next = step(Action::reflink);
  fs::remove(dup_);
  all.probe = &probe_;
  EXPECT_EQ(prepare(all, next).error(), planned.error());  // without opening the files
}

TEST_F(MountedPairTest, AReflinkSharesTheBlocksAndChangesNothing) {
  const std::string local = root_;
  make_in(mount_);
  const std::string much(std::size_t{40} << 20U, 'x');  // three calls of the kernel
  write(kept_, much + "1");
  write(dup_, much + "1");
  ::sync();
  Group group{.copies = {{.names = {{.path = kept_}}, .blocks = 90'000},
                         {.names = {{.path = dup_}}, .blocks = 90'000}}};
  const DupesOptions options{.roots = {root_}};
  fill_shared(group, options, places_);
  EXPECT_EQ(group.copies[1].shared, 0U);
  const ino_t before = inode(dup_);
  const auto done = perform(step(Action::reflink));
  ASSERT_TRUE(done) << done.error().reason;
  EXPECT_EQ(inode(dup_), before);
  EXPECT_EQ(stamp_of(*look_at(AT_FDCWD, dup_)), step(Action::reflink).stamp);
  fill_shared(group, options, places_);
  EXPECT_EQ(group.copies[0].shared, 0U);
  EXPECT_GE(group.copies[1].shared, much.size() / 512);
  write(dup_, much + "2");
  EXPECT_EQ(refusal(Action::reflink), "the contents differ");
  EXPECT_EQ(read(dup_), much + "2");
  fs::remove_all(root_);
  root_ = local;
}

TEST_F(MountedPairTest, AMoveToAnotherFileSystemCopiesContentsAndMetadata) {
  ASSERT_EQ(::chmod(kept_.c_str(), 0640), 0);
  ASSERT_EQ(::chmod(dup_.c_str(), 0640), 0);
  PlanStep away = step(Action::move);
  away.target = {.path = mount_ + "/moved/b/dup", .root_bytes = mount_.size() + 6};
  const auto done = perform(away);
  ASSERT_TRUE(done) << done.error().reason;
  EXPECT_FALSE(fs::exists(dup_));
  EXPECT_EQ(read(away.target.path), kBytes);
  EXPECT_EQ(inode(away.target.path), done->after.inode);
  EXPECT_EQ(fs::status(away.target.path).permissions(), fs::perms(0640));
  EXPECT_EQ(look_at(AT_FDCWD, away.target.path)->stx_mtime.tv_sec, 1'000'000);
  EXPECT_EQ(std::distance(fs::directory_iterator(mount_ + "/moved/b"), {}), 1);
}

TEST_F(MountedPairTest, FilesOnTwoFileSystemsAreNotLinked) {
  PlanStep apart = step(Action::hardlink);
  apart.kept = site_of(mount_ + "/kept", mount_);
  write(mount_ + "/kept", kBytes);
  apart.kept_stamp = stamp_of(*look_at(AT_FDCWD, mount_ + "/kept"));
  EXPECT_EQ(perform(apart).error().reason, "the files are on different file systems");
}

}  // namespace
}  // namespace tidemill::dupes
