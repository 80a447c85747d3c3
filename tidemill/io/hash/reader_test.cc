#include "tidemill/io/hash/reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/testing/few_descriptors.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::hash {
namespace {

constexpr auto kRead = O_RDONLY | O_CLOEXEC;

// Bytes that do not repeat with the size of a buffer.
std::string contents(std::size_t size, std::uint32_t seed = 1) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>((seed = seed * 1664525U + 1013904223U) >> 24U);
  return text;
}

template <class T>
std::string step_of(const Result<T>& result) {
  return result ? "done" : result.error().step;
}

class ReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = Descriptor(::open(path_.c_str(), kRead | O_DIRECTORY));
    ASSERT_TRUE(folder_.is_open());
  }

  void write(const char* name, std::string_view text) const {
    const Descriptor file(
        ::openat(folder_.number(), name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    ASSERT_TRUE(file.is_open());
    ASSERT_EQ(::write(file.number(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  [[nodiscard]] Place place(const char* name) const {
    struct stat seen{};
    EXPECT_EQ(::fstatat(folder_.number(), name, &seen, AT_SYMLINK_NOFOLLOW), 0);
    return {.folder = folder_.number(), .name = name, .stamp = stamp_of(seen)};
  }

  Place written(const char* name, std::string_view text) const {
    write(name, text);
    return place(name);
  }

  static std::string hash_of(Algorithm algorithm, std::string_view text) {
    return Hasher::make(algorithm)->of(std::as_bytes(std::span(text))).hex();
  }

  Reader reader_ = *Reader::make(Algorithm::xxh3);
  testing::OwnFolder own_;
  const std::string& path_ = own_.path();
  Descriptor folder_;
  std::stop_token never_;
};

TEST_F(ReaderTest, HashesFilesOfEveryLength) {
  for (const Algorithm algorithm : {Algorithm::xxh3, Algorithm::sha256}) {
    Reader reader = *Reader::make(algorithm);
    std::uint64_t total = 0;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{Reader::kSmall}, Reader::kSmall + 1,
          Reader::kBuffer - 1, Reader::kBuffer, Reader::kBuffer + 1, 2 * Reader::kBuffer + 77}) {
      const std::string text = contents(size);
      const auto digest = reader.whole(written("file", text), never_);
      ASSERT_TRUE(digest) << size << " " << text_of(digest.error());
      EXPECT_EQ(digest->hex(), hash_of(algorithm, text)) << size;
      EXPECT_EQ(reader.bytes_read(), total += size);
    }
  }
}

TEST_F(ReaderTest, TakesNamesOfAnyBytes) {
  const auto place = written("a\nb\t\xff\xc3 \x01", "abc");
  EXPECT_EQ(reader_.whole(place, never_)->hex(), hash_of(Algorithm::xxh3, "abc"));
}

TEST_F(ReaderTest, HashesTheEdgesAlone) {
  std::string text = contents(Reader::kSmall + 1);
  const std::string edges =
      text.substr(0, Reader::kEdge) + text.substr(text.size() - Reader::kEdge);
  Reader reader = *Reader::make(Algorithm::sha512);  // the edges are always XXH3
  EXPECT_EQ(reader.edges(written("file", text), never_)->hex(), hash_of(Algorithm::xxh3, edges));
  EXPECT_EQ(reader.bytes_read(), 2 * Reader::kEdge);
  text[Reader::kEdge] ^= 1;
  text[text.size() - Reader::kEdge - 1] ^= 1;
  EXPECT_EQ(reader.edges(written("file", text), never_)->hex(), hash_of(Algorithm::xxh3, edges));
  text.back() ^= 1;
  EXPECT_NE(reader.edges(written("file", text), never_)->hex(), hash_of(Algorithm::xxh3, edges));
}

TEST_F(ReaderTest, HandsOutTheBytesOfASmallFile) {
  const std::string text = contents(Reader::kSmall);
  const auto bytes = reader_.small(written("file", text));
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(std::ranges::equal(*bytes, std::as_bytes(std::span(text))));
}

TEST_F(ReaderTest, FindsTheOneByteThatDiffers) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{5000}, Reader::kSmall + 1,
                                 2 * Reader::kBuffer, 2 * Reader::kBuffer + 77}) {
    const std::string text = contents(size);
    const Place one = written("one", text);
    EXPECT_TRUE(*reader_.same(one, written("other", text), never_));
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::string twin = text;
      twin[at] ^= 1;
      EXPECT_FALSE(*reader_.same(one, written("other", twin), never_)) << size << " at " << at;
    }
  }
  EXPECT_TRUE(*reader_.same(written("one", ""), written("other", ""), never_));
}

TEST_F(ReaderTest, OpensNeitherOfTwoFilesWithDifferentSizes) {
  const Place gone{.folder = folder_.number(), .name = "gone", .stamp = {.size = 4}};
  const auto answer = reader_.same(written("one", "abc"), gone, never_);
  ASSERT_EQ(step_of(answer), "done");
  EXPECT_FALSE(*answer);
  EXPECT_EQ(reader_.bytes_read(), 0U);
}

