#include "tidemill/jobs/import/text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::import {
namespace {

using term::Align;
using text::count_text;
using text::counted;

constexpr std::size_t kOnScreen = 10;  // the rest is only counted, so that a report fits

// How many of `all` are shown. Without a width the output is not a screen, and all are shown.
std::size_t shown_of(std::size_t all, std::optional<std::size_t> width) {
  return width ? std::min(all, kOnScreen) : all;
}

std::string more_text(std::size_t all, std::size_t shown) {
  if (all <= shown) return {};
  return fmt::format("and {} more; use --json to list all\n", count_text(all - shown));
}

std::string key_text(const TableOutcome& table) {
  if (table.key_state == "rowid" || table.key_state == "kept") return table.key;
  if (table.key_state == "unique") return table.key + " (index)";
  return "-";
}

// With --table all files share one table, and the outcome names only the first file.
std::string from_text(const TableOutcome& table, const ImportOutcome& outcome,
                      const ImportOptions& options) {
  const bool is_shared = !options.table.empty() && outcome.files_done > 1;
  return is_shared && !table.file.empty() ? counted(outcome.files_done, "file") : table.file;
}

// Largest first.
std::string tables_text(const ImportOutcome& outcome, const ImportOptions& options,
                        std::optional<std::size_t> width) {
  std::vector<TableOutcome> tables = outcome.tables;
  if (tables.empty()) return {};
  std::ranges::sort(tables, [](const auto& a, const auto& b) {
    return a.rows != b.rows ? a.rows > b.rows : a.name < b.name;
  });
  term::Table shown({{.heading = "TABLE"},
                     {.heading = "ROWS", .align = Align::right},
                     {.heading = "COLUMNS", .align = Align::right},
                     {.heading = "KEY"},
                     {.heading = "SOURCE"}});
  const std::size_t count = shown_of(tables.size(), width);
  for (std::size_t i = 0; i < count; ++i) {
    shown.add({tables[i].name, count_text(tables[i].rows), count_text(tables[i].columns),
               key_text(tables[i]), from_text(tables[i], outcome, options)});
  }
  return "\n" + shown.text(width) + more_text(tables.size(), count);
}

std::string widened_text(const ImportOutcome& outcome, std::optional<std::size_t> width) {
  if (outcome.widened.empty()) return {};
  term::Table shown({{.heading = "WIDENED"},
                     {.heading = "FROM"},
                     {.heading = "TO"},
                     {.heading = "LINE", .align = Align::right},
                     {.heading = "CAUSE"}});
  const std::size_t count = shown_of(outcome.widened.size(), width);
  for (std::size_t i = 0; i < count; ++i) {
    const Widening& widened = outcome.widened[i];
    shown.add({widened.table + "." + widened.column, std::string(name_of(widened.from)),
               std::string(name_of(widened.to)), count_text(widened.line), widened.seen});
  }
  return "\n" + shown.text(width) + more_text(outcome.widened.size(), count);
}

// A name that cannot be mistaken for an option.
std::string as_argument(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

// Hints for files that are not JSON Lines at all: how to convert them.
std::string no_lines_text(const ImportOutcome& outcome) {
  constexpr std::array<std::string_view, 3> kSigns = {"not JSON", "not an object",
                                                      "data after the value"};
  for (const TableOutcome& table : outcome.tables) {
    const auto is_sign = [&](const RejectOutcome& group) {
      return group.file == table.file && std::ranges::find(kSigns, group.reason) != kSigns.end();
    };
    const auto has_rows = [&](const TableOutcome& other) {  // the table, or one of its lists
      return other.file == table.file && other.rows > 0;
    };
    if (table.rows > 0 || std::ranges::any_of(outcome.tables, has_rows)) continue;
    if (std::ranges::none_of(outcome.rejects, is_sign)) continue;
    const bool is_packed = table.file.ends_with(".gz") || table.file.ends_with(".zst");
    const bool is_input = table.file == "-";
    const auto jq = [&](std::string filter) {
      std::vector<std::string> words = {"jq", "-c", std::move(filter)};
      if (!is_packed && !is_input) words.push_back(as_argument(table.file));  // else on its stdin
      return text::shell_line(words);
    };
    return fmt::format(
        "\nNo line of {} is a JSON object. To convert it to JSON Lines:\n"
        "  from a list:                    {}\n  from objects of several lines:  {}\n",
        is_input ? "standard input" : text::printable(table.file), jq(".[]"), jq("."));
  }
  return {};
}

// Most frequent first.
std::string rejects_text(const ImportOutcome& outcome, const ImportOptions& options,
                         std::optional<std::size_t> width) {
  if (outcome.rejects.empty()) return {};
  std::multimap<std::uint64_t, const RejectOutcome*, std::greater<>> by_count;
  for (const auto& group : outcome.rejects) by_count.emplace(group.count, &group);
  term::Table shown({{.heading = "REJECTED", .align = Align::right},
                     {.heading = "REASON"},
                     {.heading = "FIRST LINE", .align = Align::right},
                     {.heading = "FILE"}});
  const std::size_t shown_groups = shown_of(by_count.size(), width);
  for (const auto& [count, group] :
       by_count | std::views::take(static_cast<std::ptrdiff_t>(shown_groups))) {
    shown.add({count_text(count), group->reason,
               group->first_line > 0 ? count_text(group->first_line) : "-", group->file});
  }
  return "\n" + shown.text(width) + more_text(by_count.size(), shown_groups) + "\n  list them:  " +
         text::shell_line(std::vector<std::string>{"sqlite3", as_argument(options.into),
                                                   "select file, line, reason from _rejects"}) +
         "\n" + no_lines_text(outcome);
}

std::string failures_text(const ImportOutcome& outcome, std::optional<std::size_t> width) {
  std::string text;
  const std::size_t count = shown_of(outcome.failures.size(), width);
  for (std::size_t i = 0; i < count; ++i) {
    text += "  " + text::printable(text_of(outcome.failures[i])) + "\n";
  }
  if (text.empty()) return text;
  return "\nfailed files:\n" + text + more_text(outcome.failures.size(), count);
}

std::string counts_text(const ImportOutcome& outcome) {
  std::string text = counted(outcome.counts.rows, "row");
  if (outcome.counts.child_rows > 0) {
    text += fmt::format(" (and {} in child tables)", count_text(outcome.counts.child_rows));
  }
  text += " from " + counted(outcome.files_done, "file");
  if (outcome.files_skipped > 0) {
    text += fmt::format(", {} skipped (already imported)", count_text(outcome.files_skipped));
  }
  if (!outcome.failures.empty()) {
    text += ", " + counted(outcome.failures.size(), "file") + " failed";
  }
  if (outcome.counts.rejected > 0) {
    text += ", " + counted(outcome.counts.rejected, "line") + " rejected";
  }
  if (outcome.counts.blank > 0) text += fmt::format(", {} blank", count_text(outcome.counts.blank));
  return text;
}

}  // namespace

std::string text_of(const ImportOutcome& outcome, const ImportOptions& options,
                    std::optional<std::size_t> width) {
  const double seconds = std::chrono::duration<double>(outcome.elapsed).count();
  const auto bytes = static_cast<double>(outcome.bytes);
  std::string text =
      fmt::format("import: {}, {} in {}", counts_text(outcome), text::bytes_text({outcome.bytes}),
                  text::duration_text(outcome.elapsed));
  if (seconds > 0 && outcome.bytes > 0) text += " (" + text::byte_rate_text(bytes / seconds) + ")";
  text += outcome.is_verified ? "; verified\n" : "\n";
  text += tables_text(outcome, options, width) + widened_text(outcome, width);
  text += rejects_text(outcome, options, width) + failures_text(outcome, width);
  for (const std::string& note : outcome.notes) text += "\n" + note;
  if (!outcome.notes.empty()) text += "\n";
  return text;
}

}  // namespace tidemill::import
