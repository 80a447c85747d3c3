#include "tidemill/formats/jsonl/blocks.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tidemill::jsonl {
namespace {

// Returns its text in pieces of the given sizes, repeated, and then the end or a failure.
class PieceInput final : public Input {
 public:
  explicit PieceInput(std::string text, std::vector<std::size_t> pieces = {1'000'000'000},
                      bool fails = false)
      : text_(std::move(text)), pieces_(std::move(pieces)), fails_(fails) {}

  [[nodiscard]] Result<std::size_t> read(std::span<char> into) override {
    EXPECT_FALSE(has_ended_) << "read behind the end";
    EXPECT_FALSE(into.empty());
    const std::size_t piece = pieces_[round_++ % pieces_.size()];
    const std::size_t size = std::min({piece, into.size(), text_.size() - at_});
    std::copy_n(text_.data() + at_, size, into.data());
    at_ += size;
    has_ended_ = size == 0;
    if (has_ended_ && fails_) return fail(Cure::give_up, "inflate", "cut off");
    return size;
  }
  void tap(Tap /*to*/, void* /*context*/) override {}
  [[nodiscard]] Packing packing() const override { return Packing::none; }
  [[nodiscard]] const FileStamp& stamp() const override { return stamp_; }
  [[nodiscard]] Result<bool> is_unchanged() const override { return true; }
  [[nodiscard]] std::uint64_t consumed() const override { return at_; }

 private:
  std::string text_;
  std::vector<std::size_t> pieces_;
  bool fails_;
  std::size_t at_ = 0;
  std::size_t round_ = 0;
  bool has_ended_ = false;
  FileStamp stamp_{};
};

struct Line {
  std::uint64_t number = 0;
  std::uint64_t offset = 0;
  std::string text{};  // only its front, if it is too long
  std::uint64_t length = 0;
  bool has_end = true;

  bool operator==(const Line&) const = default;
  friend void PrintTo(const Line& line, std::ostream* out) {
    *out << line.number << "@" << line.offset << " '" << line.text << "' of " << line.length
         << (line.has_end ? "" : " without end");
  }
};

// The expected lines, computed the simple way.
std::vector<Line> split(std::string_view text, const BlockOptions& options) {
  std::vector<Line> lines;
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line(text.substr(at, end - at));
    const std::uint64_t length = line.size();
    if (length > options.longest.count) {
      line.resize(std::min(options.kept.count, options.longest.count));
    }
    lines.push_back({.number = lines.size() + 1,
                     .offset = at,
                     .text = std::move(line),
                     .length = length,
                     .has_end = end < text.size()});
    at = end + 1;
  }
  return lines;
}

void add_lines(const Block& block, std::vector<Line>& lines) {
  for (std::size_t i = 0; i < block.lines(); ++i) {
    const std::string_view line = block.line(i);
    lines.push_back({.number = block.first_line + i,
                     .offset = block.offset_of(i),
                     .text = std::string(line),
                     .length = block.too_long > 0 ? block.too_long : line.size(),
                     .has_end = i + 1 < block.lines() || !block.is_cut});
  }
}

// The block is within its limits, and kPadding zeros follow it.
void check_block(const Block& block, const BlockOptions& options) {
  ASSERT_GT(block.lines(), 0U);
  ASSERT_TRUE(block.lines() == 1 || (block.too_long == 0 && block.size <= options.size.count));
  ASSERT_EQ(block.too_long > 0, block.too_long > options.longest.count);
  ASSERT_GE(block.buffer.capacity(), block.size);
  ASSERT_EQ(std::string_view(block.buffer.data() + block.size, kPadding),
            std::string(kPadding, '\0'));
}

std::vector<Line> read_all(BlockReader& reader, const BlockOptions& options,
                           Failure* failure = nullptr) {
  std::vector<Line> lines;
  Block block;
  while (true) {
    const auto more = reader.next(block);
    if (!more && failure != nullptr) *failure = more.error();
    EXPECT_TRUE(more || failure != nullptr) << text_of(more.error());
    if (!more || !*more) return lines;
    check_block(block, options);
    add_lines(block, lines);
  }
}

std::vector<Line> lines_of(const std::string& text, const BlockOptions& options = {}) {
  PieceInput input(text);
  BlockReader reader(input, options);
  return read_all(reader, options);
}

TEST(Blocks, DoNotIncludeAnEmptyLastLine) {
  EXPECT_EQ(lines_of("").size(), 0U);
  EXPECT_EQ(lines_of("\n").size(), 1U);
  EXPECT_EQ(lines_of("a\n").size(), 1U);
  EXPECT_EQ(lines_of("a\n\n").size(), 2U);
  EXPECT_EQ(lines_of("\xef\xbb\xbf").size(), 0U);
}

TEST(Blocks, ByteOrderMarkCountsInOffsetsButIsNotInTheFirstLine) {
  const auto lines = lines_of(
      "\xef\xbb\xbf"
      "a\n\xef\xbb\xbf"
      "b");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], (Line{.number = 1, .offset = 3, .text = "a", .length = 1}));
  EXPECT_EQ(lines[1].offset, 5U);
  EXPECT_EQ(lines[1].text.size(), 4U);
}

