#include "tidemill/formats/jsonl/input.h"

#include <fcntl.h>
#include <isa-l/igzip_lib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::jsonl {
namespace {

using testing::eventually;

std::string gzip(std::string_view text) {
  std::string packed(text.size() + 1'000, '\0');
  std::string from(text);
  isal_zstream stream{};
  isal_deflate_stateless_init(&stream);
  stream.gzip_flag = IGZIP_GZIP;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<std::uint8_t*>(from.data());
  stream.avail_in = static_cast<std::uint32_t>(from.size());
  stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
  stream.avail_out = static_cast<std::uint32_t>(packed.size());
  if (isal_deflate_stateless(&stream) != COMP_OK) std::abort();
  packed.resize(stream.total_out);
  return packed;
}

std::string zstd(std::string_view text, ZSTD_EndDirective end = ZSTD_e_end) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* state = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
  ZSTD_inBuffer in{.src = text.data(), .size = text.size(), .pos = 0};
  ZSTD_outBuffer out{.dst = packed.data(), .size = packed.size(), .pos = 0};
  if (ZSTD_compressStream2(state, &out, &in, end) != 0) std::abort();
  ZSTD_freeCCtx(state);
  packed.resize(out.pos);
  return packed;
}

std::string long_text() {
  std::string text;
  std::uint32_t dice = 1;
  while (text.size() < 300'000) {
    dice = dice * 1'664'525 + 1'013'904'223;
    text += "{\"_key\":" + std::to_string(dice >> 8U) + ",\"name\":\"abcabcabc\"}\n";
  }
  return text;
}

struct Contents {
  std::string text{};
  std::string tapped{};
  Failure failure{};  // step "": no failure
};

void append_to(void* context, std::span<const char> bytes) {
  static_cast<std::string*>(context)->append(bytes.data(), bytes.size());
}

std::string read_rest(Input& input, std::size_t piece, Failure& failure) {
  std::string text;
  std::vector<char> into(piece);
  while (true) {
    const auto size = input.read(into);
    if (!size) failure = size.error();
    if (!size || *size == 0) return text;
    text.append(into.data(), *size);
  }
}

Contents contents_of(const std::string& path, std::size_t piece = 10'000) {
  Contents contents;
  auto input = Input::open(path);
  if (!input) {
    contents.failure = input.error();
    return contents;
  }
  (*input)->tap(append_to, &contents.tapped);
  contents.text = read_rest(**input, piece, contents.failure);
  EXPECT_EQ((*input)->consumed(), contents.tapped.size());
  if (!contents.failure.step.empty()) {
    Failure again;
    EXPECT_EQ(read_rest(**input, piece, again), "");
    EXPECT_EQ(again, contents.failure);
  }
  return contents;
}

class InputTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(std::string_view bytes, const std::string& name = "file") const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  testing::OwnFolder own_;
  const std::string& folder_ = own_.path();
};

