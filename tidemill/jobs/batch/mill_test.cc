// From files to drafts: roots, weigher and mill, on real folders.
#include "tidemill/jobs/batch/mill.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>

#include "tidemill/base/clock.h"
#include "tidemill/jobs/batch/count.h"
#include "tidemill/jobs/batch/weigher.h"

namespace tidemill::batch {
namespace {

namespace fs = std::filesystem;

// A folder of its own for each test.
class TreeTest : public ::testing::Test {
 protected:
  TreeTest()
      : base_(fs::canonical(::testing::TempDir()).string() + "/mill-" +
              std::to_string(::getpid())) {
    fs::remove_all(base_);
    fs::create_directories(base_ + "/tree");
  }
  ~TreeTest() override { fs::remove_all(base_); }

  [[nodiscard]] std::string path(const std::string& name) const { return base_ + "/tree/" + name; }
  void write(const std::string& name, std::string_view bytes) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  const std::string base_;
};

using RootsTest = TreeTest;

TEST_F(RootsTest, AFolderAFileAndALinkToEitherAreRoots) {
  write("a/f", "x");
  fs::create_symlink(path("a"), base_ + "/link");
  fs::create_symlink(path("a/f"), base_ + "/file");
  const auto roots =
      Roots::open({path("a"), path("a/f"), base_ + "/link/", base_ + "/file", path("a/../a/.")});
  ASSERT_TRUE(roots) << text_of(roots.error());
  ASSERT_EQ(roots->size(), 5U);
  for (std::size_t i = 0; i < roots->size(); ++i) {
    EXPECT_EQ(roots->at(i).real, path("a"));
    EXPECT_EQ(roots->at(i).only, i == 1 || i == 3 ? "f" : "");
    EXPECT_TRUE(roots->at(i).folder.is_open());
    EXPECT_EQ(roots->path(i, "f", Paths::absolute), path("a/f"));
    EXPECT_EQ(roots->path(i, "f", Paths::relative), "f");
  }
  EXPECT_EQ(roots->at(2).given, base_ + "/link/");
  EXPECT_EQ(roots->path(0, "", Paths::absolute), path("a"));
}

TEST_F(RootsTest, WhatIsNotThereIsAFailureThatNamesIt) {
  const auto roots = Roots::open({base_, path("gone")});
  ASSERT_FALSE(roots);
  EXPECT_EQ(roots.error().step, "open");
  EXPECT_TRUE(roots.error().reason.contains(path("gone"))) << roots.error().reason;
}

TEST_F(RootsTest, TheWholeFileSystemIsARoot) {
  const auto roots = Roots::open({"/"});
  ASSERT_TRUE(roots);
  EXPECT_EQ(roots->path(0, "etc/passwd", Paths::absolute), "/etc/passwd");
  EXPECT_EQ(roots->path(0, "", Paths::absolute), "/");
  EXPECT_EQ(roots->find("/etc/passwd"), (Cursor{.root = 0, .path = "etc/passwd"}));
  EXPECT_EQ(roots->find("/"), Cursor{});
  EXPECT_FALSE(roots->find("etc/passwd"));
}

TEST_F(RootsTest, APathIsFoundInTheFirstRootThatHasIt) {
  write("data/x", "");
  write("data2/x", "");
  const auto roots = Roots::open({path("data"), path("data2/x"), path("")});
  ASSERT_TRUE(roots);
  EXPECT_EQ(roots->find(path("data/x")), (Cursor{.root = 0, .path = "x"}));
  EXPECT_EQ(roots->find(path("data")), (Cursor{.root = 0}));
  EXPECT_EQ(roots->find(path("data2/x")), (Cursor{.root = 1, .path = "x"})) << "and not in data";
  EXPECT_EQ(roots->find(path("data3/x")), (Cursor{.root = 2, .path = "data3/x"}));
  EXPECT_FALSE(roots->find(base_ + "/tree2"));
  EXPECT_FALSE(roots->find(base_));
}

TEST_F(RootsTest, EverySettingThatDecidesAboutBatchesMakesAnotherJob) {
  write("a/f", "x");
  const auto job = [&](const std::function<void(Options&)>& change, const char* prompt = "",
                       const char* fingerprint = "t") {
    Options options{.roots = {path("a")}, .max_tokens = 10};
    change(options);
    const auto roots = Roots::open(options.roots);
    EXPECT_TRUE(roots);
    return job_of(options, *roots, fingerprint, prompt).value();
  };
  const auto nothing = [](Options&) {};
  const std::string same = job(nothing);
  std::vector<std::string> jobs = {
      same,
      job(nothing, "p"),
      job(nothing, "", "u"),
      job([](Options& o) { o.max_tokens = 11; }),
      job([](Options& o) { o.overhead = 1; }),
      job([](Options& o) { o.margin = 0.5; }),
      job([](Options& o) { o.max_files = 1; }),
      job([](Options& o) { o.max_size = kib(1); }),
      job([](Options& o) { o.hidden = false; }),
      job([](Options& o) { o.gitignore = true; }),
      job([](Options& o) { o.is_inline = true; }),
      job([](Options& o) { o.paths = Paths::relative; }),
      job([](Options& o) { o.globs = {"a"}; }),
      job([](Options& o) { o.excludes = {"a"}; }),
      job([](Options& o) { o.globs = {"a", "b"}; }),
      job([](Options& o) { o.globs = {"ab"}; }),
      job([](Options& o) { o.job = "name"; }),
      job([&](Options& o) { o.roots = {path("a/f")}; }),
      job([&](Options& o) { o.roots = {path("a"), path("a")}; }),
  };
  for (const std::string& one : jobs) EXPECT_EQ(one.size(), 32U);
  std::ranges::sort(jobs);
  EXPECT_EQ(std::ranges::adjacent_find(jobs), jobs.end());
  EXPECT_EQ(same, job([](Options& o) { o.workers = 7; }));
  EXPECT_EQ(same, job([](Options& o) { o.max_queued = 7; }));
  EXPECT_EQ(same, job([&](Options& o) { o.roots = {path("a/../a")}; }));
}

// Counts bytes, and lets a test do something to the file in the middle of it.
class MeddlingTokenizer final : public tokens::Tokenizer {
 public:
  [[nodiscard]] std::string_view name() const override { return "meddling"; }
  [[nodiscard]] std::string_view fingerprint() const override { return "meddling"; }
  [[nodiscard]] bool is_exact() const override { return true; }
  [[nodiscard]] std::unique_ptr<tokens::Counter> counter() const override {
    struct Bytes final : tokens::Counter {
      void feed(std::string_view part) override {
        count += part.size();
        if (*on_feed) (*on_feed)();
      }
      std::uint64_t finish() override { return std::exchange(count, 0); }
      std::uint64_t count = 0;
      const std::function<void()>* on_feed = nullptr;
    };
    auto counter = std::make_unique<Bytes>();
    counter->on_feed = &on_feed;
    return counter;
  }
  std::function<void()> on_feed{};
};

class WeigherTest : public TreeTest {
 protected:
  WeigherTest() { make({.clock = clock_}); }
  void make(Weigher::Options options) {
    weigher_ = *Weigher::make(tokenizer_, std::move(options));
    roots_ = *Roots::open({path("")});
  }
  [[nodiscard]] Result<Weight> weigh(std::string_view name, const std::stop_token& stop = {}) {
    return weigher_->weigh(roots_.at(0).folder.number(), name, stop);
  }
  // "3", "binary", "open: Permission denied".
  [[nodiscard]] std::string said(std::string_view name) {
    const auto weight = weigh(name);
    if (!weight) return text_of(weight.error());
    if (weight->passed != Passed::no) return std::string(name_of(weight->passed));
    return std::to_string(weight->tokens);
  }

