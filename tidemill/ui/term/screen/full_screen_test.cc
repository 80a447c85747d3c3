// Tests on a pseudo-terminal: drawing, keys, and that the terminal is restored.
#include "tidemill/ui/term/screen/full_screen.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/ui/term/screen/buffer.h"
#include "tidemill/ui/term/screen/console.h"

namespace tidemill::term {
namespace {

using command::ItemState;
using command::SettledItem;
using testing::eventually;

constexpr std::string_view kTakes = "\x1b[?1049h";  // xterm: switch to the alternate screen
constexpr std::string_view kGivesBack = "\x1b[?1049l";

// Both ends of a pseudo-terminal. A thread reads the drawn bytes once it is started.
class Terminal {
 public:
  Terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    (void)::grantpt(master_.number());
    (void)::unlockpt(master_.number());
    std::array<char, 64> name{};
    (void)::ptsname_r(master_.number(), name.data(), name.size());
    path_ = name.data();
    slave_ = Descriptor(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    before_ = modes();
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { slave_.close(); }  // the reader sees the end

  void read() {
    reader_ = std::jthread([this] {
      std::array<char, 4096> block{};
      for (;;) {
        const ssize_t got = ::read(master_.number(), block.data(), block.size());
        if (got <= 0) return;
        seen_.lock()->append(block.data(), static_cast<std::size_t>(got));
      }
    });
  }
  void type(std::string_view keys) {
    ASSERT_EQ(::write(master_.number(), keys.data(), keys.size()),
              static_cast<ssize_t>(keys.size()));
  }
  [[nodiscard]] bool comes_to_show(std::string_view part) {
    return eventually([&] { return seen_.lock()->find(part) != std::string::npos; });
  }
  [[nodiscard]] std::string seen() { return *seen_.lock(); }
  void forget() { seen_.lock()->clear(); }
  [[nodiscard]] bool is_as_before() const {
    const termios now = modes();
    return now.c_lflag == before_.c_lflag && now.c_iflag == before_.c_iflag &&
           now.c_oflag == before_.c_oflag;
  }
  [[nodiscard]] CanvasOptions options() const { return {.path = path_, .term = "xterm"}; }
  [[nodiscard]] int number() const { return slave_.number(); }

 private:
  [[nodiscard]] termios modes() const {
    termios now{};
    (void)::tcgetattr(slave_.number(), &now);
    return now;
  }

  Descriptor master_;
  Descriptor slave_;
  std::string path_;
  termios before_{};
  Guarded<std::string> seen_;
  std::jthread reader_;
};

engine::ProgressSnapshot snapshot(bool is_last) {
  engine::ProgressSnapshot shown{.is_total_known = true, .is_last = is_last, .workers = 1};
  shown.counts.found = 2;
  shown.counts.done = is_last ? 2 : 1;
  return shown;
}

const SystemClock kClock;

TEST(FullScreen, DrawsItemsAndRestoresTheTerminalAtTheEnd) {
  Terminal terminal;
  terminal.read();
  FullScreen screen({.canvas = terminal.options(), .title = "each"}, kClock);
  ASSERT_TRUE(screen.start());
  screen.show(snapshot(false));
  screen.settle({.name = "größe.txt", .state = ItemState::failed, .details = {"exit status 1"}});
  EXPECT_TRUE(terminal.comes_to_show("größe.txt"));
  EXPECT_EQ(terminal.seen().find("\x1b[33m"), std::string::npos);
  EXPECT_FALSE(terminal.is_as_before());
  screen.interrupt();  // the screen does not wait for the user
  screen.finish();
  EXPECT_TRUE(terminal.comes_to_show(kGivesBack));
  EXPECT_TRUE(terminal.is_as_before());
}

TEST(FullScreen, UsesColoursWhenEnabled) {
  Terminal terminal;
  terminal.read();
  CanvasOptions options = terminal.options();
  options.has_colour = true;
  FullScreen screen({.canvas = options}, kClock);
  ASSERT_TRUE(screen.start());
  screen.settle({.name = "first", .state = ItemState::failed});
  screen.settle({.name = "second", .state = ItemState::failed});  // chosen: in reverse video
  EXPECT_TRUE(terminal.comes_to_show("\x1b[33m"));
}

TEST(FullScreen, StaysAfterTheEndUntilTheUserLeaves) {
  Terminal terminal;
  terminal.read();
  std::atomic<bool> has_left = false;
  FullScreen screen({.canvas = terminal.options(), .on_leave = [&] { has_left = true; }}, kClock);
  screen.show(snapshot(true));
  ASSERT_TRUE(screen.start());
  std::jthread finisher([&] { screen.finish(); });
  EXPECT_TRUE(terminal.comes_to_show("The run has ended."));
  EXPECT_TRUE(screen.is_over());  // Ctrl-C prints no message about stopping
  EXPECT_FALSE(has_left);
  terminal.type("q");
  finisher.join();
  EXPECT_TRUE(has_left);
  EXPECT_TRUE(terminal.is_as_before());
}

// The screen's thread requests the stop after it has read the mail and before it decides to stay.
TEST(FullScreen, ShowsARunThatEndsBetweenTwoPolls) {
  Terminal terminal;
  terminal.read();
  std::atomic<bool> is_between = false;
  std::atomic<bool> is_over = false;
  std::atomic<bool> has_left = false;
  FullScreen screen({.canvas = terminal.options(),
                     .on_stop =
                         [&] {
                           is_between = true;
                           EXPECT_TRUE(eventually([&] { return is_over.load(); }));
                         },
                     .on_leave = [&] { has_left = true; }},
                    kClock);
  ASSERT_TRUE(screen.start());
  screen.show(snapshot(false));
  EXPECT_TRUE(terminal.comes_to_show("q close"));
  terminal.type("\x1b");
  EXPECT_TRUE(terminal.comes_to_show("Stop the run?"));
  terminal.type("y");
  EXPECT_TRUE(eventually([&] { return is_between.load(); }));
  screen.show(snapshot(true));
  std::jthread finisher([&] { screen.finish(); });
  EXPECT_TRUE(eventually([&] { return screen.is_over(); }));
  is_over = true;
  EXPECT_TRUE(terminal.comes_to_show("The run has ended."));
  EXPECT_FALSE(has_left);
  terminal.type("q");
  finisher.join();
}

TEST(FullScreen, EscapeAsksToStopAndArrowKeysDoNot) {
  Terminal terminal;
  terminal.read();
  std::atomic<int> stops = 0;
  FullScreen screen({.canvas = terminal.options(), .on_stop = [&] { ++stops; }}, kClock);
  ASSERT_TRUE(screen.start());
  screen.show(snapshot(false));
  EXPECT_TRUE(terminal.comes_to_show("q close"));
  terminal.type("\x1bOA\x1bOB?");  // up, down
  EXPECT_TRUE(terminal.comes_to_show("this help"));
  terminal.type("?");
  EXPECT_EQ(stops, 0);
  terminal.type("\x1b");
  EXPECT_TRUE(terminal.comes_to_show("Stop the run?"));
  terminal.type("y");
  EXPECT_TRUE(eventually([&] { return stops == 1; }));
}

TEST(FullScreen, DoesNotBlockCallersWhenNobodyReadsTheTerminal) {
  Terminal terminal;  // not read
  FullScreen screen({.canvas = terminal.options()}, kClock);
  ASSERT_TRUE(screen.start());
  for (int i = 0; i < 50'000; ++i) {
    screen.settle({.name = "name" + std::to_string(i), .state = ItemState::failed});
    screen.show(snapshot(false));
    screen.tell(command::Tone::warning, "message " + std::to_string(i));
  }
  terminal.read();
  screen.pause();  // the next drawing is complete
  terminal.forget();
  screen.resume();
  EXPECT_TRUE(terminal.comes_to_show("name49999"));
  EXPECT_TRUE(terminal.comes_to_show("50,000"));  // dropped items are counted
}

TEST(FullScreen, RestoresTheTerminalOnPauseAndTakesItBackOnResume) {
  Terminal terminal;
  terminal.read();
  FullScreen screen({.canvas = terminal.options(), .title = "each"}, kClock);
  ASSERT_TRUE(screen.start());
  screen.show(snapshot(false));
  EXPECT_TRUE(terminal.comes_to_show("q close"));
  screen.pause();
  EXPECT_TRUE(terminal.is_as_before());
  EXPECT_TRUE(terminal.comes_to_show(kGivesBack));
  terminal.forget();
  screen.resume();
  EXPECT_TRUE(terminal.comes_to_show("q close"));  // the complete screen again
  EXPECT_NE(terminal.seen().find(kTakes), std::string::npos);
}

TEST(FullScreen, RejectsUnknownDumbAndMissingTerminals) {
  const auto why = [](CanvasOptions options) {
    const auto checked = FullScreenCanvas::check(options);
    return checked ? "" : checked.error().step + ": " + checked.error().reason;
  };
  const Terminal terminal;
  CanvasOptions options = terminal.options();
  EXPECT_EQ(why(options), "");
  options.term = "no-such-terminal";
  EXPECT_EQ(why(options),
            "usage: --screen needs a terminal: unknown terminal type no-such-terminal");
  options.term = "dumb";
  EXPECT_EQ(why(options),
            "usage: --screen needs a terminal: TERM is dumb, which cannot move the cursor");
  EXPECT_EQ(why({.path = "/dev/null", .term = "xterm"}),
            "usage: --screen needs a terminal: there is no terminal");
}

TEST(FullScreenMail, DropsTheOldestAndCountsThem) {
  FullScreenMail mail;
  for (std::size_t i = 0; i < FullScreenMail::kMostItems + 7; ++i) {
    mail.post({.name = std::to_string(i), .state = i < 3 ? ItemState::good : ItemState::bad});
  }
  const auto load = mail.take();
  EXPECT_EQ(load.items.size(), FullScreenMail::kMostItems);
  EXPECT_EQ(load.items.front().name, "7");
  EXPECT_EQ(load.dropped, (std::array<std::uint64_t, 3>{3, 4, 0}));
  EXPECT_TRUE(mail.take().items.empty());
}

TEST(FullScreenMail, TruncatesLongNamesAndDetails) {
  FullScreenMail mail;
  mail.post({.name = std::string(100'000, 'n'),
             .details = std::vector<std::string>(1'000, std::string(5'000, 'x'))});
  const auto load = mail.take();
  const SettledItem& item = load.items.front();
  EXPECT_EQ(item.name.size(), FullScreenMail::kLongestName);
  EXPECT_EQ(item.details.size(), FullScreenMail::kMostDetails + 1);
  EXPECT_EQ(item.details.front().size(), FullScreenMail::kLongestLine);
  EXPECT_EQ(item.details.back(), "and 800 more");
}

TEST(FullScreenConsole, HoldsOutputUntilTheScreenClosesAndThenShowsTheBar) {
  Terminal terminal;
  terminal.read();
  FullScreenConsole console({.progress = ProgressMode::bar,
                             .title = "each",
                             .out = terminal.number(),
                             .err = terminal.number(),
                             .is_out_tty = true,
                             .is_err_tty = true},
                            kClock);
  EXPECT_FALSE(console.wants_items());
  console.want_screen({.canvas = terminal.options(), .title = "each"});
  EXPECT_TRUE(console.wants_items());
  console.say(command::Tone::plain, "before");
  EXPECT_TRUE(terminal.comes_to_show("before"));
  console.show(snapshot(false));
  ASSERT_TRUE(console.out("first\n"));
  ASSERT_TRUE(console.err("second\n"));
  console.say(command::Tone::warning, "third");
  EXPECT_TRUE(terminal.comes_to_show("third"));  // on the screen
  EXPECT_EQ(terminal.seen().find("first"), std::string::npos);
  terminal.type("q");
  EXPECT_TRUE(eventually([&] { return !console.wants_items(); }));
  EXPECT_TRUE(terminal.comes_to_show("first\r\nsecond\r\nthird"));
  EXPECT_GT(terminal.seen().find("first"), terminal.seen().find(kGivesBack));
  terminal.forget();
  console.show(snapshot(false));
  EXPECT_TRUE(terminal.comes_to_show("each [==="));
  EXPECT_EQ(terminal.seen().find(kTakes), std::string::npos);
  console.flush_end();
  EXPECT_TRUE(terminal.is_as_before());
}

}  // namespace
}  // namespace tidemill::term
