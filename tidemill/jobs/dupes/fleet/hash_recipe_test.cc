#include "tidemill/jobs/dupes/fleet/hash_recipe.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/engine/pool.h"
#include "tidemill/io/hash/hasher.h"
#include "tidemill/jobs/dupes/fleet/hash_payload.h"
#include "tidemill/state/run/in_flight_log.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::dupes {
namespace {

namespace fs = std::filesystem;
using engine::TaskEnd;

constexpr auto kAlgorithm = static_cast<std::uint8_t>(hash::Algorithm::sha256);

class HashRecipeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_);
    fs::create_directories(scratch_);
    // Later than any write in these tests: no file is fresh.
    clock_.advance(SystemClock().wall().time_since_epoch() + std::chrono::hours(1));
    auto made = hash_recipe().prepare("", {.program = program_,
                                           .clock = clock_,
                                           .run = "20261119-0331-catalogue-hash",
                                           .mark = "mark",
                                           .roots = {root_},
                                           .scratch = scratch_,
                                           .places = 1});
    ASSERT_TRUE(made) << text_of(made.error());
    stage_ = *std::move(made);
  }

  // Writes a file below the root and returns the payload of its task, as a host would that has the
  // file system under another device number.
  HashPayload write(const std::string& path, const std::string& text) const {
    std::ofstream(root_ + "/" + path, std::ios::binary) << text;
    return seen(path);
  }
  [[nodiscard]] HashPayload seen(const std::string& path) const {
    struct stat seen{};
    EXPECT_EQ(::stat((root_ + "/" + path).c_str(), &seen), 0) << path;
    HashPayload payload{.algorithm = kAlgorithm, .stamp = stamp_of(seen), .path = path};
    payload.stamp.device = 0;
    return payload;
  }

  // Performs a task as a pool does.
  jobs::StageEnd perform(const std::string& payload) {
    jobs::StageEnd ended;
    auto pool = engine::Pool::start({.workers = 1}).value();
    engine::Task task(
        [&](engine::TaskContext& context) {
          ended = stage_->perform({.id = 7, .payload = payload}, context);
        },
        {.id = 7});
    static_cast<void>(pool.submit(std::move(task)));
    pool.close();
    static_cast<void>(pool.wait());
    return ended;
  }
  jobs::StageEnd perform(const HashPayload& payload) { return perform(pack(payload)); }

  static std::string hash_of(const std::string& text) {
    auto hasher = hash::Hasher::make(hash::Algorithm::sha256).value();
    return std::string(hasher.of(std::as_bytes(std::span(text))).view());
  }

  testing::OwnFolder own_;
  const std::string root_ = own_.path() + "/root";
  const std::string scratch_ = own_.path() + "/scratch";
  testing::FakeClock clock_;
  command::Program program_{.name = "tidemill"};
  std::unique_ptr<jobs::RecipeStage> stage_;
};

TEST_F(HashRecipeTest, AnswersTheHashOfAFileWithAnyName) {
  fs::create_directories(root_ + "/folder");
  for (const std::string name : {"plain", "new\nline", "\xff\xfe", "folder/in", "-n", "..."}) {
    const auto ended = perform(write(name, "contents of " + name));
    ASSERT_EQ(ended.end, TaskEnd::done) << name << ": " << text_of(ended.failure);
    EXPECT_EQ(ended.text, hash_of("contents of " + name)) << name;
  }
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(perform(write("large", large)).text, hash_of(large));
}

TEST_F(HashRecipeTest, FileThatChangedSinceTheScanFailsForGood) {
  for (const auto& [size, changed] :
       std::vector<std::pair<std::size_t, std::size_t>>{{3, 4}, {1'000'000, 1'000'000}}) {
    const HashPayload before = write("changed", std::string(size, 'a'));
    HashPayload now = write("changed", std::string(changed, 'b'));
    now.stamp.ctime_ns = before.stamp.ctime_ns - 1;  // two writes within a tick have one stamp
    const auto ended = perform(now);
    ASSERT_EQ(ended.end, TaskEnd::failed);
    EXPECT_EQ(ended.failure.kind, FailureKind::changed);
    EXPECT_EQ(ended.failure.cure, Cure::give_up);
    EXPECT_EQ(text_of(ended.failure), "changed: changed while being read");
  }
  const HashPayload old = write("replaced", "a");
  fs::rename(root_ + "/replaced", root_ + "/away");
  write("replaced", "a");
  EXPECT_EQ(text_of(perform(old).failure), "changed: replaced by another file");
}

