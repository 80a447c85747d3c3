#include "tidemill/jobs/each/job.h"

#include <string>
#include <utility>
#include <vector>

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

TEST(EachJob, ATaskCanBeRepeatedByHandInItsFolder) {
  const engine::TaskRecord task{.id = 7, .subject = "-a b.jpg"};
  const auto lines = [&](std::vector<std::string> arguments) {
    return job().by_hand({.arguments = std::move(arguments), .directory = "/my photos"}, task);
  };
  EXPECT_EQ(lines({"--jobs=2", "in", "--", "convert", "{}", "{#}.png"}),
            std::vector<std::string>{"cd '/my photos' && convert './-a b.jpg' 7.png"});
  EXPECT_EQ(
      lines({"--shell", "in", "--", "wc -l \"$1\" | sort"}),
      std::vector<std::string>{"cd '/my photos' && sh -c 'wc -l \"$1\" | sort' sh './-a b.jpg'"});
  // --shell behind the dashes belongs to the command.
  EXPECT_EQ(lines({"in", "--", "ssh", "--shell"}),
            std::vector<std::string>{"cd '/my photos' && ssh --shell './-a b.jpg'"});
  EXPECT_TRUE(lines({"in", "--"}).empty());
  EXPECT_TRUE(lines({"in"}).empty());
}

}  // namespace
}  // namespace tidemill::each
