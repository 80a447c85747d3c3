// Tables generated from a string of bytes, for the tests and the fuzzer: the bytes decide the
// contents, the batches, and which tables are abandoned. try_tables() builds them in a file, lets
// SQLite check it and compares every row. The same bytes give the same file (with one thread).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/formats/sqlite_pages/cells.h"
#include "tidemill/formats/sqlite_pages/format.h"
#include "tidemill/formats/sqlite_pages/page_file.h"
#include "tidemill/formats/sqlite_pages/table_builder.h"
#include "tidemill/io/store/db.h"

namespace tidemill::sqlite_pages {

// Draws numbers from bytes; zeros when they are used up. One thread.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool is_over() const { return bytes_.empty(); }

  [[nodiscard]] std::uint64_t below(std::uint64_t end) {
    std::uint64_t number = 0;
    for (std::uint64_t reach = 1; reach < end && !bytes_.empty(); reach <<= 8U) {
      number = number << 8U | static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
    }
    return number % end;
  }

 private:
  std::string_view bytes_;
};

struct SampleRow {
  std::int64_t rowid = 0;
  std::vector<CellValue> values{};
};

// Pseudo-random text for values: swapped or moved parts are detected. One thread.
class SampleBytes {
 public:
  [[nodiscard]] std::string_view of(std::size_t size) {
    std::string& bytes = kept_.emplace_back(size, '\0');
    for (char& c : bytes)
      c = static_cast<char>('a' + (state_ = state_ * 1103515245 + 12345) / 65536 % 26);
    return bytes;
  }

 private:
  std::deque<std::string> kept_{};
  std::uint32_t state_ = 1;
};

// The size of the only text in a row, for a payload of this size.
[[nodiscard]] inline std::size_t text_for_payload(std::size_t payload) {
  for (std::size_t header = 2; header < 8; ++header) {
    char varint[kLongestVarint];
    const std::size_t size = payload - header;
    const auto length = static_cast<std::size_t>(put_varint(varint, 13 + 2 * size) - varint);
    if (length + 1 == header) return size;
  }
  return 0;  // impossible: the length of the varint changes at this size
}

inline constexpr std::size_t kSampleColumns = 5;

struct SampleTable {
  SampleTable(PageFile& file, std::int64_t number)
      : name("t" + std::to_string(number)), builder(file) {}

  [[nodiscard]] std::string create() const {
    return "create table \"" + name + "\" (a, b, c, d, e)";
  }

  std::string name;
  TableBuilder builder;
  std::vector<SampleRow> rows{};
  bool is_abandoned = false;
};

struct SampleBatch {
  SampleTable* table = nullptr;
  CellBatch cells{};
  Result<Leaves> leaves{};
};

inline void add_row(SampleBatch& batch, std::int64_t rowid, std::vector<CellValue> values) {
  batch.cells.add(rowid, values);
  batch.table->rows.push_back({.rowid = rowid, .values = std::move(values)});
}

// Uses one thread and alternates between two buffers, or several threads with one each.
inline Result<void> lay_all(std::vector<SampleBatch>& batches, PageFile& file, unsigned threads) {
  if (threads == 1) {
    LayoutBuffers buffers[2];
    for (std::size_t i = 0; i < batches.size(); ++i) {
      batches[i].leaves = lay(batches[i].cells, file, buffers[i % 3 % 2]);
    }
    for (LayoutBuffers& own_buffers : buffers) give_back(file, own_buffers);
  } else {
    std::atomic<std::size_t> next = 0;
    std::vector<std::jthread> workers;
    for (unsigned t = 0; t < threads; ++t) {
      workers.emplace_back([&] {
        LayoutBuffers own_buffers;
        for (std::size_t i = next++; i < batches.size(); i = next++) {
          batches[i].leaves = lay(batches[i].cells, file, own_buffers);
        }
        give_back(file, own_buffers);
      });
    }
  }
  for (SampleBatch& batch : batches) {
    if (!batch.leaves) return std::unexpected(batch.leaves.error());
    if (auto done = batch.table->builder.append(*batch.leaves); !done) return done;
  }
  return {};
}

inline Result<void> finish_all(std::deque<SampleTable>& tables, PageFile& file) {
  std::vector<BuiltTable> built;
  for (SampleTable& table : tables) {
    if (table.is_abandoned) continue;
    auto root = table.builder.finish();
    if (!root) return std::unexpected(root.error());
    built.push_back({.name = table.name, .create = table.create(), .root = *std::move(root)});
  }
  return file.finish(built);
}

