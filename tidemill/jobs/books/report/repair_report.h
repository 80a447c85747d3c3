// RepairReport: what was or would be done to one book, as a value that can be encoded, stored and
// decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/repair/plan.h"
#include "tidemill/jobs/books/report/book_report.h"

namespace tidemill::books {

enum class Fate : std::uint8_t {
  sound,     // no errors: nothing to do
  declined,  // has errors, but none that may be repaired
  planned,   // it can be repaired; nothing was changed
  repaired,
  errored,  // it could not be checked, or the new file could not be put in place
};
[[nodiscard]] std::string_view name_of(Fate fate);

struct RepairReport {
  Fate fate = Fate::sound;
  std::string reason{};  // of declined and errored
  BookReport before{};
  BookReport after{};  // of planned and repaired
  epub::RepairPlan plan{};
  std::string output{};  // of repaired: the new file
  std::string backup{};  // path of the old book; empty: no backup, or the book was not changed

  [[nodiscard]] bool is_better() const { return fate == Fate::planned || fate == Fate::repaired; }

  bool operator==(const RepairReport&) const = default;
};

// Why a repaired book must not replace the old one; empty if it may.
[[nodiscard]] std::string objection(const BookReport& before, const BookReport& after);

// The same check, based on independent reports: `before` and `after` come from other processes than
// `said`, which comes from the process that repaired the book. That process has read hostile bytes,
// so its claims are not trusted.
[[nodiscard]] std::string contradiction(const RepairReport& said, const BookReport& before,
                                        const BookReport& after);

[[nodiscard]] std::string encoded(const RepairReport& report);
// Empty if the bytes are not a valid report.
[[nodiscard]] std::optional<RepairReport> decoded_repair(std::string_view bytes);

}  // namespace tidemill::books