TEST_F(InputTest, DecompressesEveryFormatAndPassesTheRawBytesToTheTap) {
  const std::string text = long_text();
  const std::string skipped("\x5e\x2a\x4d\x18\x03\0\0\0abc", 11);
  const std::vector<std::string> all{
      text,
      gzip(text),
      gzip(text.substr(0, 1)) + gzip("") + gzip(text.substr(1)),
      gzip(text) + std::string(100'000, '\0'),
      zstd(text),
      zstd("") + zstd(text.substr(0, 100'000)) + zstd(text.substr(100'000)),
      skipped + zstd(text),
  };
  for (const std::string& bytes : all) {
    const std::string path = file(bytes);
    for (const std::size_t piece : {1U, 7U, 65'536U, 1'000'000U}) {
      const Contents found = contents_of(path, piece);
      EXPECT_EQ(found.failure.reason, "");
      EXPECT_TRUE(found.text == text) << piece;
      EXPECT_TRUE(found.tapped == bytes) << piece;
    }
  }
}

TEST_F(InputTest, DetectsCompressionByContentNotByName) {
  const auto packing_of = [&](std::string_view bytes) {
    auto input = Input::open(file(bytes, "x.zst"));
    return input ? (*input)->packing() : Packing::none;
  };
  EXPECT_EQ(packing_of(gzip("{}")), Packing::gzip);
  EXPECT_EQ(packing_of(zstd("{}")), Packing::zstd);
  for (const std::string_view bytes : {"", "\x1f", "{}", "\x28\xb5\x2f"}) {
    EXPECT_EQ(packing_of(bytes), Packing::none);
    EXPECT_EQ(contents_of(folder_ + "/x.zst").text, bytes);
  }
}

TEST_F(InputTest, FailsOnTruncatedDataAfterDeliveringWhatCouldBeRead) {
  const std::string text = long_text();
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    for (const std::size_t left : {packed.size() - 1, packed.size() - 9, packed.size() / 2,
                                   std::size_t{11}, std::size_t{4}}) {
      const Contents found = contents_of(file(packed.substr(0, left)));
      EXPECT_EQ(found.failure.step, "inflate") << left;
      EXPECT_EQ(found.failure.cure, Cure::give_up);
      EXPECT_TRUE(contents_of(file(packed.substr(0, left)), 7).text == found.text);
      EXPECT_TRUE(text.starts_with(found.text));
      EXPECT_TRUE(left < 100 || found.text.size() > text.size() / 4);
      EXPECT_EQ(found.failure.reason.find(folder_ + "/file: truncated"), 0U)
          << found.failure.reason;
      EXPECT_NE(found.failure.reason.find(" " + std::to_string(found.text.size()) + " bytes"),
                std::string::npos)
          << found.failure.reason;
    }
  }
}

TEST_F(InputTest, DeliversAllDataWhenTruncatedAfterAFlush) {
  const std::string text = long_text();
  for (const std::size_t piece : {7U, 1'000'000U}) {
    const Contents found = contents_of(file(zstd(text, ZSTD_e_flush)), piece);
    EXPECT_TRUE(found.text == text) << found.text.size();
    EXPECT_EQ(found.failure.step, "inflate");
  }
}

TEST_F(InputTest, FailsOnAFlippedBit) {
  const std::string text = long_text();
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    const bool is_gzip = packed.starts_with('\x1f');
    for (const std::size_t place : {packed.size() - 1, packed.size() - 4, packed.size() / 2}) {
      std::string damaged = packed;
      damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
      const Contents found = contents_of(file(damaged));
      EXPECT_EQ(found.failure.step, "inflate") << place;
      EXPECT_NE(found.failure.reason.find("damaged"), std::string::npos) << found.failure.reason;
      const bool is_in_checksum = place > packed.size() / 2;
      EXPECT_TRUE(!is_gzip || !is_in_checksum || found.text == text) << "all that was good";
    }
  }
}

