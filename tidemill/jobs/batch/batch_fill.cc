#include "tidemill/jobs/batch/batch_fill.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "tidemill/formats/text/counted.h"
#include "tidemill/jobs/batch/batch_journal.h"
#include "tidemill/state/history/part_builder.h"

namespace tidemill::batch {
namespace {

using history::HistoryPart;
using history::PartForm;

std::size_t class_of(const Batch& batch, const BatchLimits& limits) {
  constexpr std::size_t kAbove = 10;
  if (batch.is_oversize) return kAbove;
  const auto part = [](std::uint64_t used, std::uint64_t limit) {
    return static_cast<double>(used) / static_cast<double>(std::max<std::uint64_t>(limit, 1));
  };
  const double fill =
      std::max(part(batch.cost, limits.cost), part(batch.files.size(), limits.files));
  return std::min(static_cast<std::size_t>(std::clamp(fill, 0.0, 1.0) * 10), kAbove - 1);
}

std::uint64_t number_at_front(std::string_view& text, char end) {
  std::uint64_t number = 0;
  const std::size_t size = std::min(text.find(end), text.size());
  std::from_chars(text.data(), text.data() + size, number);
  text.remove_prefix(std::min(size + 1, text.size()));
  return number;
}

HistoryPart fill_part(const BatchTotals& totals, const BatchFill& fill) {
  HistoryPart part{.name = "fill_of_batches",
                   .title = "Fill of the batches",
                   .label = "of --max-tokens or --max-files",
                   .form = PartForm::bars,
                   .columns = {{.name = "batches"}, {.name = "tokens"}}};
  if (fill.batches() == 0) return part;
  if (fill.batches() < totals.batches) {  // an earlier version made the first ones
    part.title += ": the last " + text::counted(fill.batches(), "batch", "batches");
  }
  for (std::size_t i = 0; i < fill.classes.size(); ++i) {
    const BatchFill::Class& one = fill.classes.at(i);
    const bool is_above = i + 1 == fill.classes.size();
    if (is_above && one.batches == 0) continue;
    part.rows.push_back(
        {.label = is_above ? "above: a single large file"
                           : std::to_string(i * 10) + " to " + std::to_string(i * 10 + 10) + " %",
         .numbers = {static_cast<std::int64_t>(one.batches),
                     static_cast<std::int64_t>(one.tokens)}});
  }
  return part;
}

HistoryPart unbatched_part(const BatchTotals& totals, std::uint64_t failed) {
  history::PartBuilder part({.name = "files_in_no_batch",
                             .title = "Files that are in no batch",
                             .label = "reason",
                             .form = PartForm::bars,
                             .columns = {{.name = "files"}}});
  for (const auto& [reason, files] : totals.skipped) part.add(reason, {files});
  if (failed > 0) part.add("failed", {failed}, "files and folders that could not be read");
  return part.largest();
}

}  // namespace

void BatchFill::add(const Batch& batch, const BatchLimits& limits) {
  Class& one = classes.at(class_of(batch, limits));
  ++one.batches;
  one.tokens += batch.tokens;
}

std::uint64_t BatchFill::batches() const {
  return std::accumulate(classes.begin(), classes.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Class& one) { return sum + one.batches; });
}

std::string text_of(const BatchFill& fill) {
  std::string text;
  for (const BatchFill::Class& one : fill.classes) {
    text += std::to_string(one.batches) + "=" + std::to_string(one.tokens) + ";";
  }
  return text;
}

BatchFill fill_of(std::string_view text) {
  BatchFill fill;
  for (BatchFill::Class& one : fill.classes) {
    one.batches = number_at_front(text, '=');
    one.tokens = number_at_front(text, ';');
  }
  return fill;
}

std::vector<HistoryPart> parts_of(const BatchTotals& totals, const BatchFill& fill,
                                  std::uint64_t failed) {
  return {fill_part(totals, fill), unbatched_part(totals, failed)};
}

}  // namespace tidemill::batch
