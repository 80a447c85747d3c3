#include "tidemill/jobs/dupes/act/act.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tidemill/jobs/dupes/act/leftovers.h"
#include "tidemill/jobs/dupes/act/plan.h"
#include "tidemill/jobs/dupes/act/undo.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;

class FixedGroups final : public Groups {
 public:
  explicit FixedGroups(std::vector<Group> groups) : groups_(std::move(groups)) {}
  [[nodiscard]] std::size_t size() const override { return groups_.size(); }
  [[nodiscard]] Result<void> each(const std::function<bool(const Group&)>& on_group) override {
    for (const Group& group : groups_) {
      if (!on_group(group)) break;
    }
    return {};
  }

 private:
  std::vector<Group> groups_;
};

struct Facts {
  std::string bytes{};
  ino_t inode = 0;
  mode_t mode = 0;
  std::int64_t mtime_ns = 0;
};

class ActTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.least_size = 1;
    options_.least_copies = 2;
    make();
  }
  void TearDown() override { fs::remove_all(base_); }

  void make() {
    fs::remove_all(base_);
    for (const char* folder : {"/tree/a", "/tree/b", "/tree/c"}) {
      fs::create_directories(base_ + folder);
    }
    write("a/1", "one");
    write("b/1", "one");
    write("c/1", "one");
    write("a/2", "second");
    write("b/2", "second");
    fs::create_hard_link(path("b/2"), path("c/2"));  // one file with two names
    fs::permissions(path("b/2"), fs::perms(0640));
    fs::permissions(path("a/2"), fs::perms(0640));
    options_ = {.roots = {"tree"}, .action = Action::hardlink, .move_to = "away"};
    before_ = tree();
    run_.reset();
    auto run = run::Run::create(run::StateFolder(base_ + "/state"),
                                {.job = "dupes", .directory = base_}, clock_);
    ASSERT_TRUE(run) << text_of(run.error());
    run_ = *std::move(run);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return base_ + "/tree/" + name; }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    constexpr timespec kTimes[2] = {{.tv_sec = 9, .tv_nsec = 1}, {.tv_sec = 9, .tv_nsec = 1}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path(name).c_str(), kTimes, 0), 0);
  }
  [[nodiscard]] std::map<std::string, Facts> tree() const {
    std::map<std::string, Facts> tree;
    for (const auto& entry : fs::recursive_directory_iterator(base_)) {
      const std::string name = entry.path().lexically_relative(base_);
      struct stat seen{};
      if (name.starts_with("state") || ::lstat(entry.path().c_str(), &seen) != 0) continue;
      if (!S_ISREG(seen.st_mode)) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      tree[name] = {.bytes = {std::istreambuf_iterator<char>(in), {}},
                    .inode = seen.st_ino,
                    .mode = seen.st_mode,
                    .mtime_ns = stamp_of(seen).mtime_ns};
    }
    return tree;
  }
  [[nodiscard]] Copy copy(const std::vector<std::string>& names) const {
    Copy copy;
    for (const std::string& name : names) copy.names.push_back({.path = "tree/" + name});
    struct stat seen{};
    EXPECT_EQ(::lstat(path(names.front()).c_str(), &seen), 0);
    copy.stamp = stamp_of(seen);
    copy.blocks = static_cast<std::uint64_t>(seen.st_blocks);
    copy.links = static_cast<std::uint32_t>(seen.st_nlink);
    return copy;
  }
  [[nodiscard]] FixedGroups groups() const {
    return FixedGroups(
        {{.number = 1, .size = 3, .copies = {copy({"a/1"}), copy({"b/1"}), copy({"c/1"})}},
         {.number = 2, .size = 6, .copies = {copy({"a/2"}), copy({"b/2", "c/2"})}}});
  }

  Result<ActReport> apply(const ActHooks& hooks = {}) {
    FixedGroups all = groups();
    return act(all, options_, *run_, context_, hooks);
  }
  // As after the end of the process: its resources are released, and the run is opened again.
  void reopen() {
    const run::RunFolder folder = run_->folder();
    run_.reset();
    auto run = run::Run::open(folder, clock_);
    ASSERT_TRUE(run) << text_of(run.error());
    run_ = *std::move(run);
  }
  // As if killed when the hook point is reached for the nth time. False: it was not reached.
  bool die_at(HookPoint moment, int nth) {
    struct Killed : std::runtime_error {
      using std::runtime_error::runtime_error;
    };
    try {
      EXPECT_TRUE(apply({.moment = [&](HookPoint now) {
        if (now == moment && --nth == 0) throw Killed("killed");
      }}));
      return false;
    } catch (const Killed&) {
      reopen();
      return true;
    }
  }

  void expect_as_before() const {
    const auto now = tree();
    EXPECT_EQ(now.size(), before_.size());
    std::map<ino_t, ino_t> twins;
    for (const auto& [name, facts] : before_) {
      ASSERT_TRUE(now.contains(name)) << name;
      const Facts& other = now.at(name);
      EXPECT_EQ(other.bytes, facts.bytes) << name;
      EXPECT_EQ(other.mode, facts.mode) << name;
      EXPECT_EQ(other.mtime_ns, facts.mtime_ns) << name;
      EXPECT_EQ(twins.emplace(facts.inode, other.inode).first->second, other.inode) << name;
    }
    std::set<ino_t> inodes;
    for (const auto& [was, is] : twins) inodes.insert(is);
    EXPECT_EQ(inodes.size(), twins.size());  // separate files are separate again
  }
  void expect_all_done() const {
    const auto now = tree();
    switch (options_.action) {
      case Action::hardlink:
        EXPECT_EQ(now.size(), 6U);
        for (const auto& [name, facts] : before_) {
          ASSERT_TRUE(now.contains(name)) << name;
          EXPECT_EQ(now.at(name).inode, now.at("tree/a/" + name.substr(7)).inode) << name;
          EXPECT_EQ(now.at(name).bytes, facts.bytes) << name;
        }
        break;
      case Action::move:
        EXPECT_EQ(now.size(), 6U);
        for (const char* name : {"away/b/1", "away/c/1", "away/b/2", "away/c/2"}) {
          EXPECT_TRUE(now.contains(name)) << name;
        }
        break;
      default:
        EXPECT_EQ(now.size(), 2U);
    }
    EXPECT_TRUE(now.contains("tree/a/1") && now.contains("tree/a/2"));
  }

  const std::string base_ = ::testing::TempDir() + "act-" + std::to_string(::getpid());
  SystemClock clock_;
  SilentLog log_;
  testing::RecordingConsole console_;
  command::Context context_{.console = console_, .log = log_, .clock = clock_};
  DupesOptions options_{};
  std::map<std::string, Facts> before_;
  std::unique_ptr<run::Run> run_;
};

