#include "tidemill/jobs/import/parts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "tidemill/state/history/part_builder.h"

namespace tidemill::import {
namespace {

using history::HistoryPart;
using history::PartBuilder;
using history::PartForm;

std::string place_of(const std::string& path, std::uint64_t line) {
  return line == 0 ? path : path + ":" + std::to_string(line);
}

std::string titled(std::string title, const ImportOutcome& outcome) {
  return outcome.files_skipped == 0 ? title : title + " (this process)";
}

// Two tables never have one name, so each has a row.
HistoryPart tables_part(const ImportOutcome& outcome) {
  PartBuilder tables({.name = "tables",
                      .title = titled("Tables", outcome),
                      .label = "table",
                      .columns = {{.name = "rows"}, {.name = "columns"}}});
  for (const TableOutcome& table : outcome.tables) {
    tables.add(table.name, {table.rows, table.columns}, table.file);
  }
  return tables.largest();
}

HistoryPart widened_part(const ImportOutcome& outcome) {
  HistoryPart part{.name = "widened_columns",
                   .title = titled("Columns that were widened", outcome),
                   .label = "column"};
  const std::size_t rows = std::min(outcome.widened.size(), history::kMostRows);
  part.left_out = outcome.widened.size() - rows;
  for (std::size_t i = 0; i < rows; ++i) {
    const Widening& widened = outcome.widened[i];
    std::string detail(name_of(widened.from));
    detail.append(detail.empty() ? "" : " to ").append(name_of(widened.to));
    detail += " at " + place_of(widened.path, widened.line);
    if (!widened.seen.empty()) detail += ": " + widened.seen;
    part.rows.push_back(
        {.label = widened.table + "." + widened.column, .detail = std::move(detail)});
  }
  return part;
}

HistoryPart rejects_part(const ImportOutcome& outcome) {
  PartBuilder rejects({.name = "rejected_lines",
                       .title = titled("Rejected lines by reason", outcome),
                       .label = "reason",
                       .form = PartForm::bars,
                       .columns = {{.name = "lines"}, {.name = "files"}}});
  for (const RejectOutcome& group : outcome.rejects) {
    rejects.add(group.reason, {group.count, 1}, place_of(group.file, group.first_line));
  }
  return rejects.largest();
}

}  // namespace

std::vector<HistoryPart> parts_of(const ImportOutcome& outcome) {
  return {tables_part(outcome), widened_part(outcome), rejects_part(outcome)};
}

}  // namespace tidemill::import
