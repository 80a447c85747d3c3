// ImportOutcome: the result of an import, for the report.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/jobs/import/read/sources.h"
#include "tidemill/jobs/import/rows/column_type.h"
#include "tidemill/jobs/import/rows/line_counts.h"

namespace tidemill::import {

struct TableOutcome {
  std::string name{};
  std::string file{};      // the first, if there are several
  std::uint64_t rows = 0;  // from this import
  std::size_t columns = 0;
  std::string key{};        // the column
  std::string key_state{};  // name_of(KeyState), target/finisher.h
};

struct Widening {
  std::string table{};
  std::string column{};
  ColumnType from = ColumnType::none;
  ColumnType to = ColumnType::none;
  std::size_t file = 0;  // SourceFile::number
  std::string path{};
  std::uint64_t line = 0;
  std::string seen{};  // "a string"
};

struct RejectOutcome {
  std::string file{};
  std::string reason{};
  std::uint64_t count = 0;
  std::uint64_t first_line = 0;
};

struct ImportOutcome {
  std::uint64_t files_found = 0;
  std::uint64_t files_done = 0;
  std::uint64_t files_skipped = 0;
  LineCounts counts{};
  std::uint64_t bytes = 0;
  std::chrono::nanoseconds elapsed{0};
  std::vector<TableOutcome> tables{};
  std::vector<Widening> widened{};
  std::vector<RejectOutcome> rejects{};
  std::vector<SourceFailure> failures{};
  std::vector<std::string> notes{};  // sentences, escaped for display
  std::string writer{};              // "pages" or "sql"
  bool is_key_refused = false;       // --key names a column that cannot be a key
  bool is_verified = false;

  [[nodiscard]] bool is_clean() const {
    return counts.rejected == 0 && failures.empty() && !is_key_refused;
  }
};

}  // namespace tidemill::import
