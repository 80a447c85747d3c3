// The tables of rules, one for each area. Concatenated by rules.cc, they have the order of kGrades.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "tidemill/formats/epub/rules/rules.h"

namespace tidemill::epub {

[[nodiscard]] std::span<const Rule> content_rules();
[[nodiscard]] std::span<const Rule> package_rules();
[[nodiscard]] std::span<const Rule> file_rules();

[[nodiscard]] constexpr Rule rule(std::string_view id, std::string_view title,
                                  std::string_view trigger, std::string_view hint,
                                  Repairability repair = Repairability::none) {
  return {.id = id,
          .title = title,
          .trigger = trigger,
          .hint = hint,
          .repair = repair,
          .is_reported = true};
}

// A rule of EPUBCheck that none of our checks reports.
[[nodiscard]] constexpr Rule silent(std::string_view id, std::string_view title,
                                    std::string_view trigger, std::string_view hint,
                                    Repairability repair = Repairability::none) {
  return {.id = id, .title = title, .trigger = trigger, .hint = hint, .repair = repair};
}

// The ids of the table are a contiguous part of kGrades.
[[nodiscard]] constexpr bool follows_grades(std::span<const Rule> table) {
  const auto* first = std::ranges::find(kGrades, table.front().id, &Grade::id);
  const std::span grades(first, kGrades.end());
  return table.size() <= grades.size() &&
         std::ranges::equal(table, grades.first(table.size()), {}, &Rule::id, &Grade::id);
}

}  // namespace tidemill::epub