inline std::unexpected<Failure> wrong(const std::string& what) {
  return fail(Cure::give_up, "compare", what);
}

// The first column of all rows, concatenated.
inline Result<std::string> answer(store::Db& db, std::string_view sql) {
  auto statement = db.prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  std::string words;
  auto read =
      statement->rows<std::string>(std::tuple(), [&](const std::string& word) { words += word; });
  if (!read) return std::unexpected(read.error());
  return words;
}

inline Result<void> check_integrity(store::Db& db) {
  const auto words = answer(db, "pragma integrity_check(5)");
  if (!words) return std::unexpected(words.error());
  if (*words != "ok") return wrong(*words);
  return {};
}

[[nodiscard]] inline bool is_same(const CellValue& value, std::string_view type,
                                  std::string_view text) {
  switch (value.type) {
    case CellType::absent:
    case CellType::null:
      return type == "null";
    case CellType::integer:
      return type == "integer" && text == std::to_string(value.integer);
    case CellType::real:
      return type == "real" && std::strtod(std::string(text).c_str(), nullptr) == value.real;
    case CellType::text:
      return type == "text" && text == value.bytes;
    case CellType::blob:
      return type == "blob" && text == value.bytes;
  }
  return false;
}

inline Result<void> compare(store::Db& db, const SampleTable& table) {
  auto select = db.prepare(
      "select rowid, typeof(a), a, typeof(b), b, typeof(c), c, typeof(d), d, typeof(e), e from " +
      table.name);
  if (!select) return std::unexpected(select.error());
  std::size_t seen = 0;
  std::string difference;
  using View = std::string_view;
  auto read =
      select->rows<std::int64_t, View, View, View, View, View, View, View, View, View, View>(
          std::tuple(), [&](std::int64_t rowid, auto... columns) {
            const std::string_view found[] = {columns...};
            const std::string place = table.name + " row " + std::to_string(rowid);
            if (seen >= table.rows.size()) return void(difference = place + " is one too many");
            const SampleRow& row = table.rows[seen++];
            if (row.rowid != rowid) difference = place + " has the wrong id";
            for (std::size_t i = 0; i < kSampleColumns; ++i) {
              const CellValue value = i < row.values.size() ? row.values[i] : CellValue{};
              if (!is_same(value, found[2 * i], found[2 * i + 1])) difference = place + " differs";
            }
          });
  if (!read) return read;
  if (seen != table.rows.size()) difference = table.name + " lacks rows";
  if (!difference.empty()) return wrong(difference);
  return {};
}

// SQLite must also be able to modify the file.
inline Result<void> change(store::Db& db, const SampleTable& table) {
  const std::string& name = table.name;
  return db.exec("delete from " + name + " where rowid % 3 = 0; update " + name +
                 " set a = 'another one', e = null where rowid % 3 = 1; insert into " + name +
                 "(b) values (zeroblob(100000))");
}

inline Result<void> compare_all(const std::deque<SampleTable>& tables, const std::string& path,
                                bool and_changes) {
  auto db = store::Db::open(path, {.mode = store::Open::write});
  if (!db) return std::unexpected(db.error());
  if (auto sound = check_integrity(*db); !sound) return sound;
  for (const SampleTable& table : tables) {
    if (table.is_abandoned) continue;
    if (auto same = compare(*db, table); !same) return same;
  }
  const auto size =
      answer(*db, "select page_count * page_size from pragma_page_count, pragma_page_size");
  if (!size || *size != std::to_string(std::filesystem::file_size(path))) {
    return wrong("the size of the file differs from its header");
  }
  if (!and_changes) return {};
  auto quick = db->exec("pragma journal_mode = off; pragma synchronous = off");
  if (!quick) return quick;
  for (const SampleTable& table : tables) {
    if (table.is_abandoned) continue;
    if (auto changed = change(*db, table); !changed) return changed;
  }
  return check_integrity(*db);
}

// Generates the batches of a set of tables from the bytes. One thread.
class SamplePlan {
 public:
  SamplePlan(std::string_view bytes, std::uint32_t page_size) : choices_(bytes), page_(page_size) {}

  [[nodiscard]] bool is_over() const { return choices_.is_over(); }

