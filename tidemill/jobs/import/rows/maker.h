// RowMaker: the lines of a block become rows.
//
// A line is a row, blank, or a reject: nothing else happens to it, whatever it holds. jsonl::Tokens
// finds the tokens and what is no JSON, also inside what is kept as text. So a line is taken
// exactly if it is one JSON object, is UTF-8, has no field twice and is not too deep.
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

// What is not in the options: it depends on the database.
struct RowRules {
  bool keeps_absent = false;  // the writer changes only what a record gives
  bool shares_table = false;  // several files fill one table: rowids are places
};

// One thread: of one worker.
class RowMaker {
 public:
  RowMaker(const Options& options, RowRules rules, Tables& tables, Turn& turn);
  ~RowMaker();

  // Fills the batch from its block. False: the turn was cancelled, and the batch is void.
  [[nodiscard]] bool make(const SourceFile& file, Batch& batch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::import
