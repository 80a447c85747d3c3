// SpooledGroups: the groups of a scan that never was in memory as a whole. Each part of the scan
// hands in its groups, sorted; they lie in the spool as a run, and are merged when the report asks
// for them. In memory there is one group of each run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/jobs/dupes/scan/spool.h"

namespace tidemill::dupes {

// One thread. Fails as the spool does.
class SpooledGroups final : public Groups {
 public:
  explicit SpooledGroups(Spool& spool) : spool_(spool) {}

  // `groups` come in the order of the report.
  [[nodiscard]] Result<void> add(Groups& groups);

  [[nodiscard]] std::size_t size() const override { return size_; }
  [[nodiscard]] Result<void> each(const std::function<bool(const Group&)>& on_group) override;

 private:
  Spool& spool_;
  std::deque<SpoolRun> runs_;
  std::size_t size_ = 0;
};

}  // namespace tidemill::dupes
