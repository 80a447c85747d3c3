// Commands and blocks: what a text says to us, and what we change in it.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/jobs/docs/blocks.h"
#include "tidemill/jobs/docs/commands.h"
#include "tidemill/text/utf8.h"

namespace tidemill::docs {
namespace {

const std::string kStart = "<!-- AI-SUMMARY-START -->\n";
const std::string kEnd = "<!-- AI-SUMMARY-END -->\n";
const std::string kTermsStart = "<!-- AI-SEARCH-TERMS-START -->\n";
const std::string kTermsEnd = "<!-- AI-SEARCH-TERMS-END -->\n";

Command file(std::string guidance = "", bool is_uncertain = false) {
  return {.name = Name::file, .is_uncertain = is_uncertain, .argument = std::move(guidance)};
}
Command plain(Name name) { return {.name = name, .is_uncertain = false, .argument = {}}; }

// Lines that mean something to us, in every order: with fences, markers and line ends mixed.
rc::Gen<std::string> a_text() {
  const auto line = rc::gen::element<std::string>(
      "", "", "words", "/ai-file", "/ai-file", "/ai-file  to\tfinance", "?ai-file", "/summarize",
      "  /summarize ", "\\/ai-file", "/ai why?", "    /ai-file", "\t/related", "```", "````",
      "```a", "~~~", "- ```", "  ```", "> ```", "<!-- AI-SUMMARY-START -->",
      "<!-- AI-SUMMARY-END -->", "<!-- AI-SEARCH-TERMS-START -->", "<!-- AI-SEARCH-TERMS-END -->",
      "\xff\xe2\x80\xae", "![x](y)", "\xe2\x80\xa8/summarize", "a\r/related",
      "\xef\xbb\xbf/related");
  const auto end = rc::gen::element<std::string>("\n", "\n", "\n", "\r\n");
  return rc::gen::map(
      rc::gen::pair(rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
                        rc::gen::pair(line, end)),
                    rc::gen::arbitrary<bool>()),
      [](const auto& made) {
        std::string text;
        for (const auto& [body, line_end] : made.first) text += body + line_end;
        if (made.second && !text.empty()) text.pop_back();
        return text;
      });
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

bool is_empty(const std::string& line) { return line == "\n" || line == "\r\n" || line == "\r"; }

TEST(Commands, ALineIsReadWhole) {
  EXPECT_EQ(parse_command("/ai-file"), file());
  EXPECT_EQ(parse_command("   /ai-file \t to  the\tfinance \r"), file("to the finance"));
  EXPECT_EQ(parse_command("?ai-file bills"), file("bills", true));
  EXPECT_EQ(parse_command("/ai why?"), (Command{.name = Name::ask, .argument = "why?"}));
  EXPECT_EQ(parse_command("/enhance-title"), plain(Name::title));
  for (const std::string_view text :
       {"", "   ", "/", "/ai", "/ai ", "/ai-files", "/AI-file", "see /ai-file", "    /ai-file",
        " \t/ai-file", "/summarize this", "/related x", "/enhance-title x", "\\/ai-file", "?ai why",
        "?summarize", "/unknown", "> /related", "/ai a\nb"}) {
    EXPECT_EQ(parse_command(text), std::nullopt) << text;
  }
}

TEST(Commands, EachOnceInTheirOrder) {
  EXPECT_EQ(commands_in("/related\nx\n/ai-file a\r\n/ai-file  a\n/related"),
            (std::vector{plain(Name::related), file("a")}));
}

TEST(Commands, CodeAndOurOwnBlocksHoldNone) {
  for (const std::string& text : std::vector<std::string>{
           "```\n/related\n```\n", "~~~sh\n/related\n```\n~~~~\n", "   ```\n/related\n   ````  \n",
           "````\n```\n/related\n", "- ```\n  /related\n  ```\n", "1. - ```\n     x\n/related\n",
           "\n    /related\n", "\t/related", "```\r\n/related\r\n```\r\n",
           kStart + "/related\n" + kEnd}) {
    EXPECT_TRUE(commands_in(text).empty()) << text;
  }
  for (const std::string& text : std::vector<std::string>{
           "``` `a` ```\n/related\n", "``\n/related\n", "```\n```\n/related\n",
           "- ```\n  x\n  ```\n/related\n", "- - ```\n    x\n    ```\n/related\n",
           "    ```\n/related\n", "-```\n/related\n", kStart + "/related\n", kEnd + "/related\n",
           "```\n" + kStart + "```\n/related\n" + kEnd}) {
    EXPECT_EQ(commands_in(text), std::vector{plain(Name::related)}) << text;
  }
}

TEST(Commands, TakingOneOutLeavesTheRestAsItIs) {
  const auto taken = [](std::string_view text) { return without(text, plain(Name::related)); };
  EXPECT_EQ(taken("a\r\n/related \r\nb\r\n"), "a\r\nb\r\n");
  EXPECT_EQ(taken("a\n\n/related\n  /related\n\n\nb"), "a\n\n\nb");
  EXPECT_EQ(taken("a\n\n/related"), "a\n\n");
  EXPECT_EQ(taken("/related\n\na"), "\na");
  EXPECT_EQ(taken("```\n/related\n```\n/related"), "```\n/related\n```\n");
  EXPECT_EQ(taken("```\n/related\n```"), std::nullopt);
  EXPECT_EQ(without("/ai-file  a\n/ai-file\n?ai-file a", file("a")), "/ai-file\n?ai-file a");
}

TEST(Commands, AnotherIsWrittenInItsPlace) {
  EXPECT_EQ(replaced("a\r\n  /ai-file  x \r\n/ai-file\n", file("x"), file("x", true)),
            "a\r\n  ?ai-file x\r\n/ai-file\n");
  EXPECT_EQ(replaced("/ai-file", file(), file("a\n/related", true)), "?ai-file a /related");
  EXPECT_EQ(replaced("a", file(), file("", true)), std::nullopt);
}

RC_GTEST_PROP(Commands, WhatIsReadIsWrittenAndReadAgain, ()) {
  for (const Command& command : commands_in(*a_text())) {
    RC_ASSERT(parse_command(line_of(command)) == command);
  }
}

// The lines that stay, in their order, are those that were there: but for an empty one at each
// place where commands went.
RC_GTEST_PROP(Commands, OnlyTheLinesOfTheCommandGo, ()) {
  const std::string text = *a_text();
  for (const Command& command : commands_in(text)) {
    const std::string rest = without(text, command).value();
    const std::vector<std::string> kept = lines_of(rest);
    std::size_t at = 0;
    bool follows_command = false;
    for (const std::string& line : lines_of(text)) {
      if (follows_command && is_empty(line) && at > 0 && is_empty(kept[at - 1])) {
        follows_command = false;
      } else if (at < kept.size() && kept[at] == line) {
        ++at;
        follows_command = false;
      } else {
        RC_ASSERT(parse_command(line) == command);
        follows_command = true;
      }
    }
    RC_ASSERT(at == kept.size());
    std::vector<Command> others = commands_in(text);
    std::erase(others, command);
    RC_ASSERT(commands_in(rest) == others);
    RC_ASSERT(!without(rest, command));
  }
}

RC_GTEST_PROP(Commands, OnlyTheLinesOfTheCommandAreWrittenAnew, ()) {
  const std::string text = *a_text();
  for (const Command& command : commands_in(text)) {
    const Command by = file("quite new", true);
    const auto before = lines_of(text);
    const auto after = lines_of(replaced(text, command, by).value());
    RC_ASSERT(before.size() == after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] == after[i]) continue;
      RC_ASSERT(parse_command(before[i]) == command);
      RC_ASSERT(parse_command(after[i]) == by);
    }
  }
}

