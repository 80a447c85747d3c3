// From files to drafts, on real folders.
#include "tidemill/jobs/batch/cut/batch_pipeline.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/jobs/batch/cut/count.h"
#include "tidemill/jobs/batch/cut/tree_rig.h"
#include "tidemill/testing/recording_console.h"

namespace tidemill::batch {
namespace {

namespace fs = std::filesystem;

// The system clock, shifted by what a test sets.
class ShiftedClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return clock_.now(); }
  [[nodiscard]] WallTime wall() const override { return clock_.wall() + by_; }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  Instant until) const override {
    clock_.wait_until(lock, changed, until);
  }
  void shift(std::chrono::hours by) { by_ += by; }  // not during run()

 private:
  SystemClock clock_;
  std::chrono::hours by_{0};
};

class BatchPipelineTest : public TreeTest {
 protected:
  BatchPipelineTest() {
    options_.roots = {path("")};
    options_.tokenizer = "bytes/4";
    options_.max_tokens = 40;
    options_.margin = 1;
    options_.max_files = 5;
    options_.max_size = mib(16);
    options_.workers = 2;
  }

  // Hostile names, nested folders, files of all kinds.
  void grow() const {
    for (int i = 0; i < 120; ++i) {
      const std::string name = "d" + std::to_string(i % 7) + "/" + std::to_string(i);
      write(name, std::string(static_cast<std::size_t>(i * 37 % 90), 'x'));
    }
    write("d3/sub/\xff\xfe", "no utf-8");
    write("d3/sub/new\nline \"quote\"", "text");
    write("d3.txt", "behind the folder");
    write(" ", "blank");
    write(std::string(255, 'n'), "long");
    write("d4/binary", std::string_view("\0x", 2));
    write("d4/large", std::string(5'000, 'l'));
    write(".hidden/f", "h");
    fs::create_symlink("d4", path("link"));
    ASSERT_EQ(::mkfifo(path("d5/fifo").c_str(), 0600), 0);
  }

  struct PipelineResult {
    std::vector<std::string> drafts{};
    std::vector<Cursor> cursors{};
    Result<void> ended{};
    std::uint64_t found = 0;
    std::uint64_t files = 0;
    std::uint64_t rows = 0;
    std::uint64_t remembered = 0;
  };
  static std::string text_of_draft(const BatchDraft& draft) {
    std::string text;
    for (const UnbatchedFile& row : draft.rows) {
      text += text_of(row.at) + (row.is_folder ? "/ " : " ") +
              (row.failure ? row.failure->step : row.reason) + ", ";
    }
    if (!draft.batch) return text;
    text += draft.batch->id;
    for (const Weighed& file : draft.batch->files) text += " " + file.path;
    return text;
  }
  // Makes a list of these names, which the next pipeline() reads.
  void list(const std::string& names) {
    write("../list", names);
    options_.roots.clear();
    options_.list.files_from = base_ + "/list";
  }
  [[nodiscard]] PipelineResult pipeline(Cursor from = {}, std::vector<Again> again = {},
                                        std::size_t most_drafts = 1'000'000,
                                        bool skips_walk = false) {
    PipelineResult result;
    const auto recipe = recipe_of(options_, "");
    EXPECT_TRUE(recipe) << text_of(recipe.error());
    if (!recipe) return result;
    std::unique_ptr<catalogue::TokenCounts> counts;
    if (!options_.catalogue.empty()) {
      counts = *catalogue::TokenCounts::open(options_.catalogue, "bytes/4", clock_);
    }
    BatchPipeline pipeline(
        {.options = options_,
         .recipe = *recipe,
         .clock = clock_,
         .counts = counts.get(),
         .from = std::move(from),
         .skips_walk = skips_walk,
         .again = std::move(again),
         .on_cache_failure = [](const Failure& failure) { ADD_FAILURE() << text_of(failure); }});
    result.ended = pipeline.run(
        [&](BatchDraft&& draft) {
          if (result.drafts.size() == most_drafts) return false;
          result.drafts.push_back(text_of_draft(draft));
          result.cursors.push_back(draft.cursor);
          result.rows += draft.rows.size();
          if (draft.batch) result.files += draft.batch->files.size();
          return true;
        },
        stop_.get_token());
    result.found = pipeline.found();
    result.remembered = pipeline.remembered();
    return result;
  }

  BatchOptions options_;
  ShiftedClock clock_;
  testing::RecordingConsole console_;
  SilentLog log_;
  command::Context context_{.console = console_, .log = log_, .clock = clock_};
  std::stop_source stop_;
};

TEST_F(BatchPipelineTest, DraftsDoNotDependOnTheNumberOfWorkersOrTheCatalogue) {
  grow();
  options_.workers = 1;
  options_.max_size = {1'000};
  const PipelineResult one = pipeline();
  ASSERT_TRUE(one.ended);
  EXPECT_EQ(one.files + one.rows, one.found);
  EXPECT_EQ(one.found, 128U) << "folders in folders too, no link and no FIFO";
  EXPECT_EQ(one.rows, 2U);
  EXPECT_GT(one.drafts.size(), 25U);
  for (const std::size_t workers : {2U, 8U}) {
    options_.workers = workers;
    EXPECT_EQ(pipeline().drafts, one.drafts);
  }
  options_.catalogue = base_ + "/catalogue.db";
  EXPECT_EQ(pipeline().drafts, one.drafts);
  EXPECT_EQ(pipeline().drafts, one.drafts);
}

TEST_F(BatchPipelineTest, ResumesFromEveryCursor) {
  grow();
  const PipelineResult all = pipeline();
  for (std::size_t i = 0; i < all.cursors.size(); ++i) {
    const PipelineResult rest = pipeline(all.cursors[i]);
    ASSERT_TRUE(rest.ended);
    EXPECT_EQ(rest.drafts, std::vector(all.drafts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       all.drafts.end()));
  }
}

TEST_F(BatchPipelineTest, ReadsListedNamesInOrderAndResumesFromEveryCursor) {
  grow();
  fs::create_symlink("../d3.txt", path("d6/link"));
  std::string names;
  for (const char* name :
       {"d2/9", "gone", "d1/1", "d4", "d4/binary", "d6/link", "d5/fifo", "d2/9"}) {
    names += path(name) + "\n";
  }
  for (int i = 0; i < 120; i += 7) names += path("d0/" + std::to_string(i)) + "\n";
  list(names);
  const PipelineResult all = pipeline();
  ASSERT_TRUE(all.ended) << text_of(all.ended.error());
  EXPECT_EQ(all.found, 26U);
  EXPECT_EQ(all.rows, 4U) << "one is missing, one is a folder, one is binary, one is a FIFO";
  EXPECT_EQ(all.drafts.front().find("1/" + path("gone") + " open, "), 0U) << all.drafts.front();
  for (std::size_t i = 0; i < all.cursors.size(); ++i) {
    const PipelineResult rest = pipeline(all.cursors[i]);
    ASSERT_TRUE(rest.ended);
    EXPECT_EQ(rest.drafts, std::vector(all.drafts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       all.drafts.end()));
  }
}

TEST_F(BatchPipelineTest, RefusesToResumeWithADifferentList) {
  grow();
  list(path("d1/1") + "\n" + path("d2/2") + "\n");
  const PipelineResult all = pipeline();
  ASSERT_TRUE(all.ended);
  list(path("d2/2") + "\n" + path("d1/1") + "\n");
  const PipelineResult other = pipeline(all.cursors.back());
  ASSERT_FALSE(other.ended);
  EXPECT_TRUE(other.ended.error().reason.contains(path("d2/2"))) << other.ended.error().reason;
  list(path("d1/1") + "\n");
  EXPECT_FALSE(pipeline(all.cursors.back()).ended) << "a shorter one";
}

TEST_F(BatchPipelineTest, SeveralRootsAreWalkedOneAfterTheOther) {
  grow();
  options_.roots = {path("d1"), path("d3.txt"), path("d2"), path("d4/binary"), path("d1")};
  const PipelineResult all = pipeline();
  ASSERT_TRUE(all.ended);
  EXPECT_EQ(all.cursors.back().root, 4U);
  for (std::size_t i = 0; i < all.cursors.size(); ++i) {
    EXPECT_EQ(
        pipeline(all.cursors[i]).drafts,
        std::vector(all.drafts.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.drafts.end()));
  }
}

TEST_F(BatchPipelineTest, StopsInTheMiddle) {
  grow();
  const PipelineResult some = pipeline({}, {}, 3);
  ASSERT_FALSE(some.ended);
  EXPECT_EQ(some.ended.error().cure, Cure::resume);
  EXPECT_EQ(some.drafts.size(), 3U);
  stop_.request_stop();
  const PipelineResult none = pipeline();
  ASSERT_FALSE(none.ended);
  EXPECT_EQ(none.ended.error().cure, Cure::resume);
}

TEST_F(BatchPipelineTest, FailsWhenARootIsMissing) {
  grow();
  const auto recipe = recipe_of(options_, "");
  ASSERT_TRUE(recipe);
  fs::rename(path(""), base_ + "/moved");
  BatchPipeline pipeline({.options = options_, .recipe = *recipe, .clock = clock_});
  const auto ended = pipeline.run([](BatchDraft&&) { return true; }, {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().step, "open");
  EXPECT_NE(ended.error().cure, Cure::resume);
}

TEST_F(BatchPipelineTest, RetriesDeadLettersAfterTheWalkWithItsLastCursor) {
  grow();
  const PipelineResult all = pipeline();
  const PipelineResult again = pipeline({}, {{.at = {.path = "d1/1"}},
                                             {.at = {.path = "gone"}},
                                             {.at = {.path = "d3/sub"}, .is_folder = true},
                                             {.at = {.path = "no folder"}, .is_folder = true}});
  ASSERT_TRUE(again.ended);
  ASSERT_GT(again.drafts.size(), all.drafts.size());
  const auto walked = static_cast<std::ptrdiff_t>(all.drafts.size());
  EXPECT_EQ(std::vector(again.drafts.begin(), again.drafts.begin() + walked), all.drafts);
  std::string rest;
  for (std::size_t i = all.drafts.size(); i < again.drafts.size(); ++i) {
    rest += again.drafts[i] + "|";
    EXPECT_EQ(again.cursors[i], all.cursors.back());
  }
  EXPECT_TRUE(rest.contains(" d1/1"));
  EXPECT_TRUE(rest.contains("0/gone vanished, "));
  EXPECT_TRUE(rest.contains("d3/sub/new\nline"));
  EXPECT_TRUE(rest.contains("0/d3/sub/ read, ")) << rest;
  EXPECT_TRUE(rest.contains("0/no folder/ open, ")) << rest;
  // Again, without the walk.
  const PipelineResult alone =
      pipeline(all.cursors.back(), {{.at = {.path = "d1/1"}}}, 1'000'000, true);
  ASSERT_EQ(alone.drafts.size(), 1U);
  EXPECT_EQ(alone.cursors.front(), all.cursors.back());
}

// A folder whose ignore file is too large cannot be read, not even by root.
TEST_F(BatchPipelineTest, ReportsAnUnreadableFolderOnceEvenWhenResumingAfterIt) {
  options_.gitignore = true;
  write("a", "text");
  write("bad/.gitignore", std::string(2'000'000, '#'));
  write("bad/f", "in it");
  const PipelineResult all = pipeline();
  ASSERT_TRUE(all.ended);
  EXPECT_EQ(all.files, 1U);
  EXPECT_EQ(all.rows, 1U);
  ASSERT_TRUE(all.cursors.back().path.starts_with("bad"));
  EXPECT_EQ(pipeline(all.cursors.back()).drafts, std::vector<std::string>{});
  fs::remove(path("bad/.gitignore"));
  EXPECT_EQ(pipeline(all.cursors.back()).drafts, std::vector<std::string>{})
      << "its files come when the letter is tried again";
}

// A name may begin like the name that sorts after all files.
TEST_F(BatchPipelineTest, ReportsAFolderThatBecameUnreadableForAnyCursorName) {
  options_.gitignore = true;
  write("a/\xff\xff", "text");
  write("a/\xff\xff\xff", "text");
  write("a/.gitignore", std::string(2'000'000, '#'));
  const PipelineResult rest = pipeline({.path = "a/\xff\xff"});
  ASSERT_TRUE(rest.ended);
  EXPECT_EQ(rest.drafts, std::vector<std::string>{"0/a/ ignore, "});
}

TEST_F(BatchPipelineTest, GlobsExcludesAndIgnoreFilesDecideWhichFiles) {
  write("a.c", "1");
  write("sub/b.c", "2");
  write("sub/b.h", "3");
  write("node_modules/c.c", "4");
  write(".git/d.c", "5");
  write(".gitignore", "sub/b.c\n");
  options_.globs = {"*.c"};
  options_.excludes = {"node_modules/"};
  EXPECT_EQ(pipeline().files, 3U);
  options_.gitignore = true;
  EXPECT_EQ(pipeline().files, 1U);
}

TEST_F(BatchPipelineTest, DoesNotReadFilesWithCachedCounts) {
  grow();
  const std::uint64_t files = pipeline().found;
  options_.catalogue = base_ + "/catalogue.db";
  clock_.shift(std::chrono::hours(-1));  // the files stay recent, however long the test takes
  const PipelineResult young = pipeline();
  EXPECT_EQ(pipeline().remembered, 0U) << "what was just written may be written again unseen";
  clock_.shift(std::chrono::hours(2));
  EXPECT_EQ(pipeline().remembered, 0U);
  const PipelineResult known = pipeline();
  EXPECT_EQ(known.remembered, files);
  EXPECT_EQ(known.drafts, young.drafts);
  write("d1/1", "another text than before, and longer");
  const PipelineResult changed = pipeline();
  EXPECT_EQ(changed.remembered, files - 1);
  EXPECT_NE(changed.drafts, known.drafts);
  options_.is_inline = true;
  EXPECT_EQ(pipeline().remembered, 0U) << "contents are not remembered";
}

// The conveyor's limit is 24 MiB; the items have 1 MiB, and the consumer takes none.
TEST_F(BatchPipelineTest, LimitsInlineContentsHeldInThePipeline) {
  const std::string large(std::size_t{1} << 20U, 'x');
  for (int i = 10; i < 90; ++i) write("d/" + std::to_string(i), large);
  options_.is_inline = true;
  options_.max_tokens = 1'000'000'000;
  options_.max_files = 1;
  for (const bool are_roots : {false, true}) {
    if (are_roots) {
      options_.roots.clear();
      for (int i = 10; i < 90; ++i) options_.roots.push_back(path("d/" + std::to_string(i)));
    }
    const auto recipe = recipe_of(options_, "");
    ASSERT_TRUE(recipe);
    BatchPipeline pipeline({.options = options_, .recipe = *recipe, .clock = clock_});
    std::uint64_t handed = 0;
    std::uint64_t most = 0;
    const auto ended = pipeline.run(
        [&](BatchDraft&& draft) {
          ++handed;
          // Let the other threads run as far as they can.
          for (int i = 0; i < 200; ++i) {
            most = std::max(most, pipeline.found() - handed);
            std::this_thread::yield();
          }
          return draft.batch->files.front().content.size() == large.size();
        },
        {});
    ASSERT_TRUE(ended);
    EXPECT_EQ(handed, 80U);
    EXPECT_LE(most, 28U) << (are_roots ? "roots that are files" : "a folder");
  }
}

TEST_F(BatchPipelineTest, CountFilesReportsEveryFileInOrder) {
  write("a", "12345678");
  write("b", std::string_view("\0", 1));
  write("c/d", "1234");
  options_.roots = {path("") + "/", path("a")};
  std::string lines;
  const auto counted = count_files(
      options_, "",
      [&](const Counted& file) -> Result<void> {
        lines += file.path.substr(base_.size()) + " " + std::to_string(file.tokens) + " " +
                 std::to_string(file.bytes) + " " + file.skipped + "\n";
        return {};
      },
      context_);
  ASSERT_TRUE(counted);
  EXPECT_EQ(lines, "/tree//a 2 8 \n/tree//b 0 0 binary\n/tree//c/d 1 4 \n/tree/a 2 8 \n");
  int calls = 0;
  const auto refused = count_files(
      options_, "",
      [&](const Counted&) -> Result<void> {
        ++calls;
        return fail(Cure::give_up, "output", "closed");
      },
      context_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "output");
  EXPECT_EQ(calls, 1);
}

TEST_F(BatchPipelineTest, RefusesAnInvalidRecipe) {
  const auto refused = [&](const std::function<void(BatchOptions&)>& change) {
    BatchOptions options = options_;
    change(options);
    const auto recipe = recipe_of(options, "");
    return recipe ? "" : recipe.error().step;
  };
  EXPECT_EQ(refused([](BatchOptions&) {}), "");
  EXPECT_EQ(refused([](BatchOptions& o) { o.globs = {"["}; }), "usage");
  EXPECT_EQ(refused([](BatchOptions& o) { o.tokenizer = "nothing"; }), "tokenizer");
  EXPECT_EQ(refused([](BatchOptions& o) { o.template_path = "/nowhere"; }), "template");
  EXPECT_EQ(refused([](BatchOptions& o) { o.roots = {"/nowhere"}; }), "/nowhere");
  write("prompt", std::string(200, 'p'));
  EXPECT_EQ(refused([&](BatchOptions& o) { o.template_path = path("prompt"); }), "usage")
      << "50 tokens, and a batch may have 40";
}

}  // namespace
}  // namespace tidemill::batch
