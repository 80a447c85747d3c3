// Drafter: what the ledger is to write down, in the order of the files. Pure.
//
//   file, file, skipped, file │ skipped, file …      │: the batch is full
//   └──────── one draft ──────┘                      the rest belongs to the next one
//
// A draft holds a batch, every file that was passed over before the last one of the batch, and the
// cursor behind it: who goes on from there cuts the same batches. While no batch is open, files
// passed over make drafts of their own; when very many are passed over while one is open, it is
// closed, so that a draft never grows without end. That too depends on the files alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/batch/cut/cutter.h"
#include "tidemill/jobs/batch/cut/roots.h"

namespace tidemill::batch {

// A file that is in no batch, or a folder that could not be read (or could, at last).
struct PassedOver {
  Cursor at{};
  std::string reason{};              // skipped because
  std::optional<Failure> failure{};  // or failed
  bool is_folder = false;
};

struct Draft {
  std::vector<PassedOver> rows{};
  std::size_t rows_before = 0;  // of them, those before the last file of the batch
  std::optional<Batch> batch{};
  Cursor cursor{};                // behind it the next one begins
  std::optional<Cursor> again{};  // the same of letters that are tried again
};

// One thread.
class Drafter {
 public:
  static constexpr std::size_t kMostRows = 1'000;

  explicit Drafter(Cutter cutter) : cutter_(std::move(cutter)) {}

  // The draft that is complete now, if there is one.
  [[nodiscard]] std::optional<Draft> add(Weighed file);
  [[nodiscard]] std::optional<Draft> pass_over(PassedOver row);
  // All that is left.
  [[nodiscard]] std::optional<Draft> finish();

 private:
  [[nodiscard]] static Cursor behind(const PassedOver& row);
  // With the first `count` rows.
  [[nodiscard]] Draft draft_of(std::optional<Batch> batch, std::size_t count, Cursor cursor);

  Cutter cutter_;
  std::vector<PassedOver> rows_;
  std::size_t before_ = 0;  // of the rows, those before the last file
  Cursor last_;             // the last file of the open batch
};

}  // namespace tidemill::batch
