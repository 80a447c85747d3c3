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

// Bytes whose period is not the buffer size.
std::string contents(std::size_t size, std::uint32_t seed = 1) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>((seed = seed * 1664525U + 1013904223U) >> 24U);
  return text;
}

template <class T>
std::string step_of(const Result<T>& result) {
  return result ? "done" : result.error().step;
}

class FileReaderTest : public ::testing::Test {
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

  [[nodiscard]] FilePlace place(const char* name) const {
    struct stat seen{};
    EXPECT_EQ(::fstatat(folder_.number(), name, &seen, AT_SYMLINK_NOFOLLOW), 0);
    return {.folder = folder_.number(), .name = name, .stamp = stamp_of(seen)};
  }

  FilePlace written(const char* name, std::string_view text) const {
    write(name, text);
    return place(name);
  }

  static std::string hash_of(Algorithm algorithm, std::string_view text) {
    return Hasher::make(algorithm)->of(std::as_bytes(std::span(text))).hex();
  }

  FileReader reader_ = *FileReader::make(Algorithm::xxh3);
  testing::OwnFolder own_;
  const std::string& path_ = own_.path();
  Descriptor folder_;
  std::stop_token never_;
};

TEST_F(FileReaderTest, HashesFilesOfEveryLength) {
  for (const Algorithm algorithm : {Algorithm::xxh3, Algorithm::sha256}) {
    FileReader reader = *FileReader::make(algorithm);
    std::uint64_t total = 0;
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{FileReader::kSmall}, FileReader::kSmall + 1,
          FileReader::kBuffer - 1, FileReader::kBuffer, FileReader::kBuffer + 1,
          2 * FileReader::kBuffer + 77}) {
      const std::string text = contents(size);
      const auto digest = reader.whole(written("file", text), never_);
      ASSERT_TRUE(digest) << size << " " << text_of(digest.error());
      EXPECT_EQ(digest->hex(), hash_of(algorithm, text)) << size;
      EXPECT_EQ(reader.bytes_read(), total += size);
    }
  }
}

TEST_F(FileReaderTest, AcceptsNamesWithAnyBytes) {
  const auto place = written("a\nb\t\xff\xc3 \x01", "abc");
  EXPECT_EQ(reader_.whole(place, never_)->hex(), hash_of(Algorithm::xxh3, "abc"));
}

TEST_F(FileReaderTest, HashesOnlyTheEdges) {
  std::string text = contents(FileReader::kSmall + 1);
  const std::string edges =
      text.substr(0, FileReader::kEdge) + text.substr(text.size() - FileReader::kEdge);
  FileReader reader = *FileReader::make(Algorithm::sha512);  // the edges are always XXH3
  EXPECT_EQ(reader.edges(written("file", text), never_)->hex(), hash_of(Algorithm::xxh3, edges));
  EXPECT_EQ(reader.bytes_read(), 2 * FileReader::kEdge);
  text[FileReader::kEdge] ^= 1;
  text[text.size() - FileReader::kEdge - 1] ^= 1;
  EXPECT_EQ(reader.edges(written("file", text), never_)->hex(), hash_of(Algorithm::xxh3, edges));
  text.back() ^= 1;
  EXPECT_NE(reader.edges(written("file", text), never_)->hex(), hash_of(Algorithm::xxh3, edges));
}

TEST_F(FileReaderTest, ReturnsTheBytesOfASmallFile) {
  const std::string text = contents(FileReader::kSmall);
  const auto bytes = reader_.small(written("file", text));
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(std::ranges::equal(*bytes, std::as_bytes(std::span(text))));
}

TEST_F(FileReaderTest, DetectsASingleDifferingByte) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{5000}, FileReader::kSmall + 1,
                                 2 * FileReader::kBuffer, 2 * FileReader::kBuffer + 77}) {
    const std::string text = contents(size);
    const FilePlace one = written("one", text);
    EXPECT_TRUE(*reader_.same(one, written("other", text), never_));
    for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
      std::string twin = text;
      twin[at] ^= 1;
      EXPECT_FALSE(*reader_.same(one, written("other", twin), never_)) << size << " at " << at;
    }
  }
  EXPECT_TRUE(*reader_.same(written("one", ""), written("other", ""), never_));
}