TEST_F(HashRecipeTest, FileThatWasJustWrittenIsNotHashed) {
  const HashPayload young = write("young", "x");
  clock_.advance(std::chrono::nanoseconds(young.stamp.ctime_ns) - clock_.wall().time_since_epoch());
  const auto ended = perform(young);
  ASSERT_EQ(ended.end, TaskEnd::failed);
  EXPECT_EQ(text_of(ended.failure), "changed: modified a moment ago (try again in a few seconds)");
}

TEST_F(HashRecipeTest, MissingFileAndMissingFolderAreNotFound) {
  const HashPayload gone = write("gone", "x");
  fs::remove(root_ + "/gone");
  HashPayload below = gone;
  below.path = "no/folder/gone";
  for (const HashPayload& payload : {gone, below}) {
    const auto ended = perform(payload);
    ASSERT_EQ(ended.end, TaskEnd::failed);
    EXPECT_EQ(ended.failure.kind, FailureKind::not_found);
    EXPECT_EQ(text_of(ended.failure), "gone: No such file or directory");
  }
}

TEST_F(HashRecipeTest, WhatIsNoRegularFileIsNeitherReadNorFollowed) {
  const HashPayload real = write("real", "x");
  fs::create_symlink("real", root_ + "/link");
  ASSERT_EQ(::mkfifo((root_ + "/fifo").c_str(), 0600), 0);
  for (const std::string name : {"link", "fifo"}) {
    HashPayload payload = real;
    payload.path = name;
    EXPECT_EQ(text_of(perform(payload).failure), "changed: no longer a regular file") << name;
  }
}

TEST_F(HashRecipeTest, SymlinkOnThePathMayNotLeaveTheRoot) {
  fs::create_directories(root_ + "/in");
  fs::create_directories(own_.path() + "/out");
  const HashPayload inside = write("in/file", "inside");
  std::ofstream(own_.path() + "/out/file") << "outside";
  fs::create_directory_symlink("in", root_ + "/stays");
  fs::create_directory_symlink("../out", root_ + "/leaves");
  fs::create_directory_symlink(own_.path() + "/out", root_ + "/absolute");
  HashPayload through = inside;
  through.path = "stays/file";
  EXPECT_EQ(perform(through).text, hash_of("inside"));
  for (const std::string path : {"leaves/file", "absolute/file"}) {
    const auto ended = perform(seen(path));
    ASSERT_EQ(ended.end, TaskEnd::failed) << path;
    EXPECT_EQ(ended.failure.kind, FailureKind::untrusted) << path;
  }
}

TEST_F(HashRecipeTest, PathThatLeadsOutOfTheRootIsRefused) {
  std::ofstream(own_.path() + "/outside") << "x";
  for (const std::string path :
       {"../outside", "../root/../outside", "/etc/passwd", "", "in/../../outside", "."}) {
    HashPayload payload = write("file", "x");
    payload.path = path;
    const auto ended = perform(payload);
    ASSERT_EQ(ended.end, TaskEnd::failed) << path;
    EXPECT_EQ(ended.failure.kind, FailureKind::untrusted) << path;
    EXPECT_EQ(ended.failure.cure, Cure::give_up) << path;
  }
}

TEST_F(HashRecipeTest, GarbledTaskFails) {
  EXPECT_EQ(perform(std::string("\xff")).end, TaskEnd::failed);
  HashPayload payload = write("file", "x");
  payload.root = 1;
  EXPECT_EQ(text_of(perform(payload).failure),
            "root: the task is in a folder that the run does not have");
  payload = write("file", "x");
  payload.algorithm = 99;
  EXPECT_EQ(text_of(perform(payload).failure), "hash: unknown hash algorithm 99");
}

TEST_F(HashRecipeTest, TaskThatWasEndedIsReturned) {
  const HashPayload payload = write("file", "x");
  stage_->end_all(false);
  EXPECT_EQ(perform(payload).end, TaskEnd::returned);
}

TEST_F(HashRecipeTest, LongReadIsEndedByItsId) {
  const HashPayload huge = [&] {
    write("huge", "x");
    fs::resize_file(root_ + "/huge", std::uint64_t{1} << 40U);  // a hole: hours of reading
    return seen("huge");
  }();
  const auto is_running = [&] {
    const auto reading = run::InFlightLog::read(scratch_ + "/slate");
    return reading && reading->in_hand == std::vector<engine::TaskId>{7};
  };
  for (const std::function<void()>& end : std::vector<std::function<void()>>{
           [&] { stage_->end_task(7); }, [&] { stage_->end_all(true); }}) {
    auto ended = std::async(std::launch::async, [&] { return perform(huge); });
    ASSERT_TRUE(testing::eventually(is_running));
    stage_->end_task(8);  // another one
    end();
    EXPECT_EQ(ended.get().end, TaskEnd::returned);
    EXPECT_FALSE(is_running());
  }
}

}  // namespace
}  // namespace tidemill::dupes
