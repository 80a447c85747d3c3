#include "tidemill/ui/term/terminal_console.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/utf8.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/fake_clock.h"
#include "tidemill/ui/term/emulator.h"
#include "tidemill/ui/term/fd_writer.h"
#include "tidemill/ui/term/live_block.h"

namespace tidemill::term {
namespace {

using namespace std::chrono_literals;
using command::Tone;
using engine::ProgressSnapshot;
using testing::FakeClock;
using Lines = std::vector<std::string>;

// A file in memory that receives the output.
class Sink {
 public:
  Sink() : fd_(::memfd_create("sink", MFD_CLOEXEC)) { EXPECT_GE(fd_, 0); }
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink() { ::close(fd_); }

  [[nodiscard]] int fd() const { return fd_; }
  // The bytes written since the last call.
  std::string take() {
    std::string bytes;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::pread(fd_, buffer, sizeof buffer, taken_)) > 0; taken_ += got) {
      bytes.append(buffer, static_cast<std::size_t>(got));
    }
    return bytes;
  }

 private:
  int fd_;
  off_t taken_ = 0;
};

ProgressSnapshot at(std::uint64_t done, std::uint64_t found = 100) {
  return {.counts = {.found = found, .done = done},
          .is_total_known = true,
          .items_per_second = 10,
          .elapsed = done * 100ms,
          .workers = 1,
          .busy = 1,
          .current = {{.note = "a\nfile", .id = 1, .running_for = 1s}}};
}
ProgressSnapshot last(std::uint64_t done = 100) {
  auto snapshot = at(done);
  snapshot.is_last = true;
  snapshot.current.clear();
  return snapshot;
}

constexpr Size kSize{.width = 60, .height = 10};

ConsoleOptions terminal(const Sink& sink, Size size = kSize) {
  return {.progress = ProgressMode::bar,
          .title = "each",
          .out = sink.fd(),
          .err = sink.fd(),
          .is_out_tty = true,
          .is_err_tty = true,
          .size = [size] { return size; }};
}

TEST(TerminalConsole, DrawsTheBlockBelowTheOutputAndRemovesItAtTheEnd) {
  Sink sink;
  const FakeClock clock;
  Emulator screen(kSize);
  TerminalConsole console(terminal(sink), clock);
  console.show(at(10));
  screen.feed(sink.take());
  EXPECT_EQ(screen.lines(), render(at(10), kSize, false, "each"));
  EXPECT_TRUE(screen.is_cursor_hidden());

  ASSERT_TRUE(console.out("one\n"));
  console.say(Tone::warning, "two");
  screen.feed(sink.take());
  EXPECT_EQ(screen.lines()[1], "two");
  EXPECT_TRUE(screen.lines()[2].starts_with("each ["));

  console.show(last());
  screen.feed(sink.take());
  EXPECT_EQ(screen.lines(), (Lines{"one", "two"}));
  EXPECT_FALSE(screen.is_cursor_hidden());
}

TEST(TerminalConsole, EndsAnUnfinishedLineBeforeTheBlock) {
  Sink sink;
  const FakeClock clock;
  Emulator screen(kSize);
  TerminalConsole console(terminal(sink), clock);
  ASSERT_TRUE(console.out("half"));
  console.show(at(10));
  ASSERT_TRUE(console.err("\x1b[31mred\n\x1b[0m"));  // ended: only a colour follows
  ASSERT_TRUE(console.out("more"));
  console.show(last());
  console.say(Tone::plain, "said");
  ASSERT_TRUE(console.out("no block, no line end"));
  ASSERT_TRUE(console.out("!"));
  screen.feed(sink.take());
  EXPECT_EQ(screen.lines(), (Lines{"half", "red", "more", "said", "no block, no line end!"}));
}

struct Event {
  enum class Kind : std::uint8_t { out, err, say, show, last, resize } kind;
  std::string text{};
  std::uint64_t number = 0;
};

Event any_event() {
  using Kind = Event::Kind;
  const auto kind = *rc::gen::weightedElement<Kind>({{4, Kind::out},
                                                     {2, Kind::err},
                                                     {2, Kind::say},
                                                     {6, Kind::show},
                                                     {1, Kind::last},
                                                     {1, Kind::resize}});
  static const Lines kOutputs = {"line\n",
                                 "two\nlines\n",
                                 "half",
                                 "",
                                 "漢字 and more\n",
                                 "\n",
                                 "\x1b[31mred\x1b[0m",
                                 "\x1b[0m",
                                 "red\n\x1b[0m",
                                 "x\ry\n",
                                 std::string(150, 'w'),
                                 std::string(60, 'w') + "\n",
                                 "\xff\n"};
  static const Lines kMessages = {"a message", "a message\n", "two\nlines", "", "漢字"};
  return {.kind = kind,
          .text = *rc::gen::elementOf(kind == Kind::say ? kMessages : kOutputs),
          .number = *rc::gen::inRange<std::uint64_t>(0, 101)};
}