TEST_F(InputTest, FailsOnTrailingGarbageAfterDeliveringTheText) {
  const std::string zeros(70'000, '\0');
  for (const std::string& bytes :
       {gzip("{}\n") + "{}\n", gzip("{}\n") + zeros + "x", gzip("{}\n") + zeros + gzip("{}\n"),
        gzip("{}\n") + "\x1f", zstd("{}\n") + "{}\n\n\n", zstd("{}\n") + zeros}) {
    const Contents found = contents_of(file(bytes));
    EXPECT_EQ(found.text, "{}\n");
    EXPECT_EQ(found.failure.step, "inflate");
  }
}

TEST_F(InputTest, FailsWithStepOpenWhenUnreadable) {
  EXPECT_EQ(contents_of(folder_ + "/nothing").failure.step, "open");
  const Failure folder = contents_of(folder_).failure;
  EXPECT_EQ(folder.step, "open");
  EXPECT_EQ(folder.reason, folder_ + ": Is a directory");
  EXPECT_EQ(folder.cure, Cure::give_up);
}

TEST_F(InputTest, PassesAllRawBytesToTheTapEvenWhenTruncated) {
  const std::string text = long_text();
  for (const std::string& bytes : {text, gzip(text), zstd(text), gzip(text).substr(0, 10'000)}) {
    auto input = Input::open(file(bytes));
    ASSERT_TRUE(input);
    std::string tapped;
    (*input)->tap(append_to, &tapped);
    Failure failure;
    const std::string read = read_rest(**input, 4'096, failure);
    EXPECT_TRUE(bytes.size() == 10'000 ? !failure.step.empty() : read == text);
    EXPECT_TRUE(tapped == bytes);
    EXPECT_EQ((*input)->consumed(), bytes.size());
  }
}

TEST_F(InputTest, DetectsThatTheFileWasWrittenReplacedOrRemoved) {
  const std::string path = file("one\n");
  auto input = Input::open(path);
  ASSERT_TRUE(input);
  EXPECT_EQ((*input)->stamp().size, 4U);
  EXPECT_TRUE((*input)->is_unchanged().value_or(false));
  std::ofstream(path, std::ios::app) << "two\n";
  EXPECT_FALSE((*input)->is_unchanged().value_or(true));
  input = Input::open(path);
  std::filesystem::rename(file("one\ntwo\n", "other"), path);
  EXPECT_FALSE((*input)->is_unchanged().value_or(true));
  input = Input::open(path);
  std::filesystem::remove(path);
  EXPECT_FALSE((*input)->is_unchanged().value_or(true));
}

TEST_F(InputTest, ReadsAPipeThatDeliversOneByteAtATime) {
  const std::string path = folder_ + "/fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string packed = gzip("{}\n");
  std::jthread writer([&] {
    const Descriptor pipe(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    int unread = 0;
    for (const char byte : packed) {
      if (::write(pipe.number(), &byte, 1) != 1) std::abort();
      EXPECT_TRUE(eventually(
          [&] { return ::ioctl(pipe.number(), FIONREAD, &unread) == 0 && unread == 0; }));
    }
  });
  auto input = Input::open(path);
  ASSERT_TRUE(input);
  Failure failure;
  EXPECT_EQ(read_rest(**input, 100, failure), "{}\n");
  EXPECT_EQ(failure, Failure{});
  EXPECT_TRUE((*input)->is_unchanged().value_or(false));
}

// Restores the standard input of this process afterwards.
class StandardInput {
 public:
  explicit StandardInput(const Descriptor& file) : before_(::dup(STDIN_FILENO)) {
    ::dup2(file.number(), STDIN_FILENO);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() { ::dup2(before_.number(), STDIN_FILENO); }

 private:
  Descriptor before_;
};

TEST_F(InputTest, DashReadsStandardInputFromItsCurrentOffset) {
  const Descriptor opened(::open(file("one\ntwo\n").c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::lseek(opened.number(), 4, SEEK_SET), 4);
  const StandardInput standard_input(opened);
  auto input = Input::open("-");
  ASSERT_TRUE(input);
  Failure failure;
  EXPECT_EQ(read_rest(**input, 100, failure), "two\n");
  EXPECT_TRUE((*input)->is_unchanged().value_or(false));
}

TEST_F(InputTest, WaitsForNonBlockingStandardInput) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const Descriptor out(ends[0]);
  Descriptor in(ends[1]);
  const StandardInput standard_input(out);
  std::jthread writer([&] {
    for (const char byte : {'a', 'b', 'c', 'd', 'e', '\n'}) {
      std::this_thread::yield();
      if (::write(in.number(), &byte, 1) != 1) std::abort();
    }
    in.close();
  });
  EXPECT_EQ(contents_of("-").text, "abcde\n");
}

TEST_F(InputTest, StopInterruptsWaitingForAPipe) {
  const std::string path = folder_ + "/fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  const auto unwritten = Input::open(path, stop.get_token());  // the FIFO has no writer
  ASSERT_FALSE(unwritten);
  EXPECT_EQ(unwritten.error().cure, Cure::resume);
  const Descriptor pipe(::open(path.c_str(), O_RDWR | O_CLOEXEC));  // now it has a writer
  ASSERT_EQ(::write(pipe.number(), "{}\n{}\n", 6), 6);
  std::stop_source later;
  auto input = Input::open(path, later.get_token());
  ASSERT_TRUE(input);
  std::vector<char> some(100);
  ASSERT_TRUE((*input)->read(some));
  ASSERT_TRUE((*input)->read(some));
  std::jthread later_stopper([&] { later.request_stop(); });
  const auto size = (*input)->read(some);
  ASSERT_FALSE(size);
  EXPECT_EQ(size.error().step, "stopped");
}

}  // namespace
}  // namespace tidemill::jsonl
