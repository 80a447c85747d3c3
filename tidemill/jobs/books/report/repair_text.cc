// For people: what was done to each book, or would be, and why what is left is left. First the
// books that can be mended; those that cannot are counted, and listed behind them when that is
// asked.
#include <algorithm>
#include <utility>

#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/books/repair/repair.h"

namespace tidemill::books {
namespace {

constexpr std::size_t kChangesShown = 30;  // of one book
constexpr std::size_t kDeclinedShown = 10;
constexpr std::size_t kDiffLines = 8;  // of one change: what it is like, not all of it

class RepairText final : public RepairWriter {
 public:
  explicit RepairText(RepairLook look) : look_(look) {}

  std::string begin(const Heading& /*heading*/) override { return {}; }

  std::string book(std::string_view path, const RepairReport& report) override {
    if (report.fate == Fate::sound) return {};
    std::string text = title(path, report);
    if (report.is_better()) text += changes(report.plan);
    text += declined(report.plan);
    if (!report.backup.empty()) text += "  the old book: " + text::printable(report.backup) + "\n";
    text += "\n";
    if (report.is_better()) return text;
    if (report.fate == Fate::errored || look_.has_declined) behind_ += text;
    return {};
  }

  std::string end(const RepairTotals& totals) override {
    std::string text = std::exchange(behind_, {});
    if (!look_.has_sums) return text;
    text += "Books: " + text::count_text(totals.found);
    if (totals.unchanged > 0) {
      text += " (" + text::count_text(totals.unchanged) + " known and unchanged)";
    }
    const auto add = [&](Fate fate, std::string_view what) {
      text += " " + std::string(what) + ": " + text::count_text(totals.count(fate)) + ".";
    };
    text += ".";
    add(Fate::sound, "Sound");
    if (look_.applies) add(Fate::mended, "Mended");
    if (!look_.applies) add(Fate::planned, "Can be mended");
    text += " Then without an error: " + text::count_text(totals.now_valid) + ".";
    add(Fate::declined, "Left as they are");
    add(Fate::errored, "Could not be worked on");
    text += " Time: " + text::duration_text(totals.elapsed) + ".\n";
    const std::uint64_t left = totals.count(Fate::declined);
    if (left > 0 && !look_.has_declined) {
      text += text::count_text(left) + (left == 1 ? " book has" : " books have") +
              " errors that no fixer mends; --show-declined lists " + (left == 1 ? "it" : "them") +
              ".\n";
    }
    if (!look_.applies && totals.count(Fate::planned) > 0) {
      text +=
          "Nothing was changed. --apply --output DIR writes mended copies, --apply --in-place "
          "mends the books themselves.\n";
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

  [[nodiscard]] std::string changes(const epub::Plan& plan) const {
    std::string text;
    std::size_t count = 0;
    for (const epub::Change& change : plan.changes) {
      if (++count > kChangesShown) {
        return text + "  ... and " + text::count_text(plan.changes.size() - kChangesShown) +
               " more changes; --json has them all\n";
      }
      text += "  " + painted("36", text::printable(change.name)) + "  " +
              (change.entry.empty() ? "" : text::printable(change.entry) + ": ") +
              text::printable(change.what) + "\n";
      if (look_.has_diffs) text += diff(change.diff);
    }
    return text;
  }

  // The lines are of the book: they are escaped, each for itself.
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

  [[nodiscard]] static std::string declined(const epub::Plan& plan) {
    std::string text;
    std::size_t count = 0;
    for (const epub::Declined& one : plan.declined) {
      if (++count > kDeclinedShown) {
        return text + "  ... and " + text::count_text(plan.declined.size() - kDeclinedShown) +
               " more that is left; --json has it all\n";
      }
      text += "  left: " + std::string(one.rule.text()) + "  " +
              (one.entry.empty() ? "" : text::printable(one.entry) + ": ") +
              text::printable(one.why) + "\n";
    }
    return text;
  }

  const RepairLook look_;
  std::string behind_{};  // books that are not mended: they come last
};

}  // namespace

std::unique_ptr<RepairWriter> repair_text(RepairLook look) {
  return std::make_unique<RepairText>(look);
}

}  // namespace tidemill::books
