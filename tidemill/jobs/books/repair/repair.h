// `books repair`: finds books, repairs them in sandboxes and reports what was or would be done.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/epub/rules/rule_id.h"
#include "tidemill/io/sandbox/fork_server.h"
#include "tidemill/jobs/books/check.h"
#include "tidemill/jobs/books/repair/repair_options.h"
#include "tidemill/jobs/books/report/repair_report.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::books {

// Of one rule, in all books.
struct RepairTally {
  std::uint64_t repairs = 0;  // changes
  std::uint64_t books = 0;
};

struct RepairTotals {
  std::uint64_t found = 0;
  std::uint64_t unchanged = 0;  // of them, taken from the cache
  std::map<Fate, std::uint64_t> fates{};
  std::map<std::string, std::uint64_t> fixers{};  // books that each fixer acted on
  std::map<epub::RuleId, RepairTally> rules{};    // whose findings were or would be repaired
  std::uint64_t now_valid = 0;                    // planned or repaired, with no error left
  std::uint64_t left = 0;  // books that keep errors or could not be processed
  std::chrono::nanoseconds elapsed{0};

  void add(const RepairReport& report);
  [[nodiscard]] std::uint64_t count(Fate fate) const;
};

// Formats the outcome of a repair; each call returns the text to write next.
class RepairWriter {
 public:
  RepairWriter() = default;
  RepairWriter(const RepairWriter&) = delete;
  RepairWriter& operator=(const RepairWriter&) = delete;
  virtual ~RepairWriter() = default;

  [[nodiscard]] virtual std::string begin(const Heading& heading) = 0;
  [[nodiscard]] virtual std::string book(std::string_view path, const RepairReport& report) = 0;
  [[nodiscard]] virtual std::string end(const RepairTotals& totals) = 0;
};

struct RepairLook {
  bool has_colour = false;
  bool has_diffs = true;
  bool applies = false;
  bool has_sums = true;
  bool has_declined = false;  // list books that no fixer repairs, instead of counting them only
};

[[nodiscard]] std::unique_ptr<RepairWriter> repair_text(RepairLook look);
[[nodiscard]] std::unique_ptr<RepairWriter> repair_json(bool has_lines);

// Fails with Cure::resume when it was stopped: finished books stay repaired, and the same command
// continues with the rest.
[[nodiscard]] Result<RepairTotals> repair(const RepairOptions& options,
                                          const sandbox::ForkServer& fork_server,
                                          const Heading& heading, RepairWriter& writer,
                                          const Out& out, command::Context& context);

}  // namespace tidemill::books
