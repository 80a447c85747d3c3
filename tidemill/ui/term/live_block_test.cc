#include "tidemill/ui/term/live_block.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::term {
namespace {

using namespace std::chrono_literals;
using engine::ProgressSnapshot;
using Lines = std::vector<std::string>;

ProgressSnapshot usual() {
  return {.counts = {.found = 3150,
                     .done = 1188,
                     .failed = 12,
                     .found_bytes = {5'000'000},
                     .settled_bytes = {2'000'000}},
          .is_total_known = true,
          .items_per_second = 118,
          .bytes_per_second = 1.4e6,
          .eta = 74s,
          .elapsed = 45s,
          .workers = 2,
          .busy = 2,
          .failures = 12,
          .current = {{.note = "photos/2024/two.raw", .id = 8, .running_for = 3s},
                      {.note = "photos/2024/one.raw", .id = 7, .running_for = 12s}}};
}

std::string plain(std::string_view line) {
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      i = line.find('m', i);
    } else {
      out += line[i];
    }
  }
  return out;
}

TEST(LiveBlock, ShowsEverythingAtEightyColumns) {
  EXPECT_EQ(
      render(usual(), {.width = 80, .height = 24}, false, "each"),
      (Lines{"each [====================>                                ]  38 %  1,200/3,150",
             "118/s  1.4 MB/s  ETA 1 min 14 s  45 s elapsed  2/2 busy  12 failed",
             "  12 s  photos/2024/one.raw", "   3 s  photos/2024/two.raw"}));
}

TEST(LiveBlock, AtTwoHundredColumnsTheBarStaysReadable) {
  const auto lines = render(usual(), {.width = 200, .height = 50}, false, "each");
  EXPECT_EQ(lines[0],
            "each [======================>                                     ]  38 %  "
            "1,200/3,150");
}

TEST(LiveBlock, KeepsTheEssentialsAtTwentyColumns) {
  EXPECT_EQ(render(usual(), {.width = 20, .height = 24}, false, "each"),
            (Lines{" 38 %  1,200/3,150", "118/s  12 failed", "  12 s  photo…e.raw",
                   "   3 s  photo…o.raw"}));
}

TEST(LiveBlock, ShowsThatItIsStillScanning) {
  auto snapshot = usual();
  snapshot.is_total_known = false;
  snapshot.eta.reset();
  const auto lines = render(snapshot, {}, false, "each");
  EXPECT_EQ(lines[0], "each  1,200/3,150  scanning…");
  EXPECT_EQ(lines[1], "118/s  1.4 MB/s  45 s elapsed  2/2 busy  12 failed");
}

TEST(LiveBlock, UsesOneLineOnATwoLineTerminal) {
  EXPECT_EQ(render(usual(), {.width = 80, .height = 2}, false, "each"),
            (Lines{"each   38 %  1,200/3,150  ETA 1 min 14 s  12 failed"}));
}

