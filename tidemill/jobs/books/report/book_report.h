// BookReport: what was found out about one book, as a value that can be sent, kept and read again.
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

enum class Format : std::uint8_t { unknown, epub2, epub3, pdf };
[[nodiscard]] std::string_view name_of(Format format);

// errored: the book could not be looked at to its end (it crashed the check, or took too long).
enum class Verdict : std::uint8_t { valid, invalid, errored };
[[nodiscard]] std::string_view name_of(Verdict verdict);

struct BookReport {
  Format format = Format::unknown;
  bool is_errored = false;
  std::string title{};
  std::uint64_t pages = 0;  // of a PDF
  std::vector<epub::Finding> findings{};
  // How often each rule was broken, with the places that were not kept.
  std::map<epub::RuleId, std::uint64_t> counts{};
  // What a second checker found, when one was asked.
  std::optional<std::vector<epub::Finding>> second{};

  [[nodiscard]] Verdict verdict() const;
  [[nodiscard]] std::uint64_t count(epub::Severity severity) const;
  [[nodiscard]] std::uint64_t errors() const;  // and fatal ones
  void add(epub::Finding finding);

  bool operator==(const BookReport&) const = default;
};

[[nodiscard]] BookReport report_of(Format format, const epub::Findings& findings);

[[nodiscard]] std::string encoded(const BookReport& report);
// Nothing: these bytes are no report. They may come from a process that was taken over.
[[nodiscard]] std::optional<BookReport> decoded(std::string_view bytes);

// A book that could not be looked at to its end, to be reported under this rule.
[[nodiscard]] inline std::unexpected<Failure> fail_as(std::string_view rule, std::string reason) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = std::string(rule),
                                 .reason = std::move(reason),
                                 .subject = std::string(rule)});
}

}  // namespace tidemill::books
