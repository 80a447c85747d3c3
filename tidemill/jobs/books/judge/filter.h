// Filter: the user's choice of which findings count and how severe they are. Rules can be ignored,
// raised or lowered, for all books or for books whose path matches a glob. The filter is applied
// when reports are shown; the cache keeps everything.
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

// A finding with the severity it is shown with.
struct Remark {
  const epub::Finding* finding = nullptr;
  epub::Severity severity{};
};

// A book as it is shown. Points into the report it was made from.
struct Shown {
  std::string_view path{};
  const BookReport* report = nullptr;
  BookStatus status = BookStatus::valid;
  std::vector<Remark> remarks{};  // the most severe first, then in the order of finding
  std::map<epub::Severity, std::uint64_t> counts{};  // of all findings not ignored, shown or not
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

  // The report must outlive the result.
  [[nodiscard]] Shown look(std::string_view path, const BookReport& report) const;

 private:
  struct Exception {
    std::optional<walk::Glob> glob{};  // empty: all books
    epub::RuleId rule;
    std::optional<epub::Severity> severity{};  // empty: ignored
  };
  [[nodiscard]] static Result<Exception> exception_of(std::string_view text, std::string_view flag);
  [[nodiscard]] std::optional<epub::Severity> severity(std::string_view path,
                                                       epub::RuleId rule) const;

  std::vector<Exception> exceptions_;  // the last match wins
  epub::Severity least_ = epub::Severity::usage;
};

}  // namespace tidemill::books
