#include "tidemill/formats/sqlite_pages/cells.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace tidemill::sqlite_pages {
namespace {

using std::string_view_literals::operator""sv;

CellValue null() { return {.type = CellType::null}; }
CellValue integer(std::int64_t number) { return {.type = CellType::integer, .integer = number}; }
CellValue real(double number) { return {.type = CellType::real, .real = number}; }
CellValue text(std::string_view bytes) { return {.type = CellType::text, .bytes = bytes}; }
CellValue blob(std::string_view bytes) { return {.type = CellType::blob, .bytes = bytes}; }

std::string payload(const std::vector<CellValue>& values, bool keeps_absent = false) {
  CellBatch cells(keeps_absent);
  cells.add(1, values);
  return std::string(cells.payload(cells.rows()[0]));
}

void expect_equal(const CellValue& a, const CellValue& b) {
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.integer, b.integer);
  EXPECT_EQ(a.real, b.real);
  EXPECT_EQ(a.bytes, b.bytes);
}

void expect_round_trip(const std::vector<CellValue>& values) {
  CellBatch cells;
  cells.add(7, values);
  std::vector<CellValue> back;
  cells.values(cells.rows()[0], back);
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t i = 0; i < back.size(); ++i) expect_equal(back[i], values[i]);
}

TEST(CellBatch, MatchesTheRecordFormatByteForByte) {
  EXPECT_EQ(payload({}), "\x02\x00"sv);
  EXPECT_EQ(payload({null(), CellValue{}}), "\x02\x00"sv);
  EXPECT_EQ(payload({}, true), "\x02\x0a"sv);
  EXPECT_EQ(payload({null(), integer(0), integer(1), integer(2)}), "\x05\x00\x08\x09\x01\x02"sv);
  EXPECT_EQ(payload({text("ab"), blob("c"), text("")}),
            "\x04\x11\x0e\x0d"
            "abc"sv);
  EXPECT_EQ(payload({real(1.5)}), "\x02\x07\x3f\xf8\x00\x00\x00\x00\x00\x00"sv);
  EXPECT_EQ(payload({integer(-1)}), "\x02\x01\xff"sv);
  EXPECT_EQ(payload({text(std::string(60, 'x'))}), "\x03\x81\x05" + std::string(60, 'x'));
}

TEST(CellBatch, StoresAnIntegerInTheFewestBytes) {
  const auto width = [](std::int64_t number) { return payload({integer(number)}).size() - 2; };
  constexpr std::int64_t kOne = 1;
  std::size_t before = 1;
  for (const auto& [bits, bytes] :
       {std::pair{7U, 1U}, {15U, 2U}, {23U, 3U}, {31U, 4U}, {47U, 6U}}) {
    EXPECT_EQ(width((kOne << bits) - 1), bytes);
    EXPECT_EQ(width(-(kOne << bits)), bytes);
    EXPECT_EQ(before, bytes);
    before = width(kOne << bits);
    EXPECT_EQ(width(-(kOne << bits) - 1), before);
    for (const std::int64_t by : {-1, 0, 1}) {
      expect_round_trip({integer((kOne << bits) + by), integer(-(kOne << bits) + by)});
    }
  }
  EXPECT_EQ(before, 8U);
  EXPECT_EQ(width(0), 0U);
  EXPECT_EQ(width(1), 0U);
  expect_round_trip({integer(std::numeric_limits<std::int64_t>::min()),
                     integer(std::numeric_limits<std::int64_t>::max())});
}

TEST(CellBatch, ReadsBackWhatWasAdded) {
  expect_round_trip({null(), real(-0.0), real(1e300), text(""), blob("\x00\xff"sv), integer(-5)});
  expect_round_trip({text("\xff\xfe no utf8"), blob(""), text("z")});
}

TEST(CellBatch, OmitsTrailingEmptyColumns) {
  EXPECT_EQ(payload({integer(1), CellValue{}, null(), CellValue{}}), payload({integer(1)}));
  EXPECT_EQ(payload({CellValue{}, integer(1)}), payload({null(), integer(1)}));
  EXPECT_EQ(payload({integer(1), null(), CellValue{}}, true), "\x03\x09\x00"sv);
  EXPECT_EQ(payload({CellValue{}, integer(1), CellValue{}}, true), "\x03\x0a\x09"sv);
}

TEST(CellBatch, StoresNanAsNull) {
  EXPECT_EQ(payload({real(std::numeric_limits<double>::quiet_NaN()), integer(1)}),
            "\x03\x00\x09"sv);
}

// The header includes its own size, so at 127 and 16383 bytes it grows by more than one byte.
TEST(CellBatch, IncludesTheSizeFieldInTheHeaderSize) {
  for (const std::size_t columns : {125U, 126U, 127U, 128U, 16380U, 16381U, 16382U, 32767U}) {
    std::vector<CellValue> values(columns, integer(2));
    values.back() = text("end");
    expect_round_trip(values);
    const std::size_t body = columns - 1 + 3;
    const std::size_t header = columns + (columns < 127 ? 1 : columns < 16382 ? 2 : 3);
    EXPECT_EQ(payload(values).size(), header + body);
  }
}

TEST(CellBatch, DoesNotCopyLargeValues) {
  const std::string large(kLarge, 'l');
  const std::string small(kLarge - 1, 's');
  const std::vector<CellValue> values{text(large), integer(9), blob(large), text(small),
                                      blob(large)};
  CellBatch cells;
  cells.add(1, std::vector{text("before")});
  cells.add(2, values);
  cells.add(3, std::vector{text(large)});
  const CellRow& row = cells.rows()[1];
  EXPECT_LT(cells.memory(), 2 * kLarge + 4096);
  std::vector<std::string_view> pieces;
  cells.pieces(row, pieces);
  std::string whole;
  std::size_t shared = 0;
  for (const auto& piece : pieces) {
    EXPECT_FALSE(piece.empty());
    whole += piece;
    if (piece.data() == large.data()) ++shared;
  }
  EXPECT_EQ(shared, 3U);
  EXPECT_EQ(whole.size(), row.payload);
  EXPECT_TRUE(whole.ends_with("\x09" + large + small + large));
  std::vector<CellValue> back;
  cells.values(row, back);
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t i = 0; i < back.size(); ++i) expect_equal(back[i], values[i]);
  cells.values(cells.rows()[2], back);
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(back[0].bytes, large);
}

TEST(CellBatch, CanBeReusedAfterClear) {
  CellBatch cells;
  cells.add(1, std::vector{text("one")});
  cells.clear();
  EXPECT_TRUE(cells.is_empty());
  cells.add(2, std::vector{text("two")});
  EXPECT_EQ(cells.rows().size(), 1U);
  EXPECT_EQ(cells.payload(cells.rows()[0]), "\x02\x13two"sv);
}

}  // namespace
}  // namespace tidemill::sqlite_pages