ProgressSnapshot snapshot_of(const Event& event) {
  auto snapshot = at(event.number);
  for (std::uint64_t i = 0; i < event.number % 5; ++i) {
    snapshot.current.push_back({.note = "n\x1b[2J", .id = i, .running_for = 2s});
  }
  return snapshot;
}

// The contents of a terminal without a block: the bytes, and newlines where they are needed.
struct Model {
  Emulator screen;
  bool is_alive = false;
  bool is_open = false;

  void feed(std::string_view bytes) {
    screen.feed(bytes);
    if (bytes == "\x1b[0m" || bytes.empty()) return;
    is_open = !bytes.ends_with('\n') && !bytes.ends_with("\n\x1b[0m");
  }
  void end_line() {
    if (std::exchange(is_open, false)) screen.feed("\n");
  }
  void see(const Event& event) {
    switch (event.kind) {
      case Event::Kind::out:
      case Event::Kind::err:
        feed(event.text);
        break;
      case Event::Kind::say:
        end_line();
        feed(event.text);
        if (!event.text.ends_with('\n')) feed("\n");
        break;
      case Event::Kind::show:
        is_alive = true;
        break;
      case Event::Kind::last:
        is_alive = false;
        break;
      case Event::Kind::resize:
        break;
    }
    if (is_alive) end_line();
  }
};

void act(TerminalConsole& console, const Event& event) {
  switch (event.kind) {
    case Event::Kind::out:
      RC_ASSERT(console.out(event.text).has_value());
      break;
    case Event::Kind::err:
      RC_ASSERT(console.err(event.text).has_value());
      break;
    case Event::Kind::say:
      console.say(Tone::plain, event.text);
      break;
    case Event::Kind::show:
      console.show(snapshot_of(event));
      break;
    case Event::Kind::last:
      console.show(last());
      break;
    case Event::Kind::resize:
      break;
  }
}

RC_GTEST_PROP(TerminalConsole, ShowsExactlyWhatWasWrittenAndTheBlockBelow, ()) {
  Sink sink;
  const FakeClock clock;
  Size size = kSize;
  auto options = terminal(sink);
  options.size = [&size] { return size; };
  Emulator screen(kSize);
  Model model{.screen = Emulator(kSize)};
  {
    TerminalConsole console(options, clock);
    for (int i = *rc::gen::inRange(0, 40); i > 0; --i) {
      const Event event = any_event();
      // Only the height changes: rewrapping differs between terminals.
      if (event.kind == Event::Kind::resize) size.height = 3 + event.number % 8;
      act(console, event);
      model.see(event);
      screen.feed(sink.take());
      RC_ASSERT(screen.is_cursor_hidden() == model.is_alive);
      RC_ASSERT(screen.does_wrap());
      auto lines = screen.lines();
      if (model.is_alive) {
        const auto head = std::ranges::find_if(
            lines, [](const auto& line) { return line.starts_with("each ["); });
        RC_ASSERT(head != lines.end());
        const auto block_height = static_cast<std::size_t>(lines.end() - head);
        if (event.kind == Event::Kind::show) RC_ASSERT(block_height < size.height);
        lines.erase(head, lines.end());
        while (!lines.empty() && lines.back().empty()) lines.pop_back();
      }
      RC_ASSERT(lines == model.screen.lines());
    }
  }
  screen.feed(sink.take());
  RC_ASSERT(screen.lines() == model.screen.lines());
  RC_ASSERT(!screen.is_cursor_hidden());
  RC_ASSERT(screen.unknown().empty());
}

TEST(TerminalConsole, TheBlockDoesNotAlterRedirectedOutput) {
  Sink data;
  const Sink screen;
  const FakeClock clock;
  auto options = terminal(screen);
  options.out = data.fd();
  options.is_out_tty = false;
  TerminalConsole console(options, clock);
  console.show(at(1));
  ASSERT_TRUE(console.out("a"));
  console.show(at(2));
  ASSERT_TRUE(console.out(std::string("\0b\xff", 3)));
  console.show(last());
  EXPECT_EQ(data.take(), std::string("a\0b\xff", 4));
}

// Records each write separately.
struct Packets {
  int ends[2] = {-1, -1};

  Packets() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0); }
  Packets(const Packets&) = delete;
  Packets& operator=(const Packets&) = delete;
  ~Packets() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  Lines take() const {
    Lines packets;
    std::string buffer(1 << 16, '\0');
    for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;) {
      packets.push_back(buffer.substr(0, static_cast<std::size_t>(got)));
    }
    return packets;
  }
};