TEST(Blocks, AreReadBetweenTheirMarkers) {
  const auto read = [](const std::string& text) { return read_block(text, Block::summary); };
  EXPECT_EQ(read("a\n" + kStart + "one\n\ntwo\n" + kEnd + "b").content, "one\n\ntwo");
  EXPECT_EQ(read(kStart + kEnd).state, BlockState::whole);
  EXPECT_EQ(read("  <!-- AI-SUMMARY-START --> \r\nx\r\n<!-- AI-SUMMARY-END -->").content, "x");
  for (const std::string& text :
       {std::string(), "```\n" + kStart + "x\n" + kEnd + "```\n", "    " + kStart + "\t" + kEnd,
        "a " + kStart, kTermsStart + "x\n" + kTermsEnd}) {
    EXPECT_EQ(read(text).state, BlockState::none) << text;
  }
  for (const std::string& text :
       {kStart, kEnd, kEnd + kStart, kStart + kStart + kEnd, kStart + kEnd + kEnd,
        kStart + kEnd + kStart + kEnd, kStart + "```\n" + kEnd + "```\n",
        kStart + kTermsStart + kEnd + kTermsEnd}) {
    EXPECT_EQ(read(text).state, BlockState::broken) << text;
    EXPECT_EQ(with_block(text, Block::summary, "x"), std::nullopt) << text;
  }
}