// One stamp after the other is not the one that was asked for.
TEST_F(ReaderTest, BelievesNoFileWithAnotherStamp) {
  for (const std::size_t size : {std::size_t{100}, Reader::kSmall + 1}) {
    const Place good = written("file", contents(size));
    ASSERT_TRUE(reader_.whole(good, never_));
    for (const auto& spoil : std::vector<std::function<void(FileStamp&)>>{
             [](FileStamp& stamp) { ++stamp.device; }, [](FileStamp& stamp) { ++stamp.inode; },
             [](FileStamp& stamp) { ++stamp.size; }, [](FileStamp& stamp) { --stamp.size; },
             [](FileStamp& stamp) { --stamp.mtime_ns; },
             [](FileStamp& stamp) { --stamp.ctime_ns; }}) {
      Place bad = good;
      spoil(bad.stamp);
      const auto digest = reader_.whole(bad, never_);
      ASSERT_EQ(step_of(digest), "changed") << size;
      EXPECT_EQ(digest.error().cure, Cure::retry);
      if (size > Reader::kSmall) {
        EXPECT_EQ(step_of(reader_.edges(bad, never_)), "changed");
      }
      if (bad.stamp.size != good.stamp.size) continue;
      EXPECT_EQ(step_of(reader_.same(bad, good, never_)), "changed");
      EXPECT_EQ(step_of(reader_.same(good, bad, never_)), "changed");
    }
  }
}

TEST_F(ReaderTest, DoesNotReadALargeFileThatIsAnotherOne) {
  Place place = written("file", contents(Reader::kSmall + 1));
  ++place.stamp.inode;
  EXPECT_EQ(step_of(reader_.whole(place, never_)), "changed");
  EXPECT_EQ(step_of(reader_.same(place, place, never_)), "changed");
  EXPECT_EQ(reader_.bytes_read(), 0U);
}

