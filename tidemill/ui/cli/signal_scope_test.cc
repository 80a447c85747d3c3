#include "tidemill/ui/cli/signal_scope.h"

#include <gtest/gtest.h>

namespace tidemill::cli {
namespace {

TEST(StoppingText, OffersASecondCtrlCOnlyWhereItDoesSomething) {
  EXPECT_TRUE(stopping_text(SecondStop::kills_commands, true).contains("Ctrl-C again to kill"));
  EXPECT_TRUE(stopping_text(SecondStop::exits, true).contains("Ctrl-C again to exit"));
  EXPECT_FALSE(stopping_text(SecondStop::waits, true).contains("Ctrl-C"));
}

TEST(StoppingText, MentionsKillingOnlyWhereCommandsAreKilled) {
  EXPECT_TRUE(stopping_text(SecondStop::kills_commands, false).contains("Killing"));
  EXPECT_TRUE(stopping_text(SecondStop::exits, false).contains("Exiting"));
  EXPECT_TRUE(stopping_text(SecondStop::waits, false).contains("Still stopping"));
}

}  // namespace
}  // namespace tidemill::cli
