#include "tidemill/jobs/batch/cut/drafter.h"

#include <iterator>

namespace tidemill::batch {

BatchDraft Drafter::draft_of(std::optional<Batch> batch, std::size_t count, Cursor cursor) {
  BatchDraft draft{.rows_before = before_, .batch = std::move(batch), .cursor = std::move(cursor)};
  const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(count);
  draft.rows.assign(std::make_move_iterator(rows_.begin()), std::make_move_iterator(end));
  rows_.erase(rows_.begin(), end);
  before_ = 0;
  return draft;
}

// After a folder that could not be read, the cursor is after everything in it.
Cursor Drafter::behind(const UnbatchedFile& row) {
  Cursor cursor = row.at;
  if (row.is_folder) cursor.path += '/';
  return cursor;
}

std::optional<BatchDraft> Drafter::add(Weighed file) {
  Cursor here{.root = file.root, .path = file.path};
  auto full = cutter_.add(std::move(file));
  std::optional<BatchDraft> draft;
  if (full) draft = draft_of(std::move(full), before_, std::move(last_));
  last_ = std::move(here);
  before_ = rows_.size();
  return draft;
}

std::optional<BatchDraft> Drafter::add_unbatched(UnbatchedFile row) {
  rows_.push_back(std::move(row));
  if (rows_.size() < kMostRows) return std::nullopt;
  return draft_of(cutter_.flush(), rows_.size(), behind(rows_.back()));
}

std::optional<BatchDraft> Drafter::finish() {
  if (cutter_.is_empty() && rows_.empty()) return std::nullopt;
  const bool ends_in_row = rows_.size() > before_ || cutter_.is_empty();
  Cursor cursor = ends_in_row ? behind(rows_.back()) : last_;
  return draft_of(cutter_.flush(), rows_.size(), std::move(cursor));
}

}  // namespace tidemill::batch