TEST_F(ReaderTest, TakesNothingOutOfAFifo) {
  for (const std::uint64_t size : {std::uint64_t{5}, Reader::kSmall + 1}) {
    ASSERT_EQ(::mkfifoat(folder_.number(), "fifo", 0600), 0);
    const Descriptor holder(::openat(folder_.number(), "fifo", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    ASSERT_EQ(::write(holder.number(), "hello", 5), 5);
    Place fifo = place("fifo");
    fifo.stamp.size = size;
    EXPECT_EQ(step_of(reader_.whole(fifo, never_)), "changed");
    EXPECT_EQ(step_of(reader_.edges(fifo, never_)), "changed");
    EXPECT_EQ(step_of(reader_.same(fifo, fifo, never_)), "changed");
    char kept[8] = {};
    EXPECT_EQ(::read(holder.number(), kept, sizeof kept), 5);
    ASSERT_EQ(::unlinkat(folder_.number(), "fifo", 0), 0);
  }
}

TEST_F(ReaderTest, ReadsNothingButRegularFiles) {
  write("file", "abc");
  ASSERT_EQ(::symlinkat("file", folder_.number(), "link"), 0);
  ASSERT_EQ(::mkdirat(folder_.number(), "folder", 0700), 0);
  ASSERT_EQ(::mkfifoat(folder_.number(), "lonely", 0600), 0);
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = "/proc/self/fd/" + std::to_string(folder_.number()) + "/socket";
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  for (const char* name : {"link", "folder", "lonely", "socket"}) {
    EXPECT_EQ(step_of(reader_.whole(place(name), never_)), "changed") << name;
  }
  EXPECT_EQ(reader_.bytes_read(), 0U);
}

TEST_F(ReaderTest, TellsWhatIsGoneFromWhatCannotBeOpened) {
  const Place place = written("file", "abc");
  const auto full = [&] {
    const testing::FewDescriptors none(0);
    return reader_.whole(place, never_);
  }();
  ASSERT_EQ(step_of(full), "open");
  EXPECT_EQ(full.error().cure, Cure::retry);
  EXPECT_EQ(full.error().reason, std::strerror(EMFILE));

  ASSERT_EQ(::unlinkat(folder_.number(), "file", 0), 0);
  const auto gone = reader_.whole(place, never_);
  ASSERT_EQ(step_of(gone), "gone");
  EXPECT_EQ(gone.error().cure, Cure::give_up);
}

// Root may do all of this, so it becomes somebody else for the time.
TEST_F(ReaderTest, ReadsFilesOfOthersIfItMay) {
  ASSERT_EQ(::fchmod(folder_.number(), 0755), 0);
  const Place shut = written("shut", "abc");
  ASSERT_EQ(::fchmodat(folder_.number(), "shut", 0, 0), 0);
  const bool is_root = ::geteuid() == 0;
  ASSERT_EQ(::seteuid(is_root ? 65534 : ::geteuid()), 0);
  const auto refused = reader_.whole(shut, never_);
  struct stat seen{};
  const int looked = ::stat("/etc/passwd", &seen);
  const auto read =
      reader_.whole({.folder = AT_FDCWD, .name = "/etc/passwd", .stamp = stamp_of(seen)}, never_);
  ASSERT_EQ(::seteuid(is_root ? 0 : ::geteuid()), 0);
  ASSERT_EQ(step_of(refused), "open");
  EXPECT_EQ(refused.error().reason, std::strerror(EACCES));
  EXPECT_EQ(looked, 0);
  EXPECT_EQ(step_of(read), "done");
}

TEST_F(ReaderTest, RefusesAFileThatIsLongerThanTheSystemSays) {
  const Descriptor kept(::open("/proc/version", kRead));
  struct stat seen{};
  ASSERT_EQ(::fstat(kept.number(), &seen), 0);
  ASSERT_EQ(seen.st_size, 0);
  const auto digest =
      reader_.whole({.folder = AT_FDCWD, .name = "/proc/version", .stamp = stamp_of(seen)}, never_);
  ASSERT_EQ(step_of(digest), "read");
  EXPECT_EQ(digest.error().cure, Cure::give_up);
}

TEST_F(ReaderTest, EndsWhenItIsToldToStop) {
  std::stop_source source;
  source.request_stop();
  for (const std::size_t size : {std::size_t{100}, Reader::kSmall + 1}) {
    const Place place = written("file", contents(size));
    const auto digest = reader_.whole(place, source.get_token());
    ASSERT_EQ(step_of(digest), "stop");
    EXPECT_EQ(digest.error().cure, Cure::resume);
    EXPECT_EQ(step_of(reader_.edges(place, source.get_token())), "stop");
    EXPECT_EQ(step_of(reader_.same(place, place, source.get_token())), "stop");
  }
  EXPECT_EQ(reader_.bytes_read(), 0U);
}

// What happens to a large file after its first bytes were read: inotify tells when that is. The
// reader may be through before it happens, so it is tried until it was not.
class ReaderRaceTest : public ReaderTest {
 protected:
  static constexpr off_t kSize = off_t{64} << 20U;  // a hole: takes no room on the disk

  // True when the reader ever said `step`, and then still hashes others well.
  template <class Read>
  bool ever_says(std::string_view step, const std::function<void(int)>& meddle, Read read) {
    for (int i = 0; i < 500; ++i) {
      const Descriptor file(
          ::openat(folder_.number(), "file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
      EXPECT_EQ(::ftruncate(file.number(), kSize), 0);
      const Descriptor events(::inotify_init1(IN_CLOEXEC));
      const std::string path = path_ + "/file";
      EXPECT_GE(::inotify_add_watch(events.number(), path.c_str(), IN_ACCESS), 0);
      const Place large = place("file");
      std::string said;
      {
        const std::jthread meddler([&] {
          char event[512];
          if (::read(events.number(), event, sizeof event) > 0) meddle(file.number());
        });
        said = step_of(read(large));
        char byte = 0;  // should the reader have read nothing, this wakes the meddler
        EXPECT_GE(::pread(file.number(), &byte, 1, 0), 0);
      }
      EXPECT_TRUE(said == "done" || said == step) << said;
      EXPECT_EQ(reader_.whole(written("small", "abc"), never_)->hex(),
                hash_of(Algorithm::xxh3, "abc"));
      const std::string other = contents(Reader::kSmall + 1);
      EXPECT_EQ(reader_.whole(written("large", other), never_)->hex(),
                hash_of(Algorithm::xxh3, other));
      if (said == step) return true;
    }
    return false;
  }
};

TEST_F(ReaderRaceTest, SeesThatAFileGrowsWhileItIsRead) {
  const auto grow = [](int file) { EXPECT_EQ(::pwrite(file, "x", 1, kSize), 1); };
  EXPECT_TRUE(ever_says("changed", grow, [&](const Place& p) { return reader_.whole(p, never_); }));
}

TEST_F(ReaderRaceTest, SeesThatAFileShrinksWhileItIsRead) {
  const auto shrink = [](int file) { EXPECT_EQ(::ftruncate(file, 1), 0); };
  const auto whole = [&](const Place& p) { return reader_.whole(p, never_); };
  EXPECT_TRUE(ever_says("changed", shrink, whole));
}

TEST_F(ReaderRaceTest, SeesThatAFileIsWrittenToWhileItIsCompared) {
  const auto poke = [](int file) { EXPECT_EQ(::pwrite(file, "x", 1, 0), 1); };
  const auto same = [&](const Place& p) { return reader_.same(p, p, never_); };
  EXPECT_TRUE(ever_says("changed", poke, same));
}

TEST_F(ReaderRaceTest, EndsInTheMiddleOfAFile) {
  Guarded<std::stop_source> source;
  const auto stop = [&](int /*file*/) { source.lock()->request_stop(); };
  const auto whole = [&](const Place& p) {
    const std::stop_source fresh;
    *source.lock() = fresh;
    return reader_.whole(p, fresh.get_token());
  };
  EXPECT_TRUE(ever_says("stop", stop, whole));
}

}  // namespace
}  // namespace tidemill::hash