TEST_F(FileReaderTest, OpensNeitherOfTwoFilesWithDifferentSizes) {
  const FilePlace gone{.folder = folder_.number(), .name = "gone", .stamp = {.size = 4}};
  const auto answer = reader_.same(written("one", "abc"), gone, never_);
  ASSERT_EQ(step_of(answer), "done");
  EXPECT_FALSE(*answer);
  EXPECT_EQ(reader_.bytes_read(), 0U);
}

// Changes one field of the stamp after another.
TEST_F(FileReaderTest, RejectsAFileWithADifferentStamp) {
  for (const std::size_t size : {std::size_t{100}, FileReader::kSmall + 1}) {
    const FilePlace good = written("file", contents(size));
    ASSERT_TRUE(reader_.whole(good, never_));
    for (const auto& spoil : std::vector<std::function<void(FileStamp&)>>{
             [](FileStamp& stamp) { ++stamp.device; }, [](FileStamp& stamp) { ++stamp.inode; },
             [](FileStamp& stamp) { ++stamp.size; }, [](FileStamp& stamp) { --stamp.size; },
             [](FileStamp& stamp) { --stamp.mtime_ns; },
             [](FileStamp& stamp) { --stamp.ctime_ns; }}) {
      FilePlace bad = good;
      spoil(bad.stamp);
      const auto digest = reader_.whole(bad, never_);
      ASSERT_EQ(step_of(digest), "changed") << size;
      EXPECT_EQ(digest.error().cure, Cure::retry);
      if (size > FileReader::kSmall) {
        EXPECT_EQ(step_of(reader_.edges(bad, never_)), "changed");
      }
      if (bad.stamp.size != good.stamp.size) continue;
      EXPECT_EQ(step_of(reader_.same(bad, good, never_)), "changed");
      EXPECT_EQ(step_of(reader_.same(good, bad, never_)), "changed");
    }
  }
}

TEST_F(FileReaderTest, DoesNotReadALargeFileThatWasReplaced) {
  FilePlace place = written("file", contents(FileReader::kSmall + 1));
  ++place.stamp.inode;
  EXPECT_EQ(step_of(reader_.whole(place, never_)), "changed");
  EXPECT_EQ(step_of(reader_.same(place, place, never_)), "changed");
  EXPECT_EQ(reader_.bytes_read(), 0U);
}

TEST_F(FileReaderTest, DoesNotConsumeDataFromAFifo) {
  for (const std::uint64_t size : {std::uint64_t{5}, FileReader::kSmall + 1}) {
    ASSERT_EQ(::mkfifoat(folder_.number(), "fifo", 0600), 0);
    const Descriptor holder(::openat(folder_.number(), "fifo", O_RDWR | O_NONBLOCK | O_CLOEXEC));
    ASSERT_EQ(::write(holder.number(), "hello", 5), 5);
    FilePlace fifo = place("fifo");
    fifo.stamp.size = size;
    EXPECT_EQ(step_of(reader_.whole(fifo, never_)), "changed");
    EXPECT_EQ(step_of(reader_.edges(fifo, never_)), "changed");
    EXPECT_EQ(step_of(reader_.same(fifo, fifo, never_)), "changed");
    char kept[8] = {};
    EXPECT_EQ(::read(holder.number(), kept, sizeof kept), 5);
    ASSERT_EQ(::unlinkat(folder_.number(), "fifo", 0), 0);
  }
}

