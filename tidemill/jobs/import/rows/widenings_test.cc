#include "tidemill/jobs/import/rows/widenings.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

namespace tidemill::import {
namespace {

Column seen(std::initializer_list<std::tuple<Seen, std::size_t, std::uint64_t>> sights) {
  Column column{.name = "c"};
  for (const auto& [bit, file, line] : sights) {
    column.seen |= bit;
    std::size_t at = 0;
    while ((bit >> at & 1U) == 0) ++at;
    column.first_file[at] = file;
    column.first_line[at] = line;
  }
  return column;
}

std::string widened(const Column& column) {
  std::string all;
  for (const Widening& one : widenings_of("t", {.columns = {column}})) {
    all += std::string(name_of(one.from)) + ">" + std::string(name_of(one.to)) + " " +
           std::to_string(one.file) + ":" + std::to_string(one.line) + " " + one.seen + "; ";
  }
  return all;
}

TEST(Widenings, ReportTheFirstOccurrenceInReadingOrder) {
  EXPECT_EQ(widened(seen({{kSeenInteger, 0, 1}, {kSeenNull, 0, 2}, {kSeenBool, 0, 3}})), "");
  EXPECT_EQ(widened(seen({{kSeenNull, 0, 1}, {kSeenString, 0, 9}})), "");
  EXPECT_EQ(widened(seen({{kSeenString, 1, 2}, {kSeenReal, 0, 7}, {kSeenInteger, 0, 5}})),
            "INTEGER>REAL 0:7 a number with a fraction; REAL>TEXT 1:2 a string; ");
  EXPECT_EQ(widened(seen({{kSeenString, 0, 1}, {kSeenInteger, 0, 2}})), "");
  EXPECT_EQ(widened(seen({{kSeenReal, 0, 1}, {kSeenInteger, 0, 4}, {kSeenWide, 0, 4}})),
            "REAL>TEXT 0:4 an integer that a double cannot hold; ");
  // An earlier import saw integers.
  EXPECT_EQ(widened(seen({{kSeenInteger, 0, 0}, {kSeenJson, 0, 3}})),
            "INTEGER>TEXT 0:3 an object or a list; ");
  Column forced = seen({{kSeenInteger, 0, 1}, {kSeenString, 0, 2}});
  forced.forced = ColumnType::integer;
  EXPECT_EQ(widened(forced), "");
}

TEST(Widenings, ATypeDoesNotDependOnTheOrder) {
  EXPECT_EQ(type_of(kSeenNull), ColumnType::none);
  EXPECT_EQ(type_of(kSeenBool | kSeenNull), ColumnType::integer);
  EXPECT_EQ(type_of(kSeenInteger | kSeenWide), ColumnType::integer);
  EXPECT_EQ(type_of(kSeenInteger | kSeenReal), ColumnType::real);
  EXPECT_EQ(type_of(kSeenInteger | kSeenWide | kSeenReal), ColumnType::text);
  EXPECT_EQ(type_of(kSeenExact), ColumnType::text);
  EXPECT_EQ(type_named("Integer"), ColumnType::integer);
  EXPECT_EQ(type_named("int"), std::nullopt);
  EXPECT_EQ(type_named(""), std::nullopt);
}

}  // namespace
}  // namespace tidemill::import