constexpr Action kActions[] = {Action::hardlink, Action::remove, Action::move};

TEST_F(ActTest, EveryStepIsDoneAndUndone) {
  for (const Action action : kActions) {
    make();
    options_.action = action;
    const auto report = apply();
    ASSERT_TRUE(report) << text_of(report.error());
    EXPECT_EQ(report->found, 4U);
    EXPECT_EQ(report->done, 4U) << type_of(action);
    EXPECT_EQ(report->reclaimed, action == Action::move ? 0U : 3U * 4096U);
    expect_all_done();
    reopen();
    EXPECT_EQ(undo(*run_, context_).value(), (UndoReport{.undone = 4}));
    expect_as_before();
    EXPECT_FALSE(fs::exists(base_ + "/away"));
    reopen();
    EXPECT_EQ(undo(*run_, context_).value(), (UndoReport{.before = 4}));
    expect_as_before();
  }
}

TEST_F(ActTest, AKillAtAnyMomentIsResumedOrUndone) {
  int kills = 0;
  for (const Action action : kActions) {
    for (int moment = 0; moment <= static_cast<int>(HookPoint::unlinked); ++moment) {
      for (const bool resumes : {true, false}) {
        const int nth = (moment % 2 == 0) == resumes ? 1 : 3;
        SCOPED_TRACE(std::string(type_of(action)) + " moment " + std::to_string(moment) + " nth " +
                     std::to_string(nth) + (resumes ? " resume" : " undo"));
        make();
        options_.action = action;
        if (!die_at(static_cast<HookPoint>(moment), nth)) continue;
        ++kills;
        if (resumes) {
          const auto report = resume_actions(*run_, context_);
          ASSERT_TRUE(report) << text_of(report.error());
          EXPECT_EQ(report->done, 4U);
          EXPECT_EQ(report->pending, 0U);
          expect_all_done();
          reopen();
        }
        const auto undone = undo(*run_, context_);
        ASSERT_TRUE(undone) << text_of(undone.error());
        EXPECT_EQ(undone->declined + undone->failed, 0U) << console_.said().said;
        expect_as_before();
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(kills, 35);
}

TEST_F(ActTest, ReasonsAreInTheJournal) {
  write("b/1", "two");
  const auto report = apply();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->declined, 1U);
  EXPECT_EQ(report->found, report->done + report->declined + report->failed);
  const auto task = run_->journal().task(1).value();
  EXPECT_EQ(task->subject, "tree/b/1");
  EXPECT_EQ(task->type, "hardlink");
  EXPECT_EQ(task->outcome, "the contents differ");
  EXPECT_TRUE(run::card_of(run_->journal())->has_found_all);
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// Where each commit ends in a write-ahead log of SQLite: a header of 32 bytes, then frames of 24
// bytes and a page. The second number of a frame is not zero in the last one of a commit.
std::vector<std::size_t> ends_of_commits(const std::string& log) {
  std::vector<std::size_t> ends;
  const std::size_t frame = 24 + big_endian(log, 8);
  for (std::size_t at = 32; at + frame <= log.size(); at += frame) {
    if (big_endian(log, at + 4) != 0) ends.push_back(at + frame);
  }
  return ends;
}

// What a power cut after any commit leaves.
TEST_F(ActTest, AfterNoCommitIsAWholePlanUnfinished) {
  ASSERT_TRUE(apply());
  const std::uint64_t steps = run_->journal().tally()->found();
  const std::string database = bytes_of(run_->folder().journal());
  const std::string log = bytes_of(run_->folder().journal() + "-wal");
  const std::string cut = base_ + "/cut.db";
  std::size_t whole = 0;
  for (const std::size_t end : ends_of_commits(log)) {
    fs::remove(cut + "-shm");
    std::ofstream(cut, std::ios::binary) << database;
    std::ofstream(cut + "-wal", std::ios::binary) << log.substr(0, end);
    const auto journal =
        journal::SqliteJournal::open({.path = cut, .access = journal::Access::read});
    if (!journal || (*journal)->tally()->found() < steps) continue;
    ++whole;
    EXPECT_TRUE(run::card_of(**journal)->has_found_all) << "cut at " << end;
  }
  EXPECT_GT(whole, 1U);
}

TEST_F(ActTest, ReportsEveryStepAsAnItem) {
  write("b/1", "two");
  ASSERT_TRUE(apply());
  std::map<std::string, std::string> told;
  for (const command::SettledItem& item : console_.said().items) {
    const char* state = item.state == command::ItemState::good ? "done: " : "declined: ";
    EXPECT_TRUE(told.emplace(item.name, state + item.details.at(0)).second) << item.name;
  }
  EXPECT_EQ(told, (std::map<std::string, std::string>{{"tree/b/1", "declined: the contents differ"},
                                                      {"tree/c/1", "done: hardlink to tree/a/1"},
                                                      {"tree/b/2", "done: hardlink to tree/a/2"},
                                                      {"tree/c/2", "done: hardlink to tree/a/2"}}));
}

TEST_F(ActTest, UndoSkipsFilesChangedSince) {
  ASSERT_TRUE(apply());
  fs::remove(path("b/1"));
  write("b/1", "new");  // another file now
  std::ofstream(path("a/2"), std::ios::binary | std::ios::in) << "SEC";
  reopen();
  const std::size_t before = console_.said().items.size();
  EXPECT_EQ(undo(*run_, context_).value(), (UndoReport{.undone = 1, .declined = 3}));
  const auto items = console_.said().items;
  EXPECT_EQ(items.size(), before + 4);
  EXPECT_EQ(std::ranges::count(items.begin() + static_cast<std::ptrdiff_t>(before), items.end(),
                               command::ItemState::bad, &command::SettledItem::state),
            3);
  EXPECT_EQ(tree().at("tree/b/1").bytes, "new");
  EXPECT_EQ(tree().at("tree/b/2").bytes, "SECond");
  EXPECT_EQ(tree().at("tree/c/1").bytes, "one");
  EXPECT_EQ(tree().size(), 6U);
}

// One of two names of a file was declined: the other one is a name of the same file again.
TEST_F(ActTest, UndoRelinksANameWhoseOtherNameWasSkipped) {
  options_.action = Action::remove;
  const auto report = apply({.moment = [&](HookPoint now) {
    const bool is_time = now == HookPoint::begun && !fs::exists(path("b/2"));
    if (is_time && fs::exists(path("c/2"))) fs::rename(path("c/2"), base_ + "/elsewhere");
  }});
  ASSERT_EQ(report.value().declined, 1U);
  fs::rename(base_ + "/elsewhere", path("c/2"));
  reopen();
  EXPECT_EQ(undo(*run_, context_).value(), (UndoReport{.undone = 3}));
  expect_as_before();
}

TEST_F(ActTest, UndoRemovesCreatedFoldersThatAreEmpty) {
  options_.action = Action::move;
  options_.move_to = "there/new\n/deep";
  fs::create_directories(base_ + "/there");
  ASSERT_EQ(apply()->done, 4U);
  const std::string mine = base_ + "/there/new\n/deep/c/mine";
  std::ofstream(mine) << "mine";
  reopen();
  EXPECT_EQ(undo(*run_, context_).value(), (UndoReport{.undone = 4}));
  EXPECT_TRUE(fs::exists(mine));
  EXPECT_FALSE(fs::exists(base_ + "/there/new\n/deep/b"));
  fs::remove(mine);
  reopen();
  EXPECT_EQ(undo(*run_, context_).value(), (UndoReport{.before = 4}));
  EXPECT_TRUE(fs::is_empty(base_ + "/there"));  // it existed before
  EXPECT_EQ(console_.said().said, "");
}

TEST_F(ActTest, UndoKeepsAFolderThatReplacedACreatedFolder) {
  options_.action = Action::move;
  ASSERT_EQ(apply()->done, 4U);
  fs::rename(base_ + "/away/b", base_ + "/aside");
  fs::create_directory(base_ + "/away/b");
  for (const char* name : {"/1", "/2"}) {
    fs::rename(base_ + "/aside" + name, base_ + "/away/b" + name);
  }
  reopen();
  EXPECT_EQ(undo(*run_, context_).value(), (UndoReport{.undone = 4}));
  expect_as_before();
  EXPECT_TRUE(fs::is_empty(base_ + "/away/b"));
  EXPECT_TRUE(fs::is_empty(base_ + "/aside"));
  EXPECT_FALSE(fs::exists(base_ + "/away/c"));
}

// A step failed half-way and is a dead letter: it is recovered, and check names its leftovers.
TEST_F(ActTest, UndoRestoresTheLeftoversOfAFailedStep) {
  ASSERT_TRUE(die_at(HookPoint::begun, 1));
  const auto record = run_->journal().pending(0, 1).value().front();
  ASSERT_TRUE(run_->journal().commit(std::vector<engine::Entry>{engine::Died{.id = record.id}}));
  const auto left = leftovers_of(run_->journal(), run_->card()).value();
  ASSERT_EQ(left.count, 1U);
  EXPECT_TRUE(left.paths.front().starts_with("tree/b/.tidemill-")) << left.paths.front();
  EXPECT_EQ(undo(*run_, context_)->failed, 0U);
  EXPECT_EQ(leftovers_of(run_->journal(), run_->card())->count, 0U);
  expect_as_before();
}

TEST_F(ActTest, UndoReportsLeftoversItCannotRestoreAsFailed) {
  options_.action = Action::remove;
  ASSERT_TRUE(die_at(HookPoint::begun, 1));
  write("b/1", "new");  // the name is taken, and the kept file has changed
  write("a/1", "two");
  const auto undone = undo(*run_, context_);
  ASSERT_TRUE(undone);
  EXPECT_EQ(undone->failed, 1U);
  EXPECT_TRUE(console_.said().said.contains("tree/b/1: .tidemill-")) << console_.said().said;
  EXPECT_EQ(leftovers_of(run_->journal(), run_->card())->count, 1U);
}

TEST_F(ActTest, AStopLeavesTheRestPending) {
  std::stop_source stop;
  context_.stop = stop.get_token();
  const auto report = apply({.moment = [&](HookPoint now) {
    if (now == HookPoint::begun) stop.request_stop();
  }});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->done, 1U);
  EXPECT_EQ(report->pending, 3U);
  context_.stop = {};
  reopen();
  EXPECT_EQ(resume_actions(*run_, context_)->done, 4U);
  expect_all_done();
}

TEST_F(ActTest, PlansNoStepsForReferencesOrFilesOnOtherHosts) {
  Group group{.number = 1, .size = 3, .copies = {copy({"a/1"}), copy({"b/1"}), copy({"c/1"})}};
  group.copies[0].host = "elsewhere";
  group.copies[2].names.front().is_reference = true;
  std::vector<std::string> paths;
  const auto on_step = [&](const Planned& planned) {
    paths.push_back(planned.step.kept.path + " " + planned.step.duplicate.path);
    return true;
  };
  EXPECT_TRUE(each_step(group, options_, on_step));
  EXPECT_TRUE(paths.empty());
  group.copies[2].names.front().is_reference = false;
  EXPECT_TRUE(each_step(group, options_, on_step));
  EXPECT_EQ(paths, std::vector<std::string>{"tree/b/1 tree/c/1"});
}

TEST_F(ActTest, ADryRunSaysWhatWouldBeDone) {
  write("c/1", "one");
  fs::permissions(path("c/1"), fs::perms(0600));
  FixedGroups all = groups();
  const PlanTotals totals = show_plan(all, options_, base_, console_).value();
  EXPECT_EQ(totals.steps, 4U);
  EXPECT_EQ(totals.declined, 1U);
  EXPECT_EQ(totals.reclaimable, 2U * 4096U);
  EXPECT_EQ(console_.said().out,
            "hardlink  tree/b/1 to tree/a/1, reclaims 4.1 kB\n"
            "skip      tree/c/1: the mode differs\n"
            "hardlink  tree/b/2 to tree/a/2\n"
            "hardlink  tree/c/2 to tree/a/2, reclaims 4.1 kB\n");
}

TEST_F(ActTest, StepsRoundTripAndTruncatedStepsAreRejected) {
  const PlanStep step{.action = Action::move,
                      .lenience = {.mode = true},
                      .kept = {.path = "a\n\xff", .root_bytes = 1},
                      .stamp = {.inode = ~0ULL, .mtime_ns = -5},
                      .metadata = {.mode = 0640, .xattrs = {{"user.x", std::string("\0y", 2)}}},
                      .is_begun = true,
                      .digest = std::string(16, '\0')};
  const std::string bytes = packed(step);
  const auto read = step_of(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(packed(*read), bytes);
  EXPECT_EQ(read->kept, step.kept);
  EXPECT_EQ(read->stamp, step.stamp);
  EXPECT_EQ(read->metadata, step.metadata);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(step_of(bytes.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace tidemill::dupes
