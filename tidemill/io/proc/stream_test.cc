#include "tidemill/io/proc/stream.h"

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/testing/own_folder.h"

namespace tidemill::proc {
namespace {

TEST(Stream, DoesNotWaitOnAnEmptyPipe) {
  Stream stream;
  std::vector<char> buffer(64);
  ASSERT_TRUE(stream.open(100, ""));
  EXPECT_EQ(stream.take(buffer).value(), 0U);  // the child has read it first
  EXPECT_TRUE(stream.take_rest(buffer));
  EXPECT_EQ(stream.finish().total, 0U);
}

TEST(Stream, TakesTheRestOfAPipeThatHoldsMoreThanTheBuffer) {
  Stream stream;
  std::vector<char> buffer(1000);
  ASSERT_TRUE(stream.open(1 << 20U, ""));
  const std::string text(60'000, 'x');
  ASSERT_EQ(::write(stream.write_end(), text.data(), text.size()), 60'000);
  ASSERT_TRUE(stream.take_rest(buffer));
  EXPECT_EQ(stream.finish().head, text);
}

TEST(Stream, TakeRestDoesNotFollowDataThatKeepsArriving) {
  const testing::OwnFolder folder;
  Stream stream;
  std::vector<char> buffer(10);
  ASSERT_TRUE(stream.open(0, folder / "spill"));
  // The spill file is the pipe itself: every byte that is read is written to it again.
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(stream.write_end()),
                                  folder / "spill");
  ASSERT_EQ(::write(stream.write_end(), "01234567890123456789", 20), 20);
  ASSERT_TRUE(stream.take_rest(buffer));
  EXPECT_EQ(stream.finish().total, 30U);  // one buffer, then what the pipe held after it
}

TEST(Stream, CountsBytesBeyondTheCapWithoutASpill) {
  Stream stream;
  std::vector<char> buffer(4);
  ASSERT_TRUE(stream.open(5, ""));
  ASSERT_EQ(::write(stream.write_end(), "0123456789", 10), 10);
  ASSERT_TRUE(stream.take_rest(buffer));
  const Captured captured = stream.finish();
  EXPECT_EQ(captured.head, "01234");
  EXPECT_EQ(captured.total, 10U);
  EXPECT_EQ(captured.spill, "");
}

}  // namespace
}  // namespace tidemill::proc
