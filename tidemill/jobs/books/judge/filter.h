// Filter: which findings count, and how grave each is, by the wish of the user: some rules ignored,
// some raised or lowered, for all books or for those whose path matches. It is applied to reports
// when they are shown: the shelf keeps everything.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/walk/filter/globs.h"
#include "tidemill/jobs/books/report/book_report.h"

namespace tidemill::books {

// A finding as it is shown.
struct Remark {
  const epub::Finding* finding = nullptr;
  epub::Severity severity{};
};

// A book as it is shown. Its remarks point into the report it was made from.
struct Shown {
  std::string_view path{};
  const BookReport* report = nullptr;
  Verdict verdict = Verdict::valid;
  std::vector<Remark> remarks{};  // the gravest first, then in the order of finding
  std::map<epub::Severity, std::uint64_t> counts{};  // of what is not ignored, shown or not
  std::map<epub::RuleId, std::uint64_t> rules{};     // likewise
};

// Immutable once made.
class Filter {
 public:
  // "RSC-005", "drafts/**:RSC-005"; fails with kind usage.
  [[nodiscard]] Result<void> ignore(const std::string& text);
  // "RSC-005=warning", "drafts/**:RSC-005=info".
  [[nodiscard]] Result<void> regrade(const std::string& text);
  void show_from(epub::Severity severity) { least_ = severity; }

  // The report must outlive what is shown of it.
  [[nodiscard]] Shown look(std::string_view path, const BookReport& report) const;

 private:
  struct Exception {
    std::optional<walk::Glob> glob{};  // nothing: everywhere
    epub::RuleId rule;
    std::optional<epub::Severity> severity{};  // nothing: ignored
  };
  [[nodiscard]] static Result<Exception> exception_of(std::string_view text, std::string_view flag);
  [[nodiscard]] std::optional<epub::Severity> severity(std::string_view path,
                                                       epub::RuleId rule) const;

  std::vector<Exception> exceptions_;  // the last that fits counts
  epub::Severity least_ = epub::Severity::usage;
};

}  // namespace tidemill::books
