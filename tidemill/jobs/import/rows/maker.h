// RowMaker: converts the lines of a block to rows.
//
// Every line is a row, blank, or a reject, whatever it contains. jsonl::Tokens finds the tokens and
// invalid JSON, also inside values that are stored as text. So a line is accepted if and only if it
// is one JSON object, is UTF-8, has no duplicate field, is not nested too deep and fits the types
// of its columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/read/source_file.h"
#include "tidemill/jobs/import/rows/batch.h"
#include "tidemill/jobs/import/rows/tables.h"
#include "tidemill/jobs/import/rows/turn.h"

namespace tidemill::import {

// The rules that are not in the options.
struct RowRules {
  bool keeps_absent = false;  // fields that a record lacks are marked absent, for upserts
  bool shares_table = false;  // several files fill one table: rowids are places
};

// One thread, that of its worker.
class RowMaker {
 public:
  RowMaker(const ImportOptions& options, RowRules rules, Tables& tables, Turn& turn);
  ~RowMaker();

  // Fills the batch from its block. False: the turn was cancelled, and the batch is not valid.
  [[nodiscard]] bool make(const SourceFile& file, RowBatch& batch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::import
