// What most tests of a pool need.
#pragma once

#include <utility>

#include <gtest/gtest.h>

#include "tidemill/engine/pool.h"

namespace tidemill::testing {

// A pool that must start.
[[nodiscard]] inline engine::Pool pool_of(engine::PoolOptions options) {
  auto pool = engine::Pool::start(std::move(options));
  EXPECT_TRUE(pool) << pool.error().reason;
  return *std::move(pool);
}

// What must hold of every pool that has been waited for: no accepted task is unaccounted for.
inline void expect_balanced(const engine::PoolReport& report) {
  EXPECT_EQ(report.accepted, report.completed + report.failed + report.dropped);
}

}  // namespace tidemill::testing