  std::vector<SampleBatch> round(std::deque<SampleTable>& tables) {
    std::vector<SampleBatch> batches;
    for (std::uint64_t left = choices_.below(8) + 1; left > 0; --left) {
      SampleBatch& batch = batches.emplace_back();
      batch.table = &tables[choices_.below(tables.size())];
      fill(batch);
    }
    return batches;
  }

  void abandon_some(std::deque<SampleTable>& tables) {
    const std::uint64_t which = choices_.below(4 * tables.size());
    if (which >= tables.size()) return;
    tables[which].builder.abandon();
    tables[which].rows.clear();
    tables[which].is_abandoned = choices_.below(2) == 1;  // otherwise it starts again
  }

 private:
  void fill(SampleBatch& batch) {
    if (batch.table->is_abandoned) return;
    const bool is_many = choices_.below(4) == 0;
    const std::uint64_t count = choices_.below(is_many ? 1500 : 6);
    const std::vector<CellValue> same = is_many ? values(16) : std::vector<CellValue>{};
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto& rows = batch.table->rows;
      // The first rowid may be negative and the gaps wide: a rowid takes 1 to 9 bytes.
      const std::int64_t last = rows.empty() ? first_rowid() : rows.back().rowid;
      if (last > INT64_MAX - (INT64_C(1) << 41)) return;
      const auto gap = static_cast<std::int64_t>(
          is_many ? 1 : 1 + choices_.below(3) * choices_.below(UINT64_C(1) << 40U));
      add_row(batch, last + gap, is_many ? same : values(4 * std::size_t{page_}));
    }
  }

  std::int64_t first_rowid() {
    constexpr std::int64_t kFirst[] = {0, -1, INT64_MIN, -40'000, INT64_C(1) << 55, 100};
    return kFirst[choices_.below(std::size(kFirst))];
  }

  std::vector<CellValue> values(std::size_t most) {
    std::vector<CellValue> values(choices_.below(kSampleColumns + 1));
    for (CellValue& value : values) value = one(most);
    return values;
  }

  CellValue one(std::size_t most) {
    switch (choices_.below(7)) {
      case 0:
        return {};
      case 1:
        return {.type = CellType::null};
      case 2: {
        const auto wide = static_cast<std::int64_t>(choices_.below(UINT64_C(1) << 56U) * 251);
        return {.type = CellType::integer, .integer = wide >> choices_.below(64)};
      }
      case 3:
        return {.type = CellType::real,
                .real = static_cast<double>(choices_.below(1U << 24U)) / 8 - 1'000'000};
      case 4:
        return {.type = CellType::text, .bytes = bytes_.of(near_a_limit(most))};
      case 5:
        return {.type = CellType::blob, .bytes = bytes_.of(choices_.below(most))};
      default:
        return {.type = CellType::text,
                .bytes = bytes_.of(choices_.below(std::min<std::size_t>(most, 99)))};
    }
  }

  std::size_t near_a_limit(std::size_t most) {
    if (most < page_) return choices_.below(most);
    const std::size_t limits[] = {most_local(page_), least_local(page_), page_, kLarge,
                                  std::size_t{20} * page_};
    const std::size_t limit = limits[choices_.below(std::size(limits))];
    return limit + choices_.below(4) * (page_ - 4) + 8 - choices_.below(24);
  }

  Choices choices_;
  const std::uint32_t page_;
  SampleBytes bytes_{};
};

inline Result<void> try_tables(std::string_view bytes, const std::string& path, unsigned threads,
                               bool and_changes) {
  if (bytes.size() < 2) return {};
  const auto shape = static_cast<unsigned char>(bytes[0]);
  const std::uint32_t page_size = 4096U << (shape % 5U);
  const auto file = PageFile::create(path, page_size);
  if (!file) return std::unexpected(file.error());
  std::deque<SampleTable> tables;
  for (unsigned i = 0; i <= shape / 5U % 4U; ++i) tables.emplace_back(**file, i);
  SamplePlan plan(bytes.substr(1), page_size);
  while (!plan.is_over()) {
    auto batches = plan.round(tables);
    if (auto laid = lay_all(batches, **file, threads); !laid) return laid;
    plan.abandon_some(tables);
  }
  if (auto finished = finish_all(tables, **file); !finished) return finished;
  return compare_all(tables, path, and_changes);
}

}  // namespace tidemill::sqlite_pages
