// The repair report as text: what was or would be done to each book, and why the rest was not.
// Repairable books come first; the others are counted, and listed after them on request.
#include <algorithm>
#include <utility>

#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/books/repair/repair.h"

namespace tidemill::books {
namespace {

constexpr std::size_t kChangesShown = 30;  // of one book
constexpr std::size_t kDeclinedShown = 10;
constexpr std::size_t kDiffLines = 8;  // of one change: an excerpt

class RepairText final : public RepairWriter {
 public:
  explicit RepairText(RepairLook look) : look_(look) {}

  std::string begin(const Heading& /*heading*/) override { return {}; }

  std::string book(std::string_view path, const RepairReport& report) override {
    if (report.fate == Fate::sound) return {};
    std::string text = title(path, report);
    if (report.is_better()) text += changes(report.plan);
    text += declined(report.plan);
    if (!report.backup.empty()) text += "  backup: " + text::printable(report.backup) + "\n";
    text += "\n";
    if (report.is_better()) return text;
    if (report.fate == Fate::errored || look_.has_declined) behind_ += text;
    return {};
  }

  std::string end(const RepairTotals& totals) override {
    std::string text = std::exchange(behind_, {});
    if (!look_.has_sums) return text;
    text += text::counted(totals.found, "book");
    if (totals.unchanged > 0) {
      text += " (" + text::count_text(totals.unchanged) + " unchanged)";
    }
    const auto add = [&](std::string_view gap, Fate fate, std::string_view what) {
      text += std::string(gap) + text::count_text(totals.count(fate)) + " " + std::string(what);
    };
    add(": ", Fate::sound, "valid");
    if (look_.applies) add(", ", Fate::repaired, "repaired");
    if (!look_.applies) add(", ", Fate::planned, "repairable");
    add(", ", Fate::declined, "skipped");
    add(", ", Fate::errored, "failed");
    text += ". Valid after repair: " + text::count_text(totals.now_valid) +
            ". Time: " + text::duration_text(totals.elapsed) + ".\n";
    const std::uint64_t left = totals.count(Fate::declined);
    if (left > 0 && !look_.has_declined) {
      text += text::count_text(left) + (left == 1 ? " skipped book has" : " skipped books have") +
              " errors that no fixer can repair; use --show-skipped to list " +
              (left == 1 ? "it" : "them") + ".\n";
    }
    if (!look_.applies && totals.count(Fate::planned) > 0) {
      text +=
          "Nothing was changed. Use --apply --output DIR to write repaired copies, or --apply "
          "--in-place to repair the books themselves.\n";
    }
    return text;
  }

 private:
  [[nodiscard]] std::string painted(std::string_view colour, std::string text) const {
    if (!look_.has_colour) return text;
    return "\x1b[" + std::string(colour) + "m" + text + "\x1b[0m";
  }

  [[nodiscard]] std::string title(std::string_view path, const RepairReport& report) const {
    std::string fate(name_of(report.fate));
    fate.resize(9, ' ');
    std::string text =
        painted(report.is_better() ? "32" : "33", fate) + painted("1", text::printable(path));
    if (report.is_better()) {
      text += "  errors: " + text::count_text(report.before.errors()) + " -> " +
              text::count_text(report.after.errors());
    }
    if (!report.reason.empty()) text += "  " + text::printable(report.reason);
    return text + "\n";
  }

  [[nodiscard]] std::string changes(const epub::RepairPlan& plan) const {
    std::string text;
    std::size_t count = 0;
    for (const epub::Change& change : plan.changes) {
      if (++count > kChangesShown) {
        return text + "  ... and " + text::count_text(plan.changes.size() - kChangesShown) +
               " more changes; use --json to list all\n";
      }
      text += "  " + painted("36", text::printable(change.name)) + "  " +
              (change.entry.empty() ? "" : text::printable(change.entry) + ": ") +
              text::printable(change.what) + "\n";
      if (look_.has_diffs) text += diff(change.diff);
    }
    return text;
  }

  // The lines come from the book, so each one is escaped.
  [[nodiscard]] std::string diff(std::string_view lines) const {
    std::string text;
    for (std::size_t count = 0; !lines.empty(); ++count) {
      if (count == kDiffLines) {
        const auto more = static_cast<std::uint64_t>(std::ranges::count(lines, '\n')) +
                          (lines.ends_with('\n') ? 0U : 1U);
        return text + "      " + painted("2", "... " + text::count_text(more) + " more lines") +
               "\n";
      }
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      const std::string_view line = lines.substr(0, end);
      lines.remove_prefix(std::min(end + 1, lines.size()));
      const std::string_view colour = line.starts_with('-')   ? "31"
                                      : line.starts_with('+') ? "32"
                                                              : "2";
      text += "      " + painted(colour, text::fit(line, 160)) + "\n";
    }
    return text;
  }

  [[nodiscard]] static std::string declined(const epub::RepairPlan& plan) {
    std::string text;
    std::size_t count = 0;
    for (const epub::Declined& one : plan.declined) {
      if (++count > kDeclinedShown) {
        return text + "  ... and " + text::count_text(plan.declined.size() - kDeclinedShown) +
               " more that are not repaired; use --json to list all\n";
      }
      text += "  not repaired: " + std::string(one.rule.text()) + "  " +
              (one.entry.empty() ? "" : text::printable(one.entry) + ": ") +
              text::printable(one.why) + "\n";
    }
    return text;
  }

  const RepairLook look_;
  std::string behind_{};  // books that are not repaired come last
};

}  // namespace

std::unique_ptr<RepairWriter> repair_text(RepairLook look) {
  return std::make_unique<RepairText>(look);
}

}  // namespace tidemill::books
