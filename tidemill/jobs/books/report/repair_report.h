// RepairReport: what was done to one book, or would be, as a value that can be sent, kept and read
// again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/repair/plan.h"
#include "tidemill/jobs/books/report/book_report.h"

namespace tidemill::books {

enum class Fate : std::uint8_t {
  sound,     // no error: there is nothing to do
  declined,  // there are errors, and nothing that may be done about them
  planned,   // it can be mended; nothing was changed
  mended,
  errored,  // it could not be looked at, or the new file could not be put in place
};
[[nodiscard]] std::string_view name_of(Fate fate);

struct RepairReport {
  Fate fate = Fate::sound;
  std::string reason{};  // of declined and errored
  BookReport before{};
  BookReport after{};  // of planned and mended
  epub::Plan plan{};
  std::string output{};  // of mended: the new file
  std::string backup{};  // where the old one is; empty: nowhere, or it was not touched

  [[nodiscard]] bool is_better() const { return fate == Fate::planned || fate == Fate::mended; }

  bool operator==(const RepairReport&) const = default;
};

// Why a mended book must not take the place of the old one; empty: it may.
[[nodiscard]] std::string objection(const BookReport& before, const BookReport& after);

// The same by a second opinion: what other processes say of the old book and of the mended one,
// against what the process said that mended it. Nothing it claims is believed here: it has read
// hostile bytes.
[[nodiscard]] std::string contradiction(const RepairReport& said, const BookReport& before,
                                        const BookReport& after);

[[nodiscard]] std::string encoded(const RepairReport& report);
// Nothing: these bytes are no report.
[[nodiscard]] std::optional<RepairReport> decoded_repair(std::string_view bytes);

}  // namespace tidemill::books
