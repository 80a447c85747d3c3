#include "tidemill/jobs/docs/events.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tidemill::docs {
namespace {

using command::ItemState;
using command::SettledItem;
using Item = DocsPipeline::Item;
using Lines = std::vector<std::string>;

DocsItem piece(std::vector<std::string> warnings = {}) {
  return {.task = {.id = 7, .type = "command", .subject = "doc /summarize"},
          .warnings = std::move(warnings)};
}

TEST(Events, SettledItemsShowHowEachTaskEnded) {
  const SettledItem done =
      settled_item(Item{7, piece({"no comment"}), 1, DocsResult{.result = "3"}});
  EXPECT_EQ(done.name, "doc /summarize");
  EXPECT_EQ(done.state, ItemState::good);
  EXPECT_EQ(done.details, (Lines{"no comment", "3"}));
  const SettledItem failed =
      settled_item(Item{7, piece(), 3, Failure{.step = "decide", .reason = "no answer"}});
  EXPECT_EQ(failed.state, ItemState::failed);
  EXPECT_EQ(failed.details, Lines{"decide: no answer"});
  const SettledItem skipped =
      settled_item(Item{7, piece(), 1, engine::Skip{.reason = "withdrawn"}});
  EXPECT_EQ(skipped.state, ItemState::good);
  EXPECT_EQ(skipped.details, Lines{"skipped: withdrawn"});
}

}  // namespace
}  // namespace tidemill::docs