TEST(LiveBlock, SaysAHundredPercentWhenNothingIsLeft) {
  auto snapshot = usual();
  snapshot.counts = {.found = 1'000'000, .done = 999'999};
  EXPECT_TRUE(render(snapshot, {}, false, "")[0].contains(" 99 %"));
  snapshot.counts.done += 1;
  EXPECT_TRUE(render(snapshot, {}, false, "")[0].contains("=] 100 %"));
}

TEST(LiveBlock, ShowsFailuresInRedAndOnlyWhenThereAreAny) {
  auto snapshot = usual();
  EXPECT_TRUE(render(snapshot, {}, true, "each")[1].contains("\x1b[31m12 failed\x1b[0m"));
  snapshot.failures = 0;
  EXPECT_FALSE(render(snapshot, {}, true, "each")[1].contains("failed"));
}

TEST(LiveBlock, ShowsTheLongestRunningFirstAndAtMostFour) {
  auto snapshot = usual();
  snapshot.current.clear();
  for (int i = 0; i < 9; ++i) {
    snapshot.current.push_back(
        {.note = i == 5 ? "" : "n" + std::to_string(i), .id = 5, .running_for = i * 1s});
  }
  const auto lines = render(snapshot, {}, false, "each");
  EXPECT_EQ(Lines(lines.begin() + 2, lines.end()),
            (Lines{"  8 s  n8", "  7 s  n7", "  6 s  n6", "  5 s  task 5"}));
  EXPECT_EQ(render(snapshot, {.width = 80, .height = 5}, false, "each").size(), 4U);
}

TEST(LiveBlock, EscapesControlCharactersInNames) {
  auto snapshot = usual();
  snapshot.current = {{.note = "a\n\x1b[2Jb\xff", .id = 1, .running_for = 1s}};
  EXPECT_EQ(render(snapshot, {}, false, "t\n").back(), "  1 s  a\\n\\x1b[2Jb\\xff");
  EXPECT_TRUE(render(snapshot, {}, false, "t\n")[0].starts_with("t\\n ["));
}

ProgressSnapshot any_snapshot() {
  const auto number = [] {
    return *rc::gen::element<std::uint64_t>(0, 1, 12, 999, 1'234'567, UINT64_MAX / 4,
                                            *rc::gen::arbitrary<std::uint32_t>());
  };
  const auto span = [&] { return Instant::duration(*rc::gen::arbitrary<std::int64_t>() / 2); };
  ProgressSnapshot snapshot{.counts = {.found = number(),
                                       .done = number(),
                                       .skipped = number(),
                                       .failed = number(),
                                       .found_bytes = {number()}},
                            .is_total_known = *rc::gen::arbitrary<bool>(),
                            .items_per_second = *rc::gen::element(0.0, 0.01, 3.3, 1e9, 1e300),
                            .bytes_per_second = *rc::gen::element(0.0, 0.01, 3.3, 1e9, 1e300),
                            .elapsed = span(),
                            .workers = number(),
                            .busy = number(),
                            .failures = number()};
  if (*rc::gen::arbitrary<bool>()) snapshot.eta = span();
  const std::vector<std::string> parts = {"a",  "dir/",   "\n",      "\x1b[2J", "\xff", "漢",
                                          "😀", "\u202e", "e\u0301", "\r",      "\\"};
  for (int i = *rc::gen::inRange(0, 7); i > 0; --i) {
    std::string note;
    for (int n = *rc::gen::inRange(0, 80); n > 0; --n) note += *rc::gen::elementOf(parts);
    snapshot.current.push_back({.note = note, .id = 1, .running_for = span()});
  }
  return snapshot;
}

RC_GTEST_PROP(LiveBlock, FitsEveryTerminalWhateverTheNames, ()) {
  const auto snapshot = any_snapshot();
  const Size size{
      .width = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(1, 301)),
      .height = *rc::gen::inRange<std::size_t>(0, 30)};
  const bool has_colour = *rc::gen::arbitrary<bool>();
  const auto title =
      *rc::gen::element<std::string>("", "each", "漢\n漢漢漢漢", "a very long title");
  const auto lines = render(snapshot, size, has_colour, title);
  RC_ASSERT(lines.empty() || lines.size() <= size.height - 1);
  RC_ASSERT(lines.size() <= 2 + kMostItems);
  for (const auto& line : lines) {
    const auto bare = has_colour ? plain(line) : line;
    RC_ASSERT(text::columns(bare) <= size.width - 1);
    RC_ASSERT(text::is_utf8(bare));
    for (const char c : bare) RC_ASSERT(c < 0 || c >= 0x20);
  }
  if (has_colour) {
    RC_ASSERT(lines.size() == render(snapshot, size, false, title).size());
  }
}

TEST(StatusText, DescribesProgressInOneLine) {
  auto snapshot = usual();
  EXPECT_EQ(status_text(snapshot), "1,188/3,150 done, 12 failed, 118/s, ETA 1 min 14 s");
  snapshot.is_total_known = false;
  snapshot.eta.reset();
  snapshot.failures = 0;
  snapshot.counts.skipped = 3;
  EXPECT_EQ(status_text(snapshot), "1,188/3,150 done, still scanning, 3 skipped, 118/s");
  snapshot.is_last = true;
  EXPECT_EQ(status_text(snapshot), "1,188/3,150 done, 3 skipped, 118/s, took 45.0 s");
}

}  // namespace
}  // namespace tidemill::term