TEST(TerminalConsole, WritesAFrameInOneWriteAndSkipsUnchangedFrames) {
  const Packets packets;
  const Sink sink;
  const FakeClock clock;
  auto options = terminal(sink);
  options.err = packets.ends[1];
  TerminalConsole console(options, clock);
  console.show(at(1));
  EXPECT_EQ(packets.take().size(), 1U);
  console.show(at(1));
  EXPECT_EQ(packets.take().size(), 0U);
  console.show(at(20));
  EXPECT_EQ(packets.take().size(), 1U);
  ASSERT_TRUE(console.err("text\n"));
  EXPECT_EQ(packets.take().size(), 1U);
  console.say(Tone::bad, "text");
  EXPECT_EQ(packets.take().size(), 1U);
  console.show(last());
  const auto end = packets.take();
  ASSERT_EQ(end.size(), 1U);
  EXPECT_TRUE(end[0].ends_with(kShowCursor));
  console.flush_end();
  EXPECT_EQ(packets.take().size(), 0U);
}

TEST(TerminalConsole, RemovesTheCompleteBlockFromANarrowerWindow) {
  for (const std::size_t width : {40U, 13U, 5U}) {
    Sink sink;
    const FakeClock clock;
    Size now{.width = kSize.width, .height = 60};  // high enough that nothing scrolls out
    Emulator screen(now);
    auto options = terminal(sink);
    options.size = [&] { return now; };
    TerminalConsole console(options, clock);
    console.say(Tone::plain, "above");
    console.show(at(1));
    screen.feed(sink.take());
    screen.narrow(now.width = width);
    console.show(at(2));
    screen.feed(sink.take());
    console.flush_end();
    screen.feed(sink.take());
    EXPECT_EQ(screen.lines(), (Lines{"above"})) << width;
  }
}

TEST(TerminalConsole, RestoreShowsTheCursorAndNothingIsDrawnAfterIt) {
  Sink sink;
  const FakeClock clock;
  Emulator screen(kSize);
  TerminalConsole console(terminal(sink), clock);
  console.restore();
  EXPECT_EQ(sink.take(), "");
  console.resume();
  console.show(at(1));
  console.restore();
  screen.feed(sink.take());
  EXPECT_FALSE(screen.is_cursor_hidden());
  console.show(at(20));
  EXPECT_EQ(sink.take(), "");
  console.resume();
  console.show(at(30));
  screen.feed(sink.take());
  EXPECT_TRUE(screen.is_cursor_hidden());
  EXPECT_EQ(screen.lines().size(), 6U);  // the old block stays: its position is unknown
}

TEST(TerminalConsole, AStoppedTerminalIsNotDrawnOnAndDoesNotBlockData) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_GT(::fcntl(ends[1], F_SETPIPE_SZ, 4096), 0);
  ASSERT_TRUE(write_all(ends[1], std::string(4096, 'x'), "standard error"));
  Sink data;
  const FakeClock clock;
  auto options = terminal(data);
  options.err = ends[1];
  options.is_out_tty = false;
  TerminalConsole console(options, clock);
  console.show(at(1));  // returns
  std::atomic<bool> is_said = false;
  std::jthread talker([&] {
    console.say(Tone::bad, "waits for the terminal");
    is_said = true;
  });
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(console.out("data\n"));
  EXPECT_EQ(data.take().size(), 500U);
  EXPECT_FALSE(is_said);
  std::string drained(8192, '\0');
  ASSERT_EQ(::read(ends[0], drained.data(), 4096), 4096);
  talker.join();
  console.show(at(2));
  console.show(last());
  const auto got = ::read(ends[0], drained.data(), drained.size());
  EXPECT_TRUE(drained.substr(0, static_cast<std::size_t>(got)).starts_with("waits for"));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(TerminalConsole, FailsWhenTheReaderIsGone) {
  ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  Sink sink;
  const FakeClock clock;
  auto options = terminal(sink);
  options.out = ends[1];
  options.is_out_tty = false;
  {
    TerminalConsole console(options, clock);
    const auto written = console.out("x");
    ASSERT_FALSE(written);
    EXPECT_EQ(text_of(written.error()), "output: standard output is closed");
    EXPECT_TRUE(console.err("still here\n"));
  }
  std::swap(options.out, options.err);
  {
    TerminalConsole console(options, clock);
    console.show(at(1));
    console.say(Tone::bad, "lost");
    const auto written = console.err("x");
    ASSERT_FALSE(written);
    EXPECT_EQ(text_of(written.error()), "output: standard error is closed");
    EXPECT_TRUE(console.out("x"));
  }
  ::close(ends[1]);
}

