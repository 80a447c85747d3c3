// RowRig: a test fixture with a RowMaker and its dependencies. Rows are shown as
// "rowid value value", texts in quotes, NULL as "-".
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/formats/jsonl/number.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/jobs/import/read/sample_block.h"
#include "tidemill/jobs/import/rows/maker.h"

namespace tidemill::import {

// A number in a TEXT column looks the same whether a worker has converted it or the database will.
inline std::string shown(const sqlite_pages::CellValue& value, ColumnType type) {
  std::string text;
  if (value.type == sqlite_pages::CellType::integer) jsonl::append_text(value.integer, text);
  if (value.type == sqlite_pages::CellType::real) jsonl::append_text(value.real, text);
  if (value.type == sqlite_pages::CellType::text || value.type == sqlite_pages::CellType::blob)
    text = value.bytes;
  if (value.type == sqlite_pages::CellType::null) return "-";
  if (value.type == sqlite_pages::CellType::absent) return "absent";
  const bool is_text = value.type == sqlite_pages::CellType::text || type == ColumnType::text;
  return (value.type == sqlite_pages::CellType::blob ? "x" : "") +
         (is_text ? "'" + text + "'" : text);
}

// One import of one file, block by block. One thread.
struct RowRig {
  explicit RowRig(ImportOptions chosen = {}, RowRules given = {}, bool can_restart = true)
      : options(std::move(chosen)), rules(given), maker(options, rules, tables, turn) {
    file = {.path = "t", .name = "/in/t", .table = &tables.add("t"), .can_restart = can_restart};
  }

  RowBatch& next(std::string_view text) {
    RowBatch& batch = batches.emplace_back();
    batch.order = batches.size() - 1;
    batch.block = block_of(text, line, offset);
    line += batch.block.lines();
    offset += text.size();
    return batch;
  }

  RowBatch& make(std::string_view text) {
    RowBatch& batch = next(text);
    EXPECT_TRUE(maker.make(file, batch));
    EXPECT_EQ(batch.counts.lines, batch.block.lines());
    EXPECT_EQ(batch.counts.lines, batch.counts.rows + batch.counts.blank + batch.counts.rejected);
    turn.done(batch.order);
    return batch;
  }

  [[nodiscard]] const RowTable& table(std::string_view name = "t") const {
    for (const RowTable* known : tables.all()) {
      if (known->name() == name) return *known;
    }
    ADD_FAILURE() << "no table " << name;
    return *file.table;
  }

  [[nodiscard]] std::string columns(std::string_view name = "t") const {
    std::string all;
    for (const Column& column : table(name).state().columns) {
      all += (all.empty() ? "" : ", ") + column.name;
      if (column.type() != ColumnType::none) all += " " + std::string(name_of(column.type()));
    }
    return all;
  }

  [[nodiscard]] std::string rows(std::string_view name = "t") const {
    std::string all;
    const RowTable::State state = table(name).state();
    for (const RowBatch& batch : batches) {
      for (const TableRows& made : batch.tables) {
        if (made.table->name() == name) show(made.cells, state, all);
      }
    }
    return all;
  }

  // "line@offset reason [text]"
  [[nodiscard]] std::string rejects() const {
    std::string all;
    std::vector<sqlite_pages::CellValue> v;
    for (const RowBatch& batch : batches) {
      for (const sqlite_pages::CellRow& row : batch.rejects.cells.rows()) {
        batch.rejects.cells.values(row, v);
        all += (all.empty() ? "" : "; ") + shown(v[1], {}) + "@" + shown(v[2], {}) + " " +
               std::string(v[3].bytes);
      }
    }
    return all;
  }

  static void show(const sqlite_pages::CellBatch& cells, const RowTable::State& state,
                   std::string& all) {
    std::vector<sqlite_pages::CellValue> values;
    for (const sqlite_pages::CellRow& row : cells.rows()) {
      cells.values(row, values);
      all += (all.empty() ? "" : "; ") + std::to_string(row.rowid);
      for (std::size_t i = 0; i < values.size() && i < state.columns.size(); ++i) {
        all += " " + shown(values[i], state.columns[i].type());
      }
    }
  }

  // All tables, rows and rejects, to compare two imports.
  [[nodiscard]] std::string dump() const {
    std::string all;
    for (const RowTable* known : tables.all()) {
      all += known->name() + " (" + columns(known->name()) + "): " + rows(known->name()) + "\n";
    }
    return all + rejects();
  }

  ImportOptions options;
  RowRules rules;
  Tables tables{};
  Turn turn{};
  SourceFile file{};
  RowMaker maker;
  std::deque<RowBatch> batches{};
  std::uint64_t line = 1;
  std::uint64_t offset = 0;
};

inline ImportOptions nested(Nested how) { return {.nested = how, .has_key = false}; }

// The reason why a single line is a reject; empty: it is a row.
inline std::string verdict(std::string_view line, const ImportOptions& options = {}) {
  RowRig rig(options);
  const RowBatch& batch = rig.make(std::string(line) + "\n");
  if (batch.counts.rejected == 0) return "";
  EXPECT_TRUE(rig.table().state().columns.empty()) << line;
  EXPECT_EQ(rig.tables.all().size(), 1U) << line;
  std::vector<sqlite_pages::CellValue> values;
  batch.rejects.cells.values(batch.rejects.cells.rows().front(), values);
  EXPECT_EQ(values[0].bytes, "/in/t");
  EXPECT_EQ(values[4].bytes, line);
  EXPECT_EQ(values[4].type,
            text::is_utf8(line) ? sqlite_pages::CellType::text : sqlite_pages::CellType::blob)
      << line;
  return std::string(values[3].bytes);
}

inline std::string levels(std::size_t count, std::string_view open, std::string_view close) {
  std::string json;
  for (std::size_t i = 0; i < count; ++i) json += open;
  json += "1";
  for (std::size_t i = 0; i < count; ++i) json += close;
  return json;
}

// The dump of the lines, made by several workers. Blocks are handed out in order; each worker has
// its own RowMaker.
inline std::string made_by(std::size_t workers, std::size_t lines_a_block,
                           const ImportOptions& options, const std::vector<std::string>& lines) {
  RowRig rig(options);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + "\n";
    if ((i + 1) % lines_a_block != 0 && i + 1 < lines.size()) continue;
    rig.next(text);
    text.clear();
  }
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t worker = 0; worker < workers; ++worker) {
      threads.emplace_back([&] {
        RowMaker maker(rig.options, rig.rules, rig.tables, rig.turn);
        for (std::size_t i = next++; i < rig.batches.size(); i = next++) {
          EXPECT_TRUE(maker.make(rig.file, rig.batches[i]));
          rig.turn.done(rig.batches[i].order);
        }
      });
    }
  }
  return rig.dump();
}

}  // namespace tidemill::import
