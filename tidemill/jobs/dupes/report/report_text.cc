#include "tidemill/jobs/dupes/report/report_text.h"

#include <algorithm>
#include <cmath>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/dupes/report/folders.h"
#include "tidemill/jobs/dupes/report/overlap.h"

namespace tidemill::dupes {
namespace {

using text::bytes_text;
using text::count_text;
using text::counted;

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kPlain = "\x1b[0m";
constexpr std::string_view kIndent = "         ";
constexpr std::size_t kNamesShown = 5;  // of the files that only one of two folders has

std::string weighted(std::string_view text, std::string_view weight, const TextStyle& style) {
  if (!style.has_weight) return std::string(text);
  return std::string(weight).append(text).append(kPlain);
}

// "1 file", "1,234 files".
std::string heading_of(const Group& group) {
  const std::uint64_t bytes = reclaimable_bytes(group);
  return count_text(group.number) + "  " + counted(group.copies.size(), "copy", "copies") + " of " +
         bytes_text({group.size}) +
         (bytes == 0 ? ", nothing reclaimable" : ", " + bytes_text({bytes}) + " reclaimable");
}

std::string_view mark_of(const Copy& copy, bool is_kept) {
  if (is_kept) return "keep";
  return std::ranges::any_of(copy.names, &FileName::is_reference) ? "ref" : "";
}

void append_total(std::string& out, std::string_view name, std::string_view value,
                  const TextStyle& style) {
  constexpr std::size_t kWidth = 17;
  const std::string padded = std::string(name).append(kWidth - name.size(), ' ');
  out += weighted(padded, kDim, style);
  out.append(value).append("\n");
}

// Rounded down: 100 % means no difference.
std::string percent_text(double share) {
  return std::to_string(static_cast<int>(std::floor(share * 100))) + " %";
}

std::vector<std::string_view> names_at(const ReportFolder& folder,
                                       const std::vector<std::size_t>& files) {
  std::vector<std::string_view> names;
  names.reserve(files.size());
  for (const std::size_t file : files) names.emplace_back(folder.files[file].name);
  return names;
}

}  // namespace

std::string totals_text(const ScanTotals& totals, const TextStyle& style) {
  std::string out;
  const auto add = [&](std::string_view name, const std::string& value) {
    append_total(out, name, value, style);
  };
  add("files scanned", count_text(totals.files) + " in " + counted(totals.folders, "folder") +
                           ", " + bytes_text({totals.bytes}));
  add("groups", count_text(totals.groups));
  add("duplicate files", count_text(totals.redundant));
  add("reclaimable", bytes_text({totals.reclaimable}));
  add("data read", bytes_text({totals.bytes_read}));
  add("cached", counted(totals.remembered, "file") + ", not read again");
  if (totals.skipped > 0) add("skipped", count_text(totals.skipped));
  if (totals.gone > 0) add("gone", counted(totals.gone, "file") + " removed during the scan");
  if (totals.wanted > 0) {
    add("wanted", counted(totals.wanted, "file") + " that other hosts must hash");
  }
  add("failed", count_text(totals.failures));
  add("time", text::duration_text(totals.elapsed));
  return out;
}

Result<void> TextReport::begin(std::uint64_t groups) {
  found_ = groups;
  return {};
}

bool TextReport::wants_groups() const { return has_room(); }

void TextReport::heading(std::string_view text) {
  chunk_.text().append(weighted(text, kBold, style_)).append("\n");
}

void TextReport::small_print(std::string_view text) {
  chunk_.text().append(weighted(text, kDim, style_)).append("\n\n");
}

void TextReport::enter(Part part) {
  if (part_ == part) return;
  if (found_ > shown_) {
    static constexpr std::string_view kThings[][2] = {{"group", "groups"},
                                                      {"set of folders", "sets of folders"},
                                                      {"pair of folders", "pairs of folders"}};
    const auto& [thing, things] = kThings[static_cast<std::size_t>(part_)];
    small_print("… and " + count_text(found_ - shown_) + " more " +
                std::string(found_ - shown_ == 1 ? thing : things) + " (--top 0 shows all)");
  }
  part_ = part;
  found_ = 0;
  shown_ = 0;
}

void TextReport::path_line(std::string_view mark, const Copy& copy, const FileName& name) {
  constexpr std::size_t kMarks = 7;  // width of the column of marks
  std::string& out = chunk_.text();
  out.append(kMarks - mark.size(), ' ').append(mark).append("  ");
  if (!copy.host.empty()) out.append(text::printable(copy.host)).append(":");
  out.append(text::printable(name.path)).append("\n");
}

Result<void> TextReport::group(const Group& group) {
  if (!has_room()) return {};
  ++shown_;
  heading(heading_of(group));
  for (std::size_t i = 0; i < group.copies.size(); ++i) {
    const Copy& copy = group.copies[i];
    std::string_view mark = mark_of(copy, i == 0);
    for (const FileName& name : copy.names) {
      path_line(mark, copy, name);
      mark = "=";
      TRY(chunk_.pass_on_if_full());
    }
  }
  chunk_.text() += '\n';
  return {};
}

Result<void> TextReport::unique(const Copy& file) {
  found_ = 0;  // unique files are not groups
  if (file.names.empty()) return {};
  if (!file.host.empty()) chunk_.text().append(text::printable(file.host)).append(":");
  chunk_.text().append(text::printable(file.names.front().path)).append("\n");
  return chunk_.pass_on_if_full();
}

Result<void> TextReport::same_folders(const Folders& folders, const SameFolders& same) {
  enter(Part::folders);
  ++found_;
  if (!has_room()) return {};
  if (shown_++ == 0) chunk_.text() += "Identical folders\n\n";
  heading(count_text(shown_) + "  " + count_text(same.members.size()) + " folders with " +
          counted(same.files, "file") + ", " + bytes_text({same.bytes}) + " each");
  for (const std::size_t member : same.members) {
    chunk_.text().append(kIndent).append(text::printable(folders[member].path)).append("\n");
    TRY(chunk_.pass_on_if_full());
  }
  chunk_.text() += '\n';
  return {};
}

void TextReport::names_of(std::string_view label, const std::vector<std::string_view>& names) {
  if (names.empty()) return;
  std::string& out = chunk_.text();
  out.append(kIndent).append("  ").append(label).append(": ");
  const std::size_t shown = std::min(names.size(), kNamesShown);
  for (std::size_t i = 0; i < shown; ++i) {
    out.append(i == 0 ? "" : ", ").append(text::printable(names[i]));
  }
  if (shown < names.size()) out += ", … and " + count_text(names.size() - shown) + " more";
  out += '\n';
}

Result<void> TextReport::overlap(const Folders& folders, const Overlap& overlap) {
  enter(Part::overlaps);
  ++found_;
  if (!has_room()) return {};
  if (shown_++ == 0) chunk_.text() += "Overlapping folders, by the files directly in them\n\n";
  heading(count_text(shown_) + "  " + percent_text(overlap.similarity()) + ": " +
          count_text(overlap.matching) + " of " + counted(overlap.all, "file") + " in both, " +
          bytes_text({overlap.bytes}));
  const ReportFolder& one = folders[overlap.one];
  const ReportFolder& other = folders[overlap.other];
  const Difference difference = difference_of(folders, overlap);
  chunk_.text().append(kIndent).append(text::printable(one.path)).append("\n");
  names_of("only here", names_at(one, difference.only_one));
  chunk_.text().append(kIndent).append(text::printable(other.path)).append("\n");
  names_of("only here", names_at(other, difference.only_other));
  std::vector<std::size_t> changed;
  changed.reserve(difference.changed.size());
  for (const auto& [here, there] : difference.changed) changed.push_back(here);
  names_of("same name, different contents", names_at(one, changed));
  chunk_.text() += '\n';
  return chunk_.pass_on_if_full();
}

Result<void> TextReport::end(const ScanTotals& totals) {
  enter(Part::totals);
  if (style_.has_totals) chunk_.text() += totals_text(totals, style_);
  return chunk_.pass_on();
}

}  // namespace tidemill::dupes
