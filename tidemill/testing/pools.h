// Helpers for tests of a pool.
#pragma once

#include <utility>

#include <gtest/gtest.h>

#include "tidemill/engine/pool.h"

namespace tidemill::testing {

// Starts a pool; it is a test failure if it does not start.
[[nodiscard]] inline engine::Pool pool_of(engine::PoolOptions options) {
  auto pool = engine::Pool::start(std::move(options));
  EXPECT_TRUE(pool) << pool.error().reason;
  return *std::move(pool);
}

// Must hold for every pool after wait(): every accepted task is accounted for.
inline void expect_balanced(const engine::PoolReport& report) {
  EXPECT_EQ(report.accepted, report.completed + report.failed + report.dropped);
}

}  // namespace tidemill::testing
