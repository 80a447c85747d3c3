#include "tidemill/ui/term/screen/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tidemill/formats/text/columns.h"

namespace tidemill::term {
namespace {

using command::ItemState;
using command::SettledItem;
using engine::ProgressSnapshot;

const ItemWords kBooks{.good = "valid", .bad = "invalid", .failed = "errored"};
constexpr Size kSize{.width = 80, .height = 24};

ProgressSnapshot snapshot(std::uint64_t done, std::uint64_t found, bool is_last = false) {
  ProgressSnapshot shown{.is_total_known = true, .is_last = is_last, .workers = 2};
  shown.counts.found = found;
  shown.counts.done = done;
  if (is_last) return shown;
  shown.busy = 2;
  shown.current = {{.note = "young.epub", .id = 1, .running_for = std::chrono::seconds(3)},
                   {.note = "old.epub", .id = 2, .running_for = std::chrono::seconds(12)}};
  return shown;
}

SettledItem item(std::string name, ItemState state, std::vector<std::string> details = {}) {
  return {.name = std::move(name), .state = state, .details = std::move(details)};
}

std::vector<std::string> picture(ScreenModel& model, Size size = kSize) {
  std::vector<std::string> lines;
  for (const Line& line : model.render(size)) lines.push_back(text_of(line));
  return lines;
}

bool shows(ScreenModel& model, std::string_view part, Size size = kSize) {
  return std::ranges::any_of(picture(model, size), [&](const std::string& line) {
    return line.find(part) != std::string::npos;
  });
}

std::string chosen_line(ScreenModel& model) {
  for (const Line& line : model.render(kSize)) {
    if (line.size() == 1 && line[0].style == Style::chosen) return line[0].text;
  }
  return "";
}

KeyAction type(ScreenModel& model, std::string_view characters) {
  KeyAction wish = KeyAction::none;
  for (const char c : characters) wish = model.press({.character = static_cast<char32_t>(c)});
  return wish;
}

TEST(ScreenModel, ShowsTheBarTheWorkersByAgeTheCountsAndTheProblems) {
  ScreenModel model("books check", kBooks);
  model.show(snapshot(50, 100));
  model.add(item("good.epub", ItemState::good));
  model.add(item("bad.epub", ItemState::bad, {"2 errors: RSC-005"}));
  model.add(item("lost.epub", ItemState::failed, {"it crashed"}));
  const auto lines = picture(model);
  ASSERT_EQ(lines.size(), 24U);
  EXPECT_TRUE(lines[0].starts_with("books check [====")) << lines[0];
  EXPECT_NE(lines[0].find(" 50 %  50/100"), std::string::npos) << lines[0];
  EXPECT_EQ(lines[2], "    12 s  old.epub");
  EXPECT_EQ(lines[3], "     3 s  young.epub");
  EXPECT_EQ(lines[4], " 1 problems 2   2 valid 1   3 invalid 1   4 errored 1  ");
  EXPECT_EQ(lines[5], "invalid  bad.epub  2 errors: RSC-005");
  EXPECT_TRUE(lines[6].starts_with("errored  lost.epub  it crashed")) << lines[6];
  EXPECT_EQ(lines[7], "");
  EXPECT_NE(lines[23].find("q close"), std::string::npos);
}

TEST(ScreenModel, NumberKeysAndTabSwitchBetweenStates) {
  ScreenModel model("books check", kBooks);
  model.add(item("good.epub", ItemState::good));
  model.add(item("bad.epub", ItemState::bad));
  type(model, "2");
  EXPECT_TRUE(shows(model, "good.epub"));
  EXPECT_FALSE(shows(model, "bad.epub"));
  EXPECT_EQ(model.press({.key = Key::tab}), KeyAction::none);
  EXPECT_TRUE(shows(model, "bad.epub"));
  EXPECT_EQ(model.press({.key = Key::shift_tab}), KeyAction::none);
  EXPECT_TRUE(shows(model, "good.epub"));
  type(model, "9");  // no such tab
  EXPECT_TRUE(shows(model, "good.epub"));
}

TEST(ScreenModel, AJobWithoutABadStateHasTwoTabsAndOpensOnFailed) {
  ScreenModel model("each", {});
  model.add(item("fine", ItemState::good));
  model.add(item("broken", ItemState::failed, {"exit status 1"}));
  EXPECT_TRUE(shows(model, " 1 done 1   2 failed 1 "));
  EXPECT_TRUE(shows(model, "failed  broken  exit status 1"));
  EXPECT_FALSE(shows(model, "fine"));
}

TEST(ScreenModel, FilterMatchesNamesAndDetailsIgnoringCaseAndEscapeClearsIt) {
  ScreenModel model("books check", kBooks);
  model.add(item("one.epub", ItemState::bad, {"1 error: RSC-005"}));
  model.add(item("two.epub", ItemState::bad, {"1 error: RSC-007"}));
  type(model, "/rsc-007");
  EXPECT_TRUE(shows(model, "Filter: rsc-007"));
  EXPECT_TRUE(shows(model, "two.epub"));
  EXPECT_FALSE(shows(model, "one.epub"));
  model.add(item("three.epub", ItemState::bad, {"RSC-007"}));
  model.add(item("four.epub", ItemState::bad, {"RSC-006"}));
  EXPECT_TRUE(shows(model, "three.epub"));
  EXPECT_FALSE(shows(model, "four.epub"));
  for (int i = 0; i < 7; ++i) (void)model.press({.key = Key::backspace});
  type(model, "ONE");  // while editing, characters go into the filter
  EXPECT_EQ(type(model, "q"), KeyAction::none);
  (void)model.press({.key = Key::backspace});
  (void)model.press({.key = Key::backspace});
  EXPECT_EQ(model.press({.key = Key::enter}), KeyAction::none);
  EXPECT_TRUE(shows(model, "filter: "));
  EXPECT_EQ(model.press({.key = Key::escape}), KeyAction::none);
  EXPECT_TRUE(shows(model, "one.epub"));
  EXPECT_TRUE(shows(model, "four.epub"));
}

TEST(ScreenModel, SelectsTheNewestItemUntilTheUserMovesAwayAndAgainAfterEnd) {
  ScreenModel model("each", {});
  for (int i = 0; i < 100; ++i) model.add(item("name" + std::to_string(i), ItemState::failed));
  EXPECT_TRUE(chosen_line(model).starts_with("failed  name99 "));
  (void)model.press({.key = Key::up});
  model.add(item("name100", ItemState::failed));
  EXPECT_TRUE(chosen_line(model).starts_with("failed  name98 "));
  (void)model.press({.key = Key::home});
  EXPECT_TRUE(chosen_line(model).starts_with("failed  name0 "));
  (void)model.press({.key = Key::page_down});
  EXPECT_TRUE(chosen_line(model).starts_with("failed  name19 ")) << chosen_line(model);
  type(model, "jjk");
  EXPECT_TRUE(chosen_line(model).starts_with("failed  name20 "));
  (void)model.press({.key = Key::end});
  model.add(item("last", ItemState::failed));
  EXPECT_TRUE(chosen_line(model).starts_with("failed  last "));
}

TEST(ScreenModel, DetailsStayOnTheirItemWhileTheListGrows) {
  ScreenModel model("books check", kBooks);
  model.add(item("bad.epub", ItemState::bad, {"2 errors", "error RSC-005 at line 4"}));
  EXPECT_EQ(model.press({.key = Key::enter}), KeyAction::none);
  for (std::size_t i = 0; i < ScreenModel::kMostItems + 5; ++i) {
    model.add(item("more", ItemState::bad));
  }
  EXPECT_TRUE(shows(model, "error RSC-005 at line 4"));
  EXPECT_EQ(model.press({.key = Key::escape}), KeyAction::none);
  EXPECT_FALSE(shows(model, "error RSC-005 at line 4"));
  EXPECT_TRUE(shows(model, "more"));
}

TEST(ScreenModel, LongDetailsAreWrappedAndScroll) {
  ScreenModel model("books check", kBooks);
  std::vector<std::string> details(60, "short");
  details.push_back(std::string(200, 'x') + "END");
  model.add(item("bad.epub", ItemState::bad, details));
  (void)model.press({.key = Key::enter});
  EXPECT_FALSE(shows(model, "END"));
  (void)model.press({.key = Key::end});
  EXPECT_TRUE(shows(model, "xEND"));
  (void)model.press({.key = Key::home});
  EXPECT_TRUE(shows(model, "bad.epub"));
}

TEST(ScreenModel, WrapsDetailsBetweenWordsAndPathsAtTheLineEnd) {
  ScreenModel model("books check", kBooks);
  model.add(item("a/" + std::string(80, 'b') + "/c.epub", ItemState::bad,
                 {"a foreign resource without a fallback: audio", std::string(50, ' ')}));
  (void)model.press({.key = Key::enter});
  const auto lines = picture(model, {.width = 40, .height = 24});
  const auto details = std::ranges::find(lines, "a/" + std::string(38, 'b'));
  ASSERT_NE(details, lines.end());
  EXPECT_EQ(std::vector<std::string>(details + 1, details + 7),
            (std::vector<std::string>{"    " + std::string(36, 'b'),
                                      "    " + std::string(6, 'b') + "/c.epub", "invalid", "",
                                      "a foreign resource without a fallback:", "    audio"}));
}

TEST(ScreenModel, HelpFitsEightyColumns) {
  ScreenModel model("each", {});
  model.show(snapshot(1, 2));
  type(model, "?");
  EXPECT_TRUE(shows(model, "/          filter by name or detail"));
  EXPECT_FALSE(shows(model, "…"));
}

TEST(ScreenModel, EscapeAsksBeforeStoppingARunAndClosesTheScreenAfterItsEnd) {
  ScreenModel model("each", {});
  model.show(snapshot(1, 2));
  for (const KeyPress no : {KeyPress{.key = Key::escape}, KeyPress{.character = U'n'}}) {
    EXPECT_EQ(model.press({.key = Key::escape}), KeyAction::none);
    EXPECT_TRUE(shows(model, "Stop the run? Press y to stop"));
    EXPECT_EQ(model.press(no), KeyAction::none);
    EXPECT_FALSE(shows(model, "Stop the run?"));
  }
  EXPECT_EQ(type(model, "y"), KeyAction::none);  // no question is open
  EXPECT_EQ(model.press({.key = Key::escape}), KeyAction::none);
  EXPECT_EQ(type(model, "y"), KeyAction::stop);
  EXPECT_EQ(model.press({.key = Key::escape}), KeyAction::none);
  EXPECT_EQ(type(model, "y"), KeyAction::none);
  EXPECT_TRUE(shows(model, "stopping"));
  model.show(snapshot(2, 2, true));
  EXPECT_FALSE(shows(model, "The run has ended."));  // its report is not written yet
  EXPECT_EQ(model.press({.key = Key::escape}), KeyAction::none);
  model.note_over();
  EXPECT_TRUE(shows(model, "The run has ended."));
  EXPECT_EQ(model.press({.key = Key::escape}), KeyAction::leave);
  EXPECT_EQ(type(model, "q"), KeyAction::leave);
}

TEST(ScreenModel, SaysWhatARunWaitsFor) {
  ScreenModel model("batch", {});
  engine::ProgressSnapshot waiting = snapshot(1, 2);
  waiting.waits_for = "the workers: the queue holds 300 batches";
  model.show(waiting);
  EXPECT_TRUE(shows(model, "waiting for the workers: the queue holds 300 batches"));
}

TEST(ScreenModel, KeepsTheNewestItemsAndCountsAll) {
  ScreenModel model("each", {});
  for (std::size_t i = 0; i < ScreenModel::kMostItems + 2'345; ++i) {
    model.add(item("name" + std::to_string(i), ItemState::failed));
  }
  model.count_unseen(ItemState::failed, 5);
  EXPECT_TRUE(shows(model, " 2 failed 12,350 "));
  (void)model.press({.key = Key::home});
  EXPECT_TRUE(chosen_line(model).starts_with("failed  name2345 ")) << chosen_line(model);
}

TEST(ScreenModel, KeepsFewerItemsWhenTheirDetailsAreLong) {
  ScreenModel model("each", {});
  const std::string line(ScreenModel::kMostBytes / 4, 'x');
  for (int i = 0; i < 10; ++i) {
    model.add(item("name" + std::to_string(i), ItemState::failed, {line}));
  }
  (void)model.press({.key = Key::home});
  EXPECT_TRUE(chosen_line(model).starts_with("failed  name7 ")) << chosen_line(model);
}

TEST(ScreenModel, EscapesControlCharactersEverywhere) {
  ScreenModel model("each", {});
  auto shown = snapshot(1, 2);
  shown.current[0].note = "\x1b[2Jworker\n";
  model.show(shown);
  model.add(item("a\x1b[31m\nb\xff", ItemState::failed, {"\x1b]0;title\x07"}));
  type(model, "/\x1b");
  const auto is_clean = [&] {
    return std::ranges::all_of(picture(model), [](const std::string& line) {
      return std::ranges::none_of(line, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; });
    });
  };
  EXPECT_TRUE(is_clean());
  EXPECT_TRUE(shows(model, "\\x1b[2Jworker\\n"));
  (void)model.press({.key = Key::escape});
  (void)model.press({.key = Key::enter});
  EXPECT_TRUE(is_clean());
  EXPECT_TRUE(shows(model, "a\\x1b[31m\\nb\\xff"));
  EXPECT_TRUE(shows(model, "\\x1b]0;title\\x07"));
}

TEST(ScreenModel, FitsEveryScreenSizeIncludingZero) {
  ScreenModel model("books check", kBooks);
  model.show(snapshot(50, 100));
  for (int i = 0; i < 30; ++i) {
    model.add(item("folder/書籍の長い名前/name" + std::to_string(i), ItemState::bad,
                   {"2 errors: RSC-005, RSC-007", "more"}));
  }
  model.tell(command::Tone::warning, "a message that is longer than most of these screens are");
  for (const auto key : {Key::up, Key::enter, Key::escape, Key::down}) {
    for (std::size_t width = 0; width < 90; width += 3) {
      for (std::size_t height = 0; height < 30; ++height) {
        const auto lines = picture(model, {.width = width, .height = height});
        ASSERT_EQ(lines.size(), height) << width;
        for (const std::string& line : lines) ASSERT_LE(text::columns(line), width) << line;
      }
    }
    (void)model.press({.key = key});
  }
}

TEST(ScreenModel, ShowsTheMostImportantKeysOnANarrowScreen) {
  ScreenModel model("each", {});
  model.show(snapshot(1, 2));
  EXPECT_EQ(picture(model, {.width = 45, .height = 9}).back(),
            "Enter details  Esc stop  q close  ? help");
  model.tell(command::Tone::plain, "each complete");
  model.show(snapshot(2, 2, true));
  model.note_over();
  EXPECT_EQ(picture(model, {.width = 30, .height = 9}).back(), "The run has ended.  q close");
}

TEST(ScreenModel, SaysTheNewestMessageUntilAKeyIsPressed) {
  ScreenModel model("each", {});
  model.tell(command::Tone::warning, "Paused: the disk is full.\nSecond line");
  EXPECT_EQ(picture(model).back(), "Paused: the disk is full.");
  type(model, "?");
  EXPECT_TRUE(shows(model, "close the screen"));
  EXPECT_FALSE(shows(model, "Paused"));
}

}  // namespace
}  // namespace tidemill::term
