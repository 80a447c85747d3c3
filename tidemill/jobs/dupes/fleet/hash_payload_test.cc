#include "tidemill/jobs/dupes/fleet/hash_payload.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tidemill::dupes {
namespace {

using std::string_literals::operator""s;

RC_GTEST_PROP(HashPayloadTest, AnyPayloadSurvives, ()) {
  const HashPayload payload{.root = *rc::gen::arbitrary<std::uint64_t>(),
                            .algorithm = *rc::gen::arbitrary<std::uint8_t>(),
                            .stamp = {.inode = *rc::gen::arbitrary<std::uint64_t>(),
                                      .size = *rc::gen::arbitrary<std::uint64_t>(),
                                      .mtime_ns = *rc::gen::arbitrary<std::int64_t>(),
                                      .ctime_ns = *rc::gen::arbitrary<std::int64_t>()},
                            .path = *rc::gen::arbitrary<std::string>()};
  RC_ASSERT(unpack_hash_payload(pack(payload)) == payload);
}

RC_GTEST_PROP(HashPayloadTest, AnyBytesAreAPayloadOrGarbled, (const std::string& bytes)) {
  if (const auto payload = unpack_hash_payload(bytes)) {
    RC_ASSERT(unpack_hash_payload(pack(*payload)) == payload);
  }
}

TEST(HashPayloadTest, TimesAtBothEndsSurvive) {
  const HashPayload payload{.stamp = {.mtime_ns = std::numeric_limits<std::int64_t>::min(),
                                      .ctime_ns = std::numeric_limits<std::int64_t>::max()},
                            .path = "x"};
  EXPECT_EQ(unpack_hash_payload(pack(payload)), payload);
}

TEST(HashPayloadTest, WithoutTheDeviceOfTheCoordinator) {
  HashPayload payload{.path = "x"};
  const std::string bytes = pack(payload);
  payload.stamp.device = 7;
  EXPECT_EQ(pack(payload), bytes);
}

TEST(HashPayloadTest, CutOrWithAnUnknownAlgorithmIsGarbled) {
  const std::string whole = pack({.root = 300, .stamp = {.inode = 5, .size = 6}, .path = ""});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(unpack_hash_payload(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(unpack_hash_payload("\0\x80\x02\0\0\0\0path"s));
}

TEST(HashPayloadTest, PathOfAFileIsSplit) {
  EXPECT_EQ(split("name")->folder, "");
  EXPECT_EQ(split("name")->name, "name");
  EXPECT_EQ(split("a/b/..c")->folder, "a/b");
  EXPECT_EQ(split("a/b/..c")->name, "..c");
  EXPECT_EQ(split("\xff/new\nline")->name, "new\nline");
}

TEST(HashPayloadTest, PathThatIsNotThatOfAFileBelowIsRefused) {
  for (const std::string& path : {""s, "."s, ".."s, "/"s, "/etc/passwd"s, "a/"s, "a//b"s, "a/./b"s,
                                  "../a"s, "a/../b"s, "a/.."s, "a\0b"s, "a\0/../b"s}) {
    EXPECT_FALSE(split(path)) << path;
  }
}

}  // namespace
}  // namespace tidemill::dupes
