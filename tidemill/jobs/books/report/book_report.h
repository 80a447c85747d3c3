// BookReport: the findings about one book, as a value that can be encoded, stored and decoded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/epub/rules/finding.h"
#include "tidemill/formats/epub/rules/rules.h"

namespace tidemill::books {

enum class BookFormat : std::uint8_t { unknown, epub2, epub3, pdf };
[[nodiscard]] std::string_view name_of(BookFormat format);

// errored: the check did not complete (the book crashed it, or took too long).
enum class BookStatus : std::uint8_t { valid, invalid, errored };
[[nodiscard]] std::string_view name_of(BookStatus status);

struct BookReport {
  BookFormat format = BookFormat::unknown;
  bool is_errored = false;
  std::string title{};
  std::uint64_t pages = 0;  // of a PDF
  std::vector<epub::Finding> findings{};
  // Violations per rule, including places that were counted but not kept in `findings`.
  std::map<epub::RuleId, std::uint64_t> counts{};
  // The findings of a second checker, if one was used.
  std::optional<std::vector<epub::Finding>> second{};

  [[nodiscard]] BookStatus status() const;
  [[nodiscard]] std::uint64_t count(epub::Severity severity) const;
  [[nodiscard]] std::uint64_t errors() const;  // including fatal ones
  void add(epub::Finding finding);

  bool operator==(const BookReport&) const = default;
};

[[nodiscard]] BookReport report_of(BookFormat format, const epub::Findings& findings);

[[nodiscard]] std::string encoded(const BookReport& report);
// Empty if the bytes are not a valid report. They may come from a compromised process.
[[nodiscard]] std::optional<BookReport> decoded(std::string_view bytes);

// The Failure of a book whose check did not complete, to be reported under this rule.
[[nodiscard]] inline std::unexpected<Failure> fail_as(std::string_view rule, std::string reason) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = std::string(rule),
                                 .reason = std::move(reason),
                                 .subject = std::string(rule)});
}

}  // namespace tidemill::books
