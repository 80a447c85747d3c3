#include "tidemill/jobs/each/job.h"

#include <gtest/gtest.h>

#include "tidemill/jobs/each/command/command_runner.h"

namespace tidemill::each {
namespace {

TEST(EachJob, ShowsTheElapsedTimeAsTheOutcome) {
  engine::TaskRecord task{.type = std::string(kTaskType), .outcome = "3200"};
  EXPECT_EQ(job().outcome_text(task), "3.2 s");
  task.outcome = "0";
  EXPECT_EQ(job().outcome_text(task), "under 1 ms");
  task.outcome = "12x";
  EXPECT_EQ(job().outcome_text(task), "12x");
}

}  // namespace
}  // namespace tidemill::each
