// PartitionedGroups: the groups of a scan that does not fit into memory. The sorted groups of each
// partition are stored in the partition file as a run, and are merged when the report reads them.
// Then one group of each run is in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/jobs/dupes/scan/partition_file.h"

namespace tidemill::dupes {

// One thread. Fails as the partition file does.
class PartitionedGroups final : public Groups {
 public:
  explicit PartitionedGroups(PartitionFile& partition_file) : partition_file_(partition_file) {}

  // `groups` must be in the order of the report.
  [[nodiscard]] Result<void> add(Groups& groups);

  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] Result<void> each(const std::function<bool(const Group&)>& on_group) override;

 private:
  PartitionFile& partition_file_;
  std::deque<PartitionChunks> runs_;
  std::size_t size_ = 0;
};

}  // namespace tidemill::dupes
