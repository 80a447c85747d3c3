#include "tidemill/jobs/import/flow.h"

namespace tidemill::import {

void Flow::recycle(BatchPtr batch) {
  constexpr std::size_t kWorthKeeping = std::size_t{8} * 1024 * 1024;
  if (batch->block.buffer.capacity() > kWorthKeeping) return;
  RowBatch clean;
  clean.block.buffer = std::move(batch->block.buffer);
  clean.block.ends = std::move(batch->block.ends);
  if (!batch->tables.empty() && batch->tables.front().cells.memory() <= kWorthKeeping) {
    clean.tables.push_back(std::move(batch->tables.front()));
    clean.tables.front().table = nullptr;
    clean.tables.front().cells.clear();
    clean.tables.front().leaves = {};
  }
  *batch = std::move(clean);
  pool_.lock()->push_back(std::move(batch));
}

}  // namespace tidemill::import
