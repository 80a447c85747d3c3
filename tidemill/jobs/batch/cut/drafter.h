// Drafter: groups batches and skipped files into the drafts that BatchJournal writes, in the order
// of the files. Pure.
//
//   file, file, skipped, file │ skipped, file …      │: the batch is full
//   └──────── one draft ──────┘                      the rest belongs to the next one
//
// A draft holds a batch, the files before its last file that are in no batch, and the cursor after
// that file: a run that continues from the cursor makes the same batches. At kMostRows rows the
// draft is closed, together with the open batch if there is one, so that the size of a draft is
// bounded. This also depends on the files alone.
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

// A file that is not in a batch, or a folder that could not be read (or could, on a retry).
struct UnbatchedFile {
  Cursor at{};
  std::string reason{};              // why it was skipped
  std::optional<Failure> failure{};  // why it failed
  bool is_folder = false;
};

struct BatchDraft {
  std::vector<UnbatchedFile> rows{};
  std::size_t rows_before = 0;  // rows before the last file of the batch
  std::optional<Batch> batch{};
  Cursor cursor{};                // the next draft begins after it
  std::optional<Cursor> again{};  // the same for dead letters that are retried
};

// One thread.
class Drafter {
 public:
  static constexpr std::size_t kMostRows = 1'000;

  explicit Drafter(Cutter cutter) : cutter_(std::move(cutter)) {}

  // Both return the draft that this completes, if any.
  [[nodiscard]] std::optional<BatchDraft> add(Weighed file);
  [[nodiscard]] std::optional<BatchDraft> add_unbatched(UnbatchedFile row);
  // Returns what is left as the last draft.
  [[nodiscard]] std::optional<BatchDraft> finish();

 private:
  [[nodiscard]] static Cursor behind(const UnbatchedFile& row);
  // Takes the first `count` rows.
  [[nodiscard]] BatchDraft draft_of(std::optional<Batch> batch, std::size_t count, Cursor cursor);

  Cutter cutter_;
  std::vector<UnbatchedFile> rows_;
  std::size_t before_ = 0;  // rows before the last file
  Cursor last_;             // the last file of the open batch
};

}  // namespace tidemill::batch