TEST_F(FileReaderTest, ReadsOnlyRegularFiles) {
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

TEST_F(FileReaderTest, DistinguishesAMissingFileFromAnOpenFailure) {
  const FilePlace place = written("file", "abc");
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

// Root is allowed to do all of this, so the test temporarily becomes another user.
TEST_F(FileReaderTest, ReadsFilesOfOtherUsersIfPermitted) {
  ASSERT_EQ(::fchmod(folder_.number(), 0755), 0);
  const FilePlace shut = written("shut", "abc");
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

TEST_F(FileReaderTest, RejectsAFileLongerThanItsReportedSize) {
  const Descriptor kept(::open("/proc/version", kRead));
  struct stat seen{};
  ASSERT_EQ(::fstat(kept.number(), &seen), 0);
  ASSERT_EQ(seen.st_size, 0);
  const auto digest =
      reader_.whole({.folder = AT_FDCWD, .name = "/proc/version", .stamp = stamp_of(seen)}, never_);
  ASSERT_EQ(step_of(digest), "read");
  EXPECT_EQ(digest.error().cure, Cure::give_up);
}

TEST_F(FileReaderTest, EndsOnAStopRequest) {
  std::stop_source source;
  source.request_stop();
  for (const std::size_t size : {std::size_t{100}, FileReader::kSmall + 1}) {
    const FilePlace place = written("file", contents(size));
    const auto digest = reader_.whole(place, source.get_token());
    ASSERT_EQ(step_of(digest), "stop");
    EXPECT_EQ(digest.error().cure, Cure::resume);
    EXPECT_EQ(step_of(reader_.edges(place, source.get_token())), "stop");
    EXPECT_EQ(step_of(reader_.same(place, place, source.get_token())), "stop");
  }
  EXPECT_EQ(reader_.bytes_read(), 0U);
}

// Changes a large file after its first bytes were read, which inotify reports. The reader may
// finish before the change, so the test repeats until it does not.
class ReaderRaceTest : public FileReaderTest {
 protected:
  static constexpr off_t kSize = off_t{64} << 20U;  // a hole: takes no room on the disk

  // True if the reader fails with `step` at least once and still hashes other files correctly.
  template <class Read>
  bool ever_says(std::string_view step, const std::function<void(int)>& meddle, Read read) {
    for (int i = 0; i < 500; ++i) {
      const Descriptor file(
          ::openat(folder_.number(), "file", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
      EXPECT_EQ(::ftruncate(file.number(), kSize), 0);
      const Descriptor events(::inotify_init1(IN_CLOEXEC));
      const std::string path = path_ + "/file";
      EXPECT_GE(::inotify_add_watch(events.number(), path.c_str(), IN_ACCESS), 0);
      const FilePlace large = place("file");
      std::string said;
      {
        const std::jthread meddler([&] {
          char event[512];
          if (::read(events.number(), event, sizeof event) > 0) meddle(file.number());
        });
        said = step_of(read(large));
        char byte = 0;  // wakes the meddler if the reader has read nothing
        EXPECT_GE(::pread(file.number(), &byte, 1, 0), 0);
      }
      EXPECT_TRUE(said == "done" || said == step) << said;
      EXPECT_EQ(reader_.whole(written("small", "abc"), never_)->hex(),
                hash_of(Algorithm::xxh3, "abc"));
      const std::string other = contents(FileReader::kSmall + 1);
      EXPECT_EQ(reader_.whole(written("large", other), never_)->hex(),
                hash_of(Algorithm::xxh3, other));
      if (said == step) return true;
    }
    return false;
  }
};

TEST_F(ReaderRaceTest, DetectsAFileThatGrowsWhileBeingRead) {
  const auto grow = [](int file) { EXPECT_EQ(::pwrite(file, "x", 1, kSize), 1); };
  EXPECT_TRUE(
      ever_says("changed", grow, [&](const FilePlace& p) { return reader_.whole(p, never_); }));
}

TEST_F(ReaderRaceTest, DetectsAFileThatShrinksWhileBeingRead) {
  const auto shrink = [](int file) { EXPECT_EQ(::ftruncate(file, 1), 0); };
  const auto whole = [&](const FilePlace& p) { return reader_.whole(p, never_); };
  EXPECT_TRUE(ever_says("changed", shrink, whole));
}

TEST_F(ReaderRaceTest, DetectsAFileModifiedWhileBeingCompared) {
  const auto poke = [](int file) { EXPECT_EQ(::pwrite(file, "x", 1, 0), 1); };
  const auto same = [&](const FilePlace& p) { return reader_.same(p, p, never_); };
  EXPECT_TRUE(ever_says("changed", poke, same));
}

TEST_F(ReaderRaceTest, StopsInTheMiddleOfAFile) {
  Guarded<std::stop_source> source;
  const auto stop = [&](int /*file*/) { source.lock()->request_stop(); };
  const auto whole = [&](const FilePlace& p) {
    const std::stop_source fresh;
    *source.lock() = fresh;
    return reader_.whole(p, fresh.get_token());
  };
  EXPECT_TRUE(ever_says("stop", stop, whole));
}

}  // namespace
}  // namespace tidemill::hash
