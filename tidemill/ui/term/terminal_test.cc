#include "tidemill/ui/term/terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace tidemill::term {
namespace {

const ScreenEnvironment kXterm{.term = "xterm-256color"};

TEST(Screen, UsesColoursOnlyOnACapableTerminal) {
  EXPECT_TRUE(wants_colour(ColourChoice::automatic, true, kXterm));
  EXPECT_FALSE(wants_colour(ColourChoice::automatic, false, kXterm));
  EXPECT_FALSE(wants_colour(ColourChoice::automatic, true, {.term = "dumb"}));
  EXPECT_FALSE(wants_colour(ColourChoice::automatic, true, {}));
}

TEST(Screen, TheColorFlagOverridesTheEnvironment) {
  const ScreenEnvironment no{.term = "dumb", .no_color = "1"};
  const ScreenEnvironment yes{.term = "xterm", .clicolor_force = "1"};
  EXPECT_TRUE(wants_colour(ColourChoice::always, false, no));
  EXPECT_FALSE(wants_colour(ColourChoice::never, true, yes));
}

TEST(Screen, NoColorOverridesClicolorForce) {
  EXPECT_FALSE(wants_colour(ColourChoice::automatic, true, {.term = "xterm", .no_color = "1"}));
  EXPECT_TRUE(
      wants_colour(ColourChoice::automatic, false, {.term = "dumb", .clicolor_force = "1"}));
  EXPECT_FALSE(wants_colour(ColourChoice::automatic, false, {.clicolor_force = "0"}));
  EXPECT_FALSE(wants_colour(ColourChoice::automatic, true,
                            {.term = "xterm", .no_color = "1", .clicolor_force = "1"}));
}

TEST(Screen, RedrawsOnlyOnATerminalThatIsNotDumb) {
  EXPECT_TRUE(can_redraw(true, kXterm));
  EXPECT_FALSE(can_redraw(false, kXterm));
  EXPECT_FALSE(can_redraw(true, {.term = "dumb"}));
  EXPECT_FALSE(can_redraw(true, {}));
}

TEST(Screen, ReportsTheCurrentTerminalSize) {
  const int leader = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(leader, 0);
  EXPECT_EQ(size_of(leader), (Size{.width = 80, .height = 24}));  // a new one reports 0×0
  winsize window{};
  window.ws_col = 133;
  window.ws_row = 7;
  ASSERT_EQ(::ioctl(leader, TIOCSWINSZ, &window), 0);
  EXPECT_EQ(size_of(leader), (Size{.width = 133, .height = 7}));
  ::close(leader);
}

TEST(Screen, UsesTheDefaultSizeWithoutATerminal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(is_tty(ends[1]));
  EXPECT_EQ(size_of(ends[1]), (Size{.width = 80, .height = 24}));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace tidemill::term
