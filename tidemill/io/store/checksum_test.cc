#include "tidemill/io/store/checksum.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tidemill/io/store/db.h"
#include "tidemill/io/store/transaction.h"

namespace tidemill::store {
namespace {

constexpr std::string_view kScripts[] = {"create table t(a, b)"};
constexpr DbFormat kFormat{.name = "thing", .application_id = 4711, .scripts = kScripts};

TEST(Checksum, DependsOnEveryBitTheOrderAndTheBoundaries) {
  const std::string name = "a name of some length";
  const auto right = checksum_of(std::int64_t{1}, name);
  for (std::size_t bit = 0; bit < 8 * name.size(); ++bit) {
    std::string flipped = name;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(checksum_of(std::int64_t{1}, flipped), right) << bit;
  }
  EXPECT_NE(checksum_of(name, std::int64_t{1}), right);
  EXPECT_NE(checksum_of(std::string("ab"), std::string("c")),
            checksum_of(std::string("a"), std::string("bc")));
  EXPECT_NE(checksum_of(std::string(8, '\0')), checksum_of(std::int64_t{0}));
}

TEST(Checksum, IsTheSameInSql) {
  auto db = Db::open(":memory:");
  ASSERT_TRUE(migrate(*db, kFormat));
  const std::string bytes("\0\xff z", 4);
  auto select = db->prepare("select checksum(?1, ?2, ?3, null)");
  ASSERT_TRUE(select);
  EXPECT_EQ(select->one<std::int64_t>(std::int64_t{-7}, Blob{bytes}, std::string_view("text")),
            checksum_of(std::int64_t{-7}, bytes, std::string_view("text"), std::string_view()));
}

TEST(Checksum, FitsIntoFourBytesAndNeverChanges) {
  // Stored in files: must never change.
  EXPECT_EQ(checksum_of(std::int64_t{1}, std::string_view("name")), 989'598'933);
  for (std::int64_t i = 0; i < 1'000; ++i) {
    EXPECT_GE(checksum_of(i), 0);
    EXPECT_LT(checksum_of(i), std::int64_t{1} << 31);
  }
}

}  // namespace
}  // namespace tidemill::store