  SystemClock clock_;
  MeddlingTokenizer tokenizer_;
  Roots roots_;
  std::unique_ptr<Weigher> weigher_;
};

TEST_F(WeigherTest, CountsTextAndPassesOverWhatIsNone) {
  write("text", "hello");
  write("empty", "");
  write("nul at 0", std::string(1, '\0') + "text");
  write("nul at 8191", std::string(8'191, 'a') + '\0');
  write("nul at 8192", std::string(8'192, 'a') + '\0');
  write("deep/er/text", "four");
  EXPECT_EQ(said("text"), "5");
  EXPECT_EQ(said("empty"), "0");
  EXPECT_EQ(said("nul at 0"), "binary");
  EXPECT_EQ(said("nul at 8191"), "binary");
  EXPECT_EQ(said("nul at 8192"), "8193");
  EXPECT_EQ(said("deep/er/text"), "4");
  EXPECT_EQ(said("text"), "5") << "nothing is left from the one before";
}

TEST_F(WeigherTest, PassesOverWhatIsTooLarge) {
  make({.clock = clock_, .max_size = {10}});
  write("ten", "0123456789");
  write("eleven", "0123456789x");
  EXPECT_EQ(said("ten"), "10");
  EXPECT_EQ(said("eleven"), "too large");
}

TEST_F(WeigherTest, NothingButRegularFilesIsReadOrWaitedFor) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  fs::create_directory(path("folder"));
  write("target", "x");
  fs::create_symlink(path("target"), path("link"));
  fs::create_symlink("nowhere", path("dangling"));
  const int made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const Descriptor socket(made);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string name = path("socket");
  if (name.size() < sizeof(address.sun_path)) {
    name.copy(static_cast<char*>(address.sun_path), name.size());
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): as bind() wants it
    ASSERT_EQ(::bind(made, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(said("socket"), "no regular file");
  }
  EXPECT_EQ(said("fifo"), "no regular file");
  EXPECT_EQ(said("folder"), "no regular file");
  EXPECT_EQ(said("link"), "no regular file");
  EXPECT_EQ(said("dangling"), "no regular file");
}

TEST_F(WeigherTest, NothingOutsideOfTheRootIsRead) {
  fs::create_directory(base_ + "/outside");
  std::ofstream(base_ + "/outside/secret") << "secret";
  write("folder/secret", "ours");
  EXPECT_EQ(said("folder/secret"), "4");
  fs::remove_all(path("folder"));
  fs::create_directory_symlink(base_ + "/outside", path("folder"));
  EXPECT_EQ(said("folder/secret"), "no regular file");
  EXPECT_NE(said("../outside/secret"), "6");
  EXPECT_NE(said(base_ + "/outside/secret"), "6");
}

TEST_F(WeigherTest, WhatHasVanishedIsPassedOver) {
  write("f", "x");
  EXPECT_EQ(said("gone"), "vanished");
  EXPECT_EQ(said("gone/f"), "vanished");
  EXPECT_EQ(said("f/x"), "vanished") << "a file stands where a folder was";
}

// Root may read everything, so it becomes somebody else for the time.
TEST_F(WeigherTest, WhatMayNotBeReadIsAFailureInTheSystemsWords) {
  write("shut", "x");
  fs::permissions(base_, fs::perms(0755));
  fs::permissions(path(""), fs::perms(0755));
  fs::permissions(path("shut"), fs::perms::none);
  const bool is_root = ::geteuid() == 0;
  ASSERT_EQ(::seteuid(is_root ? 65534 : ::geteuid()), 0);
  const auto refused = weigh("shut");
  ASSERT_EQ(::seteuid(is_root ? 0 : ::geteuid()), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "open");
  EXPECT_EQ(refused.error().cure, Cure::give_up);
  EXPECT_EQ(refused.error().reason, std::strerror(EACCES));
}

TEST_F(WeigherTest, AFileThatChangesOnceIsReadASecondTime) {
  for (const char* const then : {"longer than before", "", "as long"}) {
    write("f", "before!");
    int feeds = 0;
    tokenizer_.on_feed = [&] {
      if (++feeds > 1) return;
      write("f", then);
      fs::last_write_time(path("f"), fs::file_time_type(std::chrono::seconds(7)));
    };
    const auto weight = weigh("f");
    ASSERT_TRUE(weight) << then << ": " << text_of(weight.error());
    EXPECT_EQ(weight->tokens, std::strlen(then));
    EXPECT_EQ(weight->stamp.size, std::strlen(then));
    const Weight calm = *weigh("f");
    EXPECT_EQ(calm.digest, weight->digest) << then;
    EXPECT_EQ(calm.stamp, weight->stamp);
  }
}

TEST_F(WeigherTest, AFileThatNeverRestsIsAFailureThatMayPass) {
  write("f", std::string(600'000, 'a'));
  std::ofstream writer(path("f"), std::ios::app);
  int feeds = 0;
  tokenizer_.on_feed = [&] {
    ++feeds;
    writer << "more" << std::flush;
  };
  const auto weight = weigh("f");
  ASSERT_FALSE(weight);
  EXPECT_EQ(weight.error().step, "changed");
  EXPECT_EQ(weight.error().cure, Cure::retry);
  EXPECT_LE(feeds, 6) << "two times, and never beyond the length it had";
  tokenizer_.on_feed = nullptr;
  EXPECT_EQ(said("f"), std::to_string(600'000 + 4 * feeds)) << "nothing is left of it";
}

TEST_F(WeigherTest, AFileThatShrinksWhileItIsReadIsNotCountedAsItWas) {
  write("f", std::string(600'000, 'a'));
  int feeds = 0;
  tokenizer_.on_feed = [&] {
    if (++feeds == 1) fs::resize_file(path("f"), 300'000);
  };
  EXPECT_EQ(said("f"), "300000") << "the second time";
}

TEST_F(WeigherTest, AFileThatIsExchangedWhileItIsReadIsCountedAsTheNewOne) {
  write("f", "before");
  int feeds = 0;
  tokenizer_.on_feed = [&] {
    if (++feeds > 1) return;
    write("new", "behind it");
    fs::rename(path("new"), path("f"));
  };
  const auto weight = weigh("f");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->tokens, 9U);
  EXPECT_EQ(weight->tokens, weight->stamp.size);
}

TEST_F(WeigherTest, WhatIsRememberedIsNotRead) {
  write("f", "hello");
  std::optional<FileStamp> asked;
  std::optional<Weight> answer;
  const auto recall = [&](const FileStamp& stamp) {
    asked = stamp;
    return answer;
  };
  make({.clock = clock_, .recall = recall});
  int feeds = 0;
  tokenizer_.on_feed = [&] { ++feeds; };
  const Weight read = *weigh("f");
  EXPECT_TRUE(read.is_new);
  EXPECT_EQ(read.stamp, asked);
  EXPECT_EQ(feeds, 1);
  answer = Weight{.tokens = 77, .is_due = true};
  const Weight known = *weigh("f");
  EXPECT_EQ(known.tokens, 77U);
  EXPECT_FALSE(known.is_new);
  EXPECT_TRUE(known.is_due);
  EXPECT_EQ(known.stamp, read.stamp);
  EXPECT_EQ(feeds, 1) << "not read";
  answer->passed = Passed::binary;
  EXPECT_EQ(said("f"), "binary");
  make({.clock = clock_, .keeps_content = true, .recall = recall});
  EXPECT_EQ(weigh("f")->content, "hello") << "contents are not remembered";
  make({.clock = clock_, .max_size = {3}, .recall = recall});
  EXPECT_EQ(said("f"), "too large") << "whatever is remembered";
}

TEST_F(WeigherTest, ContentsAreKeptIfTheyAreWanted) {
  std::string bytes = "\xff\xfe and more ";
  while (bytes.size() < 700'000) bytes += bytes;
  write("f", bytes);
  EXPECT_EQ(weigh("f")->content, "");
  make({.clock = clock_, .keeps_content = true});
  EXPECT_EQ(weigh("f")->content, bytes);
}

TEST_F(WeigherTest, StopsInTheMiddleOfAFile) {
  write("f", std::string(600'000, 'a'));
  std::stop_source stop;
  int feeds = 0;
  tokenizer_.on_feed = [&] {
    ++feeds;
    stop.request_stop();
  };
  const auto weight = weigh("f", stop.get_token());
  ASSERT_FALSE(weight);
  EXPECT_EQ(weight.error().cure, Cure::resume);
  EXPECT_EQ(feeds, 1);
  tokenizer_.on_feed = nullptr;
  EXPECT_EQ(said("f"), "600000");
}

TEST_F(WeigherTest, NamesMayBeLongAndNoUtf8) {
  write("\xff\n\"", "abc");
  EXPECT_EQ(said("\xff\n\""), "3");
  std::string below;
  Descriptor folder(::open(path("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string part(200, 'd');
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(::mkdirat(folder.number(), part.c_str(), 0700), 0);
    folder =
        Descriptor(::openat(folder.number(), part.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_TRUE(folder.is_open());
    below += part + "/";
  }
  const Descriptor file(::openat(folder.number(), "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(file.number(), "abcd", 4), 4);
  ASSERT_GT(below.size(), std::size_t{PATH_MAX});
  EXPECT_EQ(said(below + "f"), "4");
  EXPECT_EQ(said(below + "g"), "vanished");
  ASSERT_EQ(::symlinkat("f", folder.number(), "link"), 0);
  EXPECT_EQ(said(below + "link"), "no regular file");
}

// Tokens that lie across two reads are counted as in one.
TEST_F(WeigherTest, HowAFileIsReadMakesNoDifferenceToItsTokens) {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) {
    text += "Zeile " + std::to_string(i * i) + " w\u00f6rtlich \u65e5\u672c\U0001F600\n";
  }
  auto table = tokens::open_tokenizer("bytes/4", "");
#ifdef TIDEMILL_TOKENS_FOLDER
  if (auto real = tokens::open_tokenizer("o200k_base", TIDEMILL_TOKENS_FOLDER)) {
    table = std::move(real);
  }
#endif
  ASSERT_TRUE(table);
  write("f", text);
  const auto weigher = *Weigher::make(**table, {.clock = clock_});
  const auto weight = weigher->weigh(roots_.at(0).folder.number(), "f", {});
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->tokens, (*table)->counter()->count(text));
}

// The machine's clock, and later or earlier if a test wants it.
class ShiftedClock final : public Clock {
 public:
  [[nodiscard]] Instant now() const override { return clock_.now(); }
  [[nodiscard]] WallTime wall() const override { return clock_.wall() + by_; }
  void wait_until(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                  Instant until) const override {
    clock_.wait_until(lock, changed, until);
  }
  void shift(std::chrono::hours by) { by_ += by; }  // while nobody asks

 private:
  SystemClock clock_;
  std::chrono::hours by_{0};
};

class MillTest : public TreeTest {
 protected:
  MillTest() {
    options_.roots = {path("")};
    options_.tokenizer = "bytes/4";
    options_.max_tokens = 40;
    options_.margin = 1;
    options_.max_files = 5;
    options_.workers = 2;
  }

  // Hostile names, folders in folders, files of all kinds.
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

  struct Milled {
    std::vector<std::string> drafts{};
    std::vector<Cursor> cursors{};
    Result<void> ended{};
    std::uint64_t found = 0;
    std::uint64_t files = 0;
    std::uint64_t rows = 0;
    std::uint64_t remembered = 0;
  };
  static std::string text_of_draft(const Draft& draft) {
    std::string text;
    for (const PassedOver& row : draft.rows) {
      text += text_of(row.at) + (row.is_folder ? "/ " : " ") +
              (row.failure ? row.failure->step : row.reason) + ", ";
    }
    if (!draft.batch) return text;
    text += draft.batch->id;
    for (const Weighed& file : draft.batch->files) text += " " + file.path;
    return text;
  }
  [[nodiscard]] Milled mill(Cursor from = {}, std::vector<Again> again = {},
                            std::size_t most_drafts = 1'000'000, bool skips_walk = false) {
    Milled milled;
    const auto recipe = recipe_of(options_, "");
    EXPECT_TRUE(recipe) << text_of(recipe.error());
    if (!recipe) return milled;
    std::unique_ptr<catalogue::TokenCounts> counts;
    if (!options_.catalogue.empty()) {
      counts = *catalogue::TokenCounts::open(options_.catalogue, "bytes/4", clock_);
    }
    Mill mill({.options = options_,
               .recipe = *recipe,
               .clock = clock_,
               .counts = counts.get(),
               .from = std::move(from),
               .skips_walk = skips_walk,
               .again = std::move(again),
               .on_trouble = [](const Failure& failure) { ADD_FAILURE() << text_of(failure); }});
    milled.ended = mill.run(
        [&](Draft&& draft) {
          if (milled.drafts.size() == most_drafts) return false;
          milled.drafts.push_back(text_of_draft(draft));
          milled.cursors.push_back(draft.cursor);
          milled.rows += draft.rows.size();
          if (draft.batch) milled.files += draft.batch->files.size();
          return true;
        },
        stop_.get_token());
    milled.found = mill.found();
    milled.remembered = mill.remembered();
    return milled;
  }

  Options options_;
  ShiftedClock clock_;
  std::stop_source stop_;
};

TEST_F(MillTest, TheDraftsAreTheSameWithAnyNumberOfWorkersAndWithACatalogue) {
  grow();
  options_.workers = 1;
  options_.max_size = {1'000};
  const Milled one = mill();
  ASSERT_TRUE(one.ended);
  EXPECT_EQ(one.files + one.rows, one.found);
  EXPECT_EQ(one.found, 128U) << "folders in folders too, no link and no FIFO";
  EXPECT_EQ(one.rows, 2U);
  EXPECT_GT(one.drafts.size(), 25U);
  for (const std::size_t workers : {2U, 8U}) {
    options_.workers = workers;
    EXPECT_EQ(mill().drafts, one.drafts);
  }
  options_.catalogue = base_ + "/catalogue.db";
  EXPECT_EQ(mill().drafts, one.drafts);
  EXPECT_EQ(mill().drafts, one.drafts);
}

TEST_F(MillTest, BehindEveryCursorComesTheRest) {
  grow();
  const Milled all = mill();
  for (std::size_t i = 0; i < all.cursors.size(); ++i) {
    const Milled rest = mill(all.cursors[i]);
    ASSERT_TRUE(rest.ended);
    EXPECT_EQ(rest.drafts, std::vector(all.drafts.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       all.drafts.end()));
  }
}

TEST_F(MillTest, SeveralRootsAreWalkedOneAfterTheOther) {
  grow();
  options_.roots = {path("d1"), path("d3.txt"), path("d2"), path("d4/binary"), path("d1")};
  const Milled all = mill();
  ASSERT_TRUE(all.ended);
  EXPECT_EQ(all.cursors.back().root, 4U);
  for (std::size_t i = 0; i < all.cursors.size(); ++i) {
    EXPECT_EQ(
        mill(all.cursors[i]).drafts,
        std::vector(all.drafts.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.drafts.end()));
  }
}

TEST_F(MillTest, StopsInTheMiddle) {
  grow();
  const Milled some = mill({}, {}, 3);
  ASSERT_FALSE(some.ended);
  EXPECT_EQ(some.ended.error().cure, Cure::resume);
  EXPECT_EQ(some.drafts.size(), 3U);
  stop_.request_stop();
  const Milled none = mill();
  ASSERT_FALSE(none.ended);
  EXPECT_EQ(none.ended.error().cure, Cure::resume);
}

TEST_F(MillTest, ARootThatIsGoneEndsIt) {
  grow();
  const auto recipe = recipe_of(options_, "");
  ASSERT_TRUE(recipe);
  fs::rename(path(""), base_ + "/moved");
  Mill mill({.options = options_, .recipe = *recipe, .clock = clock_});
  const auto ended = mill.run([](Draft&&) { return true; }, {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().step, "open");
  EXPECT_NE(ended.error().cure, Cure::resume);
}

TEST_F(MillTest, LettersTriedAgainComeBehindTheWalkWithTheCursorOfItsEnd) {
  grow();
  const Milled all = mill();
  const Milled again = mill({}, {{.at = {.path = "d1/1"}},
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
  // The same without the walk.
  const Milled alone = mill(all.cursors.back(), {{.at = {.path = "d1/1"}}}, 1'000'000, true);
  ASSERT_EQ(alone.drafts.size(), 1U);
  EXPECT_EQ(alone.cursors.front(), all.cursors.back());
}

// A folder whose ignore file is too large to be used cannot be read, whoever asks.
TEST_F(MillTest, AFolderThatCannotBeReadIsToldOnceAlsoWhenTheWalkGoesOnBehindIt) {
  options_.gitignore = true;
  write("a", "text");
  write("bad/.gitignore", std::string(2'000'000, '#'));
  write("bad/f", "in it");
  const Milled all = mill();
  ASSERT_TRUE(all.ended);
  EXPECT_EQ(all.files, 1U);
  EXPECT_EQ(all.rows, 1U);
  ASSERT_TRUE(all.cursors.back().path.starts_with("bad"));
  EXPECT_EQ(mill(all.cursors.back()).drafts, std::vector<std::string>{});
  fs::remove(path("bad/.gitignore"));
  EXPECT_EQ(mill(all.cursors.back()).drafts, std::vector<std::string>{})
      << "its files come when the letter is tried again";
}

// A name may begin as that of no file does.
TEST_F(MillTest, AFolderThatCannotBeReadAnyMoreIsToldWhateverTheCursorIsCalled) {
  options_.gitignore = true;
  write("a/\xff\xff", "text");
  write("a/\xff\xff\xff", "text");
  write("a/.gitignore", std::string(2'000'000, '#'));
  const Milled rest = mill({.path = "a/\xff\xff"});
  ASSERT_TRUE(rest.ended);
  EXPECT_EQ(rest.drafts, std::vector<std::string>{"0/a/ ignore, "});
}

TEST_F(MillTest, GlobsExcludesAndIgnoreFilesDecideWhichFiles) {
  write("a.c", "1");
  write("sub/b.c", "2");
  write("sub/b.h", "3");
  write("node_modules/c.c", "4");
  write(".git/d.c", "5");
  write(".gitignore", "sub/b.c\n");
  options_.globs = {"*.c"};
  options_.excludes = {"node_modules/"};
  EXPECT_EQ(mill().files, 3U);
  options_.gitignore = true;
  EXPECT_EQ(mill().files, 1U);
}

TEST_F(MillTest, CountsThatAreRememberedAreNotReadAgain) {
  grow();
  const std::uint64_t files = mill().found;
  options_.catalogue = base_ + "/catalogue.db";
  clock_.shift(std::chrono::hours(-1));  // they stay young, however long this takes
  const Milled young = mill();
  EXPECT_EQ(mill().remembered, 0U) << "what was just written may be written again unseen";
  clock_.shift(std::chrono::hours(2));
  EXPECT_EQ(mill().remembered, 0U);
  const Milled known = mill();
  EXPECT_EQ(known.remembered, files);
  EXPECT_EQ(known.drafts, young.drafts);
  write("d1/1", "another text than before, and longer");
  const Milled changed = mill();
  EXPECT_EQ(changed.remembered, files - 1);
  EXPECT_NE(changed.drafts, known.drafts);
  options_.is_inline = true;
  EXPECT_EQ(mill().remembered, 0U) << "contents are not remembered";
}

// A limit of 24 MiB for the whole belt: items of 1 MiB, and a taker that takes none.
TEST_F(MillTest, WithContentsNoMoreIsHeldThanTheBeltMayHold) {
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
    Mill mill({.options = options_, .recipe = *recipe, .clock = clock_});
    std::uint64_t handed = 0;
    std::uint64_t most = 0;
    const auto ended = mill.run(
        [&](Draft&& draft) {
          ++handed;
          // Let the others run as far as they can.
          for (int i = 0; i < 200; ++i) {
            most = std::max(most, mill.found() - handed);
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

TEST_F(MillTest, CountFilesTellsEveryFileInOrder) {
  write("a", "12345678");
  write("b", std::string_view("\0", 1));
  write("c/d", "1234");
  options_.roots = {path("") + "/", path("a")};
  std::string told;
  const auto counted = count_files(options_, "",
                                   [&](const Counted& file) -> Result<void> {
                                     told += file.path.substr(base_.size()) + " " +
                                             std::to_string(file.tokens) + " " +
                                             std::to_string(file.bytes) + " " + file.skipped + "\n";
                                     return {};
                                   },
                                   clock_, {});
  ASSERT_TRUE(counted);
  EXPECT_EQ(told, "/tree//a 2 8 \n/tree//b 0 0 binary\n/tree//c/d 1 4 \n/tree/a 2 8 \n");
  int calls = 0;
  const auto refused = count_files(options_, "",
                                   [&](const Counted&) -> Result<void> {
                                     ++calls;
                                     return fail(Cure::give_up, "output", "closed");
                                   },
                                   clock_, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().step, "output");
  EXPECT_EQ(calls, 1);
}

TEST_F(MillTest, ARecipeThatMakesNoSenseIsRefused) {
  const auto refused = [&](const std::function<void(Options&)>& change) {
    Options options = options_;
    change(options);
    const auto recipe = recipe_of(options, "");
    return recipe ? "" : recipe.error().step;
  };
  EXPECT_EQ(refused([](Options&) {}), "");
  EXPECT_EQ(refused([](Options& o) { o.globs = {"["}; }), "usage");
  EXPECT_EQ(refused([](Options& o) { o.tokenizer = "nothing"; }), "tokenizer");
  EXPECT_EQ(refused([](Options& o) { o.template_path = "/nowhere"; }), "template");
  EXPECT_EQ(refused([](Options& o) { o.roots = {"/nowhere"}; }), "open");
  write("prompt", std::string(200, 'p'));
  EXPECT_EQ(refused([&](Options& o) { o.template_path = path("prompt"); }), "usage")
      << "50 tokens, and a batch may have 40";
}

}  // namespace
}  // namespace tidemill::batch
