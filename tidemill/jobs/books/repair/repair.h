// books repair: the job as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/sandbox/nursery.h"
#include "tidemill/jobs/books/check.h"
#include "tidemill/jobs/books/repair/repair_options.h"
#include "tidemill/jobs/books/report/repair_report.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::books {

struct RepairTotals {
  std::uint64_t found = 0;
  std::uint64_t unchanged = 0;  // of them, known from the shelf
  std::map<Fate, std::uint64_t> fates{};
  std::map<std::string, std::uint64_t> fixers{};  // books that each acted on
  std::uint64_t now_valid = 0;  // of those planned or mended, without an error left
  std::uint64_t left = 0;       // books with errors that stay, or that could not be worked on
  std::chrono::nanoseconds elapsed{0};

  void add(const RepairReport& report);
  [[nodiscard]] std::uint64_t count(Fate fate) const;
};

// The outcome of a repair in one format; each call answers the text to be written next.
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
  bool has_declined = false;  // books that no fixer mends are listed, not only counted
};

[[nodiscard]] std::unique_ptr<RepairWriter> repair_text(RepairLook look);
[[nodiscard]] std::unique_ptr<RepairWriter> repair_json(bool has_lines);

// Fails with Cure::resume when it was stopped: what was mended is mended, and the same command goes
// on with the rest.
[[nodiscard]] Result<RepairTotals> repair(const RepairOptions& options,
                                          const sandbox::Nursery& nursery, const Heading& heading,
                                          RepairWriter& writer, const Out& out,
                                          command::Context& context);

}  // namespace tidemill::books
