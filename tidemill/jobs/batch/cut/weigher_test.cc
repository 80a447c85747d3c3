#include "tidemill/jobs/batch/cut/weigher.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tidemill/base/clock.h"
#include "tidemill/formats/tokens/test_folders.h"
#include "tidemill/jobs/batch/cut/roots.h"
#include "tidemill/jobs/batch/cut/tree_rig.h"

namespace tidemill::batch {
namespace {

namespace fs = std::filesystem;

// Counts bytes, and lets a test change the file while it is being counted.
class MeddlingTokenizer final : public tokens::Tokenizer {
 public:
  [[nodiscard]] std::string_view name() const override { return "meddling"; }
  [[nodiscard]] std::string_view fingerprint() const override { return "meddling"; }
  [[nodiscard]] bool is_exact() const override { return true; }
  [[nodiscard]] std::unique_ptr<tokens::TokenCounter> counter() const override {
    struct Bytes final : tokens::TokenCounter {
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
    roots_ = *BatchRoots::open({path("")});
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
  BatchRoots roots_;
  std::unique_ptr<Weigher> weigher_;
};

TEST_F(WeigherTest, CountsTextAndSkipsBinaryFiles) {
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

TEST_F(WeigherTest, SkipsFilesThatAreTooLarge) {
  make({.clock = clock_, .max_size = {10}});
  write("ten", "0123456789");
  write("eleven", "0123456789x");
  EXPECT_EQ(said("ten"), "10");
  EXPECT_EQ(said("eleven"), "too large");
}

TEST_F(WeigherTest, SkipsNonRegularFilesWithoutBlocking) {
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
    EXPECT_EQ(said("socket"), "not a regular file");
  }
  EXPECT_EQ(said("fifo"), "not a regular file");
  EXPECT_EQ(said("folder"), "not a regular file");
  EXPECT_EQ(said("link"), "not a regular file");
  EXPECT_EQ(said("dangling"), "not a regular file");
}

TEST_F(WeigherTest, NothingOutsideOfTheRootIsRead) {
  fs::create_directory(base_ + "/outside");
  std::ofstream(base_ + "/outside/secret") << "secret";
  write("folder/secret", "ours");
  EXPECT_EQ(said("folder/secret"), "4");
  fs::remove_all(path("folder"));
  fs::create_directory_symlink(base_ + "/outside", path("folder"));
  EXPECT_EQ(said("folder/secret"), "not a regular file");
  EXPECT_NE(said("../outside/secret"), "6");
  EXPECT_NE(said(base_ + "/outside/secret"), "6");
}

TEST_F(WeigherTest, SkipsVanishedFiles) {
  write("f", "x");
  EXPECT_EQ(said("gone"), "vanished");
  EXPECT_EQ(said("gone/f"), "vanished");
  EXPECT_EQ(said("f/x"), "vanished") << "a file stands where a folder was";
}

// Root may read everything, so the test switches to another user meanwhile.
TEST_F(WeigherTest, FailsOnAnUnreadableFileWithTheSystemsMessage) {
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

TEST_F(WeigherTest, FailsRetryablyOnAFileThatKeepsChanging) {
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

TEST_F(WeigherTest, RereadsAFileThatShrinksWhileBeingRead) {
  write("f", std::string(600'000, 'a'));
  int feeds = 0;
  tokenizer_.on_feed = [&] {
    if (++feeds == 1) fs::resize_file(path("f"), 300'000);
  };
  EXPECT_EQ(said("f"), "300000") << "the second time";
}

TEST_F(WeigherTest, CountsTheNewFileWhenAFileIsReplacedWhileBeingRead) {
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

TEST_F(WeigherTest, DoesNotReadAFileWithACachedCount) {
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

TEST_F(WeigherTest, AcceptsLongAndNonUtf8Names) {
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
  EXPECT_EQ(said(below + "link"), "not a regular file");
}

// Tokens that span two reads are counted as in one read.
TEST_F(WeigherTest, TokensDoNotDependOnReadBoundaries) {
  std::string text;
  for (int i = 0; text.size() < 1'000'000; ++i) {
    text += "Zeile " + std::to_string(i * i) + " w\u00f6rtlich \u65e5\u672c\U0001F600\n";
  }
  auto table = tokens::open_tokenizer("bytes/4", "");
  if (auto real = tokens::open_tokenizer("o200k_base", tokens::kTablesFolder)) {
    table = std::move(real);
  }
  ASSERT_TRUE(table);
  write("f", text);
  const auto weigher = *Weigher::make(**table, {.clock = clock_});
  const auto weight = weigher->weigh(roots_.at(0).folder.number(), "f", {});
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->tokens, (*table)->counter()->count(text));
}
}  // namespace
}  // namespace tidemill::batch
