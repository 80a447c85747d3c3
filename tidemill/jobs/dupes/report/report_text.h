// TextReport: the findings as text for people.
//
//   1  3 copies of 4.2 MB, 8.4 MB reclaimable
//      keep  photos/a.jpg
//         =  photos/also-a.jpg        another name of the same file
//            backup/a.jpg
//       ref  archive/a.jpg            in a reference root: is kept, too
//            nas:/srv/a.jpg           on the host nas
//
// Names are escaped (formats/text/printable.h). Failures are not included: they are printed as
// messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/jobs/dupes/report/reporter.h"

namespace tidemill::dupes {

struct TextStyle {
  bool has_weight = false;  // headings bold, small print dim, by ANSI sequences
  bool has_totals = true;
  std::size_t top = 20;  // most groups, sets of folders and pairs to show; 0: all
};

// The totals as lines of a name and a value; also the end of the text report.
[[nodiscard]] std::string totals_text(const ScanTotals& totals, const TextStyle& style = {});

// One thread.
class TextReport final : public Reporter {
 public:
  TextReport(TextSink sink, TextStyle style) : style_(style), chunk_(std::move(sink)) {}

  [[nodiscard]] Result<void> begin(std::uint64_t groups) override;
  [[nodiscard]] Result<void> group(const Group& group) override;
  [[nodiscard]] bool wants_groups() const override;
  [[nodiscard]] Result<void> unique(const Copy& file) override;
  [[nodiscard]] Result<void> same_folders(const Folders& folders, const SameFolders& same) override;
  [[nodiscard]] Result<void> overlap(const Folders& folders, const Overlap& overlap) override;
  [[nodiscard]] Result<void> end(const ScanTotals& totals) override;

 private:
  enum class Part : std::uint8_t { groups, folders, overlaps, totals };

  // Ends the previous part with the number of findings that were not shown.
  void enter(Part part);
  [[nodiscard]] bool has_room() const { return style_.top == 0 || shown_ < style_.top; }
  void heading(std::string_view text);
  void small_print(std::string_view text);
  void path_line(std::string_view mark, const Copy& copy, const FileName& name);
  void names_of(std::string_view label, const std::vector<std::string_view>& names);

  const TextStyle style_;
  Chunk chunk_;
  Part part_ = Part::groups;
  std::uint64_t found_ = 0;  // of this part
  std::uint64_t shown_ = 0;
};

}  // namespace tidemill::dupes