TEST(Blocks, AreAddedWithAnEmptyLineBetween) {
  const std::string summary = kStart + "s\n" + kEnd;
  const std::string terms = kTermsStart + "t\n" + kTermsEnd;
  EXPECT_EQ(with_block("", Block::summary, "s"), summary);
  EXPECT_EQ(with_block("a", Block::summary, "s"), summary + "\na");
  for (const std::string text : {"a", "a\n", "a\n\n"}) {
    EXPECT_EQ(with_block(text, Block::terms, "t"), "a\n\n" + terms) << text;
  }
  EXPECT_EQ(with_block("a\r\n\r\n", Block::terms, "t"), "a\r\n\r\n" + terms);
  EXPECT_EQ(with_block("a\n```\nb", Block::terms, "t"), "a\n\n" + terms + "\n```\nb");
  EXPECT_EQ(with_block("a\n" + summary + "b", Block::summary, "new"),
            "a\n" + kStart + "new\n" + kEnd + "b");
}

RC_GTEST_PROP(Blocks, WhatIsWrittenIsReadAndTheRestStays, ()) {
  const std::string text = *a_text();
  const std::string content = tamed(*a_text(), 10'000);
  const Block block = *rc::gen::element(Block::summary, Block::terms);
  const auto other = block == Block::terms ? Block::summary : Block::terms;
  const BlockReading before = read_block(text, block);
  const auto after = with_block(text, block, content);
  RC_ASSERT(after.has_value() == (before.state != BlockState::broken));
  if (!after) return;
  RC_ASSERT(read_block(*after, block).state == BlockState::whole);
  RC_ASSERT(read_block(*after, block).content == content);
  RC_ASSERT(with_block(*after, block, content) == after);
  RC_ASSERT(read_block(*after, other).state == read_block(text, other).state);
  RC_ASSERT(read_block(*after, other).content == read_block(text, other).content);
  if (before.state == BlockState::whole) {
    RC_ASSERT(read_block(with_block(*after, block, before.content).value(), block).content ==
              before.content);
  }
  RC_ASSERT(commands_in(*after) == commands_in(text));
}

TEST(Tamed, NothingInItIsAnOrderToUs) {
  const auto tame = [](std::string_view text) { return tamed(text, 1'000); };
  EXPECT_EQ(tame("a\n /related\n" + kStart), "a\n \\/related\n\\" + kStart);
  EXPECT_EQ(tame("a\x01\x7f\tb\r\nc\rd\xc2\x85"
                 "e\xe2\x80\xa8/related"),
            "a    b\nc\nd\ne\n\\/related");
  EXPECT_EQ(tame("\xff\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbfx\xc3"), "\xef\xbf\xbdx\xef\xbf\xbd");
  EXPECT_EQ(tame("```\n/related\n```\n```x\n~~~\n"), "```\n\\/related\n```\n\\```x\n\\~~~\n");
  EXPECT_EQ(tame("!\x01[a](b) a[1]"), "!\\[a](b) a[1]");
  EXPECT_EQ(tamed("\xc3\xa4\xc3\xa4\xc3\xa4", 4), "\xc3\xa4");  // one byte is kept for a backslash
  EXPECT_EQ(tamed("/summarizes", 11), "/summarizes");
  EXPECT_EQ(tamed("/summarizes", 10), "/summariz");
  EXPECT_EQ(tamed("/related\n/related", 10), "\\/related\n");
  EXPECT_EQ(tamed_line(" \n a \t\r\n b  ", 100), "a b");
  EXPECT_EQ(tamed_line("\n/related\n", 100), "\\/related");
  EXPECT_EQ(cleaned("/related\n\xff\xc3\xa4", 13), "/related\n\xef\xbf\xbd");
}

RC_GTEST_PROP(Tamed, WhateverItWas, ()) {
  const std::string raw = *a_text() + *rc::gen::arbitrary<std::string>() + *a_text();
  const std::size_t most = *rc::gen::inRange<std::size_t>(0, raw.size() * 3 + 2);
  for (const std::string& tame : {tamed(raw, most), tamed_line(raw, most)}) {
    RC_ASSERT(tame.size() <= most);
    RC_ASSERT(text::is_utf8(tame));
    RC_ASSERT(std::ranges::none_of(tame, [](char c) { return (c >= 0 && c < ' ' && c != '\n'); }));
    for (const std::string& line : lines_of(tame)) RC_ASSERT(!parse_command(line));
    const std::string within = "a\n\n" + tame + "\n/related\n";
    RC_ASSERT(commands_in(within) == std::vector{plain(Name::related)});
    RC_ASSERT(read_block(within, Block::summary).state == BlockState::none);
    RC_ASSERT(read_block(within, Block::terms).state == BlockState::none);
  }
  RC_ASSERT(tamed(tamed(raw, most), most) == tamed(raw, most));
  RC_ASSERT(!tamed_line(raw, most).contains('\n'));
}

}  // namespace
}  // namespace tidemill::docs