// Lines, blocks, the longest line and single reads have similar sizes, so that all boundaries
// coincide in some case.
RC_GTEST_PROP(Blocks, ContainTheLinesOfTheTextForAnyReadSize, ()) {
  const BlockOptions options{.size = {*rc::gen::inRange<std::uint64_t>(3, 40)},
                             .longest = {*rc::gen::inRange<std::uint64_t>(1, 60)},
                             .kept = {*rc::gen::inRange<std::uint64_t>(0, 70)}};
  const auto pieces = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 50)));
  const auto lengths = *rc::gen::container<std::vector<int>>(
      rc::gen::oneOf(rc::gen::inRange(0, 8), rc::gen::inRange(0, 150)));
  std::string text = *rc::gen::arbitrary<bool>() ? "\xef\xbb\xbf" : "";
  for (const int length : lengths) {
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + text.size() % 26);
    text += '\n';
  }
  if (!text.empty() && *rc::gen::arbitrary<bool>()) text.pop_back();
  PieceInput input(text, pieces);
  BlockReader reader(input, options);
  const auto found = read_all(reader, options);
  RC_ASSERT(found == split(text, options));
  RC_ASSERT(reader.lines() == found.size());
  RC_ASSERT(reader.bytes() == text.size());
}

TEST(Blocks, DeliverCompleteLinesBeforeAFailure) {
  for (const std::size_t size : {3U, 4U, 100U}) {
    const BlockOptions options{.size = {size}};
    PieceInput input("one\ntwo\nthr", {2, 5}, true);
    BlockReader reader(input, options);
    Failure failure;
    const auto lines = read_all(reader, options, &failure);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[1].text, "two");
    EXPECT_EQ(failure.step, "inflate");
    Block block;
    EXPECT_FALSE(reader.next(block)) << "and it fails again, without another read";
  }
}

TEST(Blocks, DropATooLongLineThatEndsInAFailure) {
  const BlockOptions options{.size = {8}, .longest = {10}, .kept = {4}};
  PieceInput input("one\n" + std::string(50, 'x'), {7}, true);
  BlockReader reader(input, options);
  Failure failure;
  EXPECT_EQ(read_all(reader, options, &failure).size(), 1U);
  EXPECT_EQ(failure.step, "inflate");
}

TEST(Blocks, PutATooLongLastLineWithoutNewlineInItsOwnBlock) {
  const BlockOptions options{.size = {40}, .longest = {10}, .kept = {4}};
  const std::string text = "one\n" + std::string(20, 'x');
  EXPECT_EQ(lines_of(text, options), split(text, options));
}

TEST(Blocks, ReleaseTheBufferOfAGiantLine) {
  const BlockOptions options{.size = kib(1)};
  PieceInput input(std::string(1'000'000, 'x') + "\nshort\n");
  BlockReader reader(input, options);
  Block block;
  ASSERT_TRUE(reader.next(block).value_or(false));
  EXPECT_EQ(block.line(0).size(), 1'000'000U);
  ASSERT_TRUE(reader.next(block).value_or(false));
  EXPECT_EQ(block.line(0), "short");
  EXPECT_LE(block.buffer.capacity(), 4'096U);
}

TEST(Blocks, ReadATooLongLineInBoundedMemory) {
  const BlockOptions options{.size = kib(4), .longest = kib(64), .kept = kib(1)};
  PieceInput input("a\n" + std::string(10'000'000, 'x') + "\nb");
  BlockReader reader(input, options);
  Block block;
  ASSERT_TRUE(reader.next(block).value_or(false));
  ASSERT_TRUE(reader.next(block).value_or(false));
  EXPECT_EQ(block.too_long, 10'000'000U);
  EXPECT_EQ(block.line(0), std::string(1'024, 'x'));
  EXPECT_LE(block.buffer.capacity(), 64U * 1'024);
  ASSERT_TRUE(reader.next(block).value_or(false));
  EXPECT_EQ(block.line(0), "b");
  EXPECT_EQ(block.offset, 10'000'003U);
  EXPECT_TRUE(block.is_cut);
}

TEST(Blocks, RefillAMovedFromBlock) {
  const BlockOptions options{.size = {4}};
  PieceInput input("one\ntwo\n");
  BlockReader reader(input, options);
  Block block;
  ASSERT_TRUE(reader.next(block).value_or(false));
  const Block first = std::move(block);
  ASSERT_TRUE(reader.next(block).value_or(false));
  EXPECT_EQ(first.line(0), "one");
  EXPECT_EQ(block.line(0), "two");
}

}  // namespace
}  // namespace tidemill::jsonl