TEST(TerminalConsole, QuietStillShowsWarningsAndErrors) {
  for (const auto mode : {ProgressMode::bar, ProgressMode::plain, ProgressMode::json}) {
    Sink sink;
    const FakeClock clock;
    auto options = terminal(sink);
    options.progress = mode;
    options.is_quiet = true;
    TerminalConsole console(options, clock);
    console.show(at(1));
    console.say(Tone::plain, "plain");
    console.say(Tone::good, "good");
    console.say(Tone::warning, "warning");
    console.say(Tone::bad, "bad");
    ASSERT_TRUE(console.out("out\n"));
    console.show(last());
    EXPECT_EQ(sink.take(), "warning\nbad\nout\n");
  }
}

TEST(TerminalConsole, ColoursEachLineOfAMessageByItsTone) {
  Sink sink;
  const FakeClock clock;
  auto options = terminal(sink);
  options.has_colour = true;
  TerminalConsole console(options, clock);
  console.say(Tone::bad, "one\ntwo");
  console.say(Tone::good, "three\n");
  console.say(Tone::plain, "four");
  EXPECT_EQ(sink.take(), "\x1b[31mone\x1b[0m\n\x1b[31mtwo\x1b[0m\n\x1b[32mthree\x1b[0m\nfour\n");
}

struct Logged {
  Sink sink;
  FakeClock clock;
  TerminalConsole console;

  explicit Logged(ProgressMode mode)
      : console({.progress = mode, .out = sink.fd(), .err = sink.fd()}, clock) {}
  std::string after(Instant::duration by, const ProgressSnapshot& snapshot) {
    clock.advance(by);
    console.show(snapshot);
    return sink.take();
  }
};

TEST(TerminalConsole, PlainPrintsALineEveryTenSecondsIfSomethingChanged) {
  Logged log(ProgressMode::plain);
  EXPECT_EQ(log.after(0s, at(0)), "");
  EXPECT_EQ(log.after(9900ms, at(5)), "");
  const auto line = log.after(100ms, at(6));
  ASSERT_EQ(line.size(), std::string("HH:MM:SS 6/100 done, 10/s\n").size());
  EXPECT_EQ(line.substr(8), " 6/100 done, 10/s\n");
  EXPECT_EQ(std::string({line[2], line[5]}), "::");
  EXPECT_EQ(log.after(10s, at(6)), "");  // nothing changed
  EXPECT_NE(log.after(1s, at(7)), "");   // at once when it does
  EXPECT_EQ(log.after(9900ms, at(8)), "");
  EXPECT_TRUE(log.after(1ms, last()).ends_with(" 100/100 done, 10/s, took 10.0 s\n"));
}

TEST(TerminalConsole, PlainMessagesStartOnANewLine) {
  Logged log(ProgressMode::plain);
  ASSERT_TRUE(log.console.err("half"));
  log.console.say(Tone::plain, "said");
  EXPECT_EQ(log.sink.take(), "half\nsaid\n");
}

TEST(TerminalConsole, JsonPrintsOneObjectPerLineEverySecond) {
  Logged log(ProgressMode::json);
  auto first = at(1);
  first.eta = 1500ms;
  first.current[0].note = "\xff";
  const auto line = log.after(0s, first);
  ASSERT_TRUE(line.ends_with("\n"));
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  const auto event = nlohmann::json::parse(line);
  EXPECT_EQ(event["v"], 1);
  EXPECT_EQ(event["event"], "progress");
  EXPECT_EQ(event["isLast"], false);
  EXPECT_EQ(event["found"], 100);
  EXPECT_EQ(event["done"], 1);
  EXPECT_EQ(event["etaSeconds"], 1.5);
  EXPECT_EQ(event["current"][0]["noteBase64"], "/w==");
  EXPECT_EQ(log.after(900ms, at(2)), "");
  const auto next = nlohmann::json::parse(log.after(100ms, at(2)));
  EXPECT_TRUE(next["etaSeconds"].is_null());
  EXPECT_EQ(nlohmann::json::parse(log.after(1ms, last()))["isLast"], true);
}

TEST(TerminalConsole, WorkersCanPrintWhileTheBlockIsDrawn) {
  Sink sink;
  const FakeClock clock;
  Emulator screen(kSize);
  {
    TerminalConsole console(terminal(sink), clock);
    std::vector<std::jthread> workers;
    for (int w = 0; w < 3; ++w) {
      workers.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {
          EXPECT_TRUE(console.out("data\n"));
          console.say(Tone::warning, "said");
        }
      });
    }
    for (std::uint64_t i = 0; i < 100; ++i) console.show(at(i));
    workers.clear();
  }
  screen.feed(sink.take());
  const auto lines = screen.lines();
  EXPECT_EQ(lines.size(), 600U);
  EXPECT_EQ(std::ranges::count(lines, "data"), 300);
  EXPECT_EQ(std::ranges::count(lines, "said"), 300);
}

}  // namespace
}  // namespace tidemill::term
