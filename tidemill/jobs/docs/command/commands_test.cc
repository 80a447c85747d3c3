// Commands and blocks: parsing a text, and changing it.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/formats/text/utf8.h"
#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/command/commands.h"
#include "tidemill/jobs/docs/server/fake_outline.h"

namespace tidemill::docs {
namespace {

const std::string kStart = "<!-- AI-SUMMARY-START -->\n";
const std::string kEnd = "<!-- AI-SUMMARY-END -->\n";
const std::string kTermsStart = "<!-- AI-SEARCH-TERMS-START -->\n";
const std::string kTermsEnd = "<!-- AI-SEARCH-TERMS-END -->\n";

Command file(std::string guidance = "", bool is_uncertain = false) {
  return {.name = CommandName::file, .is_uncertain = is_uncertain, .argument = std::move(guidance)};
}
Command plain(CommandName name) { return {.name = name, .is_uncertain = false, .argument = {}}; }

// Commands, fences, markers and line ends, in random order.
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

TEST(Commands, AreParsedOnlyFromCompleteLines) {
  EXPECT_EQ(parse_command("/ai-file"), file());
  EXPECT_EQ(parse_command("   /ai-file \t to  the\tfinance \r"), file("to the finance"));
  EXPECT_EQ(parse_command("?ai-file bills"), file("bills", true));
  EXPECT_EQ(parse_command("/ai why?"), (Command{.name = CommandName::ask, .argument = "why?"}));
  EXPECT_EQ(parse_command("/enhance-title"), plain(CommandName::title));
  for (const std::string_view text :
       {"", "   ", "/", "/ai", "/ai ", "/ai-files", "/AI-file", "see /ai-file", "    /ai-file",
        " \t/ai-file", "/summarize this", "/related x", "/enhance-title x", "\\/ai-file", "?ai why",
        "?summarize", "/unknown", "> /related", "/ai a\nb"}) {
    EXPECT_EQ(parse_command(text), std::nullopt) << text;
  }
}

TEST(Commands, AreListedOnceInOrder) {
  EXPECT_EQ(commands_in("/related\nx\n/ai-file a\r\n/ai-file  a\n/related"),
            (std::vector{plain(CommandName::related), file("a")}));
}

TEST(Commands, AreIgnoredInCodeAndInOurOwnBlocks) {
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
    EXPECT_EQ(commands_in(text), std::vector{plain(CommandName::related)}) << text;
  }
}

TEST(Commands, AHardBreakEndsALineAndEscapesAreRemoved) {
  EXPECT_EQ(commands_in("a\\n/related\\nb"), std::vector{plain(CommandName::related)});
  EXPECT_EQ(commands_in("/ai-file x\\n/related"),
            (std::vector{file("x"), plain(CommandName::related)}));
  EXPECT_EQ(commands_in("/ai 2 \\* 3 \\~ 4"),
            std::vector({Command{.name = CommandName::ask, .argument = "2 * 3 ~ 4"}}));
  for (const std::string_view text :
       {"a\\\\n/related", "`a\\n/related`", "``a ` \\n/related``", "a /related\\nb"}) {
    EXPECT_TRUE(commands_in(text).empty()) << text;
  }
}

std::string patched(const std::string& text, const Patch& patch) {
  return patched_by_server(text, patch).value_or("not found: " + patch.find);
}

TEST(Commands, AreRemovedByAPatchThatMatchesTheirLineFirst) {
  const auto taken = [](std::string_view text) -> std::string {
    const LinePatch line = without(text, plain(CommandName::related));
    if (!line.is_there) return "none";
    return line.patch ? patched(std::string(text), *line.patch) : "refused";
  };
  EXPECT_EQ(taken("/related\n\na"), "\n\na");
  EXPECT_EQ(taken("a\n\n/related\n\nb"), "a\n\n\n\nb");
  EXPECT_EQ(taken("a\n\n/related\n\n/related"), "a\n\n\n\n/related");
  EXPECT_EQ(taken("a /related\n\n\n\n/related"), "a /related\n\n\\") << "an empty paragraph";
  EXPECT_EQ(taken("a\\n/related\\nb"), "a\\n\\nb") << "an empty line stays";
  EXPECT_EQ(taken("/related\\nb"), "\\nb");
  EXPECT_EQ(taken("say /related\n\na\\n/related\\nb"), "say /related\n\na\\nb");
  EXPECT_EQ(taken("say /related\n\n/related\n\nb"), "say /related\n\nb");
  EXPECT_EQ(taken("```\n/related\n```\n\n/related\n\nb"), "```\n/related\n```\n\nb");
  EXPECT_EQ(taken("```\n/related\n```"), "none");
  EXPECT_EQ(taken("say /related\n\n/related works\n\n/related"), "refused");
  // After one empty paragraph, and after several.
  EXPECT_EQ(taken("say /related\n\n\n/related\n\nb"), "say /related\n\n\n\nb");
  EXPECT_EQ(taken("say /related\n\n\n\\\n/related\n\nb"), "say /related\n\n\n\n\nb");
  EXPECT_EQ(taken("say\n\n\n/related works\n\n\n/related"), "refused");
}

TEST(Commands, AskingBackKeepsTheLineAsWritten) {
  const LinePatch line = asked_back("a\n\n/ai-file 2 \\* 3\n\nb", file("2 * 3"));
  EXPECT_EQ(line.patch, (Patch{.find = "/ai-file 2 \\* 3", .text = "?ai-file 2 \\* 3"}));
  EXPECT_EQ(asked_back("say /ai-file\n\n\n/ai-file", file()).patch,
            (Patch{.find = "\\\n/ai-file", .text = "\\\n\n?ai-file"}));
  EXPECT_EQ(asked_back("say /ai-file\n\na\\n/ai-file", file()).patch,
            (Patch{.find = "\\n/ai-file", .text = "\\n?ai-file"}));
  EXPECT_FALSE(asked_back("a", file()).is_there);
}

RC_GTEST_PROP(Commands, RoundTrip, ()) {
  for (const Command& command : commands_in(*a_text())) {
    RC_ASSERT(parse_command(line_of(command)) == command);
  }
}

// Patch by patch every line of the command is removed, unless one cannot be; the other commands
// stay.
RC_GTEST_PROP(Commands, RemovingACommandKeepsTheOthers, ()) {
  const std::string text = *a_text();
  for (const Command& command : commands_in(text)) {
    std::vector<Command> others = commands_in(text);
    std::erase(others, command);
    std::string rest = text;
    std::size_t left = lines_of(text).size() * 3 + 1;
    for (LinePatch line = without(rest, command); line.patch; line = without(rest, command)) {
      RC_ASSERT(left-- > 0U);
      rest = patched(rest, *line.patch);
    }
    if (!without(rest, command).is_there) RC_ASSERT(commands_in(rest) == others);
  }
}

TEST(Blocks, AreReadBetweenTheirMarkers) {
  const auto read = [](const std::string& text) { return read_block(text, MarkedBlock::summary); };
  EXPECT_EQ(read("a\n" + kStart + "one\n\ntwo\n" + kEnd + "b").content, "one\n\ntwo");
  EXPECT_EQ(read(kStart + kEnd).state, BlockState::whole);
  EXPECT_EQ(read("  <!-- AI-SUMMARY-START --> \r\nx\r\n<!-- AI-SUMMARY-END -->").content, "x");
  for (const std::string& text :
       {std::string(), "```\n" + kStart + "x\n" + kEnd + "```\n", "    " + kStart + "\t" + kEnd,
        std::string("the marker `<!-- AI-SUMMARY-START -->`"), kTermsStart + "x\n" + kTermsEnd}) {
    EXPECT_EQ(read(text).state, BlockState::none) << text;
  }
  for (const std::string& text :
       {kStart, kEnd, kEnd + kStart, kStart + kStart + kEnd, kStart + kEnd + kEnd, "a " + kStart,
        kStart + "```\n" + kEnd + "```\n", kStart + kTermsStart + kEnd + kTermsEnd}) {
    EXPECT_EQ(read(text).state, BlockState::broken) << text;
    EXPECT_TRUE(whole_blocks(text, MarkedBlock::summary).empty()) << text;
  }
  const std::string two = kStart + "x\n" + kEnd + kStart + "y\n" + kEnd;
  EXPECT_EQ(read(two).state, BlockState::broken);
  EXPECT_EQ(whole_blocks(two, MarkedBlock::summary).size(), 2U) << "no command is read in either";
}

TEST(Blocks, AreFoundInALineThatTheServerJoined) {
  const std::string text = "a <!-- AI-SUMMARY-START --> one two <!-- AI-SUMMARY-END --> b";
  const BlockReading reading = read_block(text, MarkedBlock::summary);
  EXPECT_EQ(reading.state, BlockState::whole);
  EXPECT_EQ(reading.content, "one two");
  EXPECT_EQ(reading.range.of(text), "<!-- AI-SUMMARY-START --> one two <!-- AI-SUMMARY-END -->");
}

TEST(Blocks, TwoWithTheSameContentAreDetectedAsDuplicates) {
  const std::string one = framed(MarkedBlock::summary, "It is *so*.");
  const std::string other = framed(MarkedBlock::summary, "It is \\*so\\*.");
  const BlockReading reading = read_block(one + "\n\n" + other + "\n\nrest", MarkedBlock::summary);
  EXPECT_EQ(reading.state, BlockState::doubled);
  EXPECT_EQ(reading.range, (Range{.start = 0, .end = one.size()}));
}

TEST(Blocks, CompareEqualDespiteTheServersMarkupChanges) {
  EXPECT_TRUE(is_same("a*b _x_ 2 * 3\nc", "a\\*b *x* 2 \\* 3 c"));
  EXPECT_FALSE(is_same("a1", "a2"));
  EXPECT_FALSE(is_same("\xc3\xa4", "\xc3\xb6"));
}

RC_GTEST_PROP(Blocks, RoundTripAndContainNoCommands, ()) {
  const std::string content = quoted(*a_text(), 10'000);
  const MarkedBlock block = *rc::gen::element(MarkedBlock::summary, MarkedBlock::terms);
  const std::string text = "a\n\n" + framed(block, content) + "\n\n/related";
  const BlockReading reading = read_block(text, block);
  RC_ASSERT(reading.state == BlockState::whole);
  RC_ASSERT(reading.content == content);
  RC_ASSERT(commands_in(text) == std::vector{plain(CommandName::related)});
}

TEST(Tamed, RemovesOrEscapesHarmfulCharacters) {
  const auto tame = [](std::string_view text) { return tamed(text, 1'000); };
  EXPECT_EQ(tame("a\x01\x7f\tb\r\nc\rd\xc2\x85"
                 "e\xe2\x80\xa8 f"),
            "a    b\nc\nd\ne\n f");
  EXPECT_EQ(tame("\xff\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbfx\xc3"), "\xef\xbf\xbdx\xef\xbf\xbd");
  EXPECT_EQ(tame("!\x01[a](b) a[1]"), "!\\[a](b) a[1]");
  EXPECT_EQ(tamed("\xc3\xa4\xc3\xa4\xc3\xa4", 5), "\xc3\xa4\xc3\xa4");
  EXPECT_EQ(tamed_line(" \n a \t\r\n b  ", 100), "a b");
  EXPECT_EQ(cleaned("/related\n\xff\xc3\xa4", 13), "/related\n\xef\xbf\xbd");
}

TEST(Quoted, ContainsNoCommandsOrMarkers) {
  const auto quote = [](std::string_view text) { return quoted(text, 1'000); };
  EXPECT_EQ(quote("one\ntwo\n\n\nthree"), "one\n\ntwo\n\nthree");
  EXPECT_EQ(quote("/ai-file to finance"), "/`ai-file` to finance");
  EXPECT_EQ(quote("Use (/related), src/ai and /ai-files."),
            "Use (/`related`), src/ai and /ai-files.");
  EXPECT_EQ(quote("[](x)/ai why"), "\\[\\](x)/`ai` why");
  EXPECT_EQ(quote("&#47;ai why & AT&T"), "\\& #47;ai why \\& AT\\&T");
  EXPECT_EQ(quote("a\\\n/ai why"), "a\\\\\n\n/`ai` why");
  EXPECT_EQ(quote("a\\n/ai why"), "a\\\\n/`ai` why");
  EXPECT_EQ(quote("<!-- AI-SUMMARY-END -->"), "\\< !-- AI-SUMMARY-END --\\>");
  EXPECT_EQ(quote("\xc2\xa0/related\xe2\x80\x8b"), "/`related`");
  EXPECT_EQ(quote("/a\xe2\x80\x8bi why"), "/`ai` why");
  EXPECT_EQ(quote("- one\n# two\n1. three\n> four"),
            "\\- one\n\n\\# two\n\n1\\. three\n\n\\> four");
  EXPECT_EQ(quote("a. b\nAt. c\nd"), "a\\. b\n\nAt. c\n\nd");
  EXPECT_EQ(quote("`/ai x` and `a\\n/ai y` and ```"),
            "/`ai` x and \\`a\\\\n/`ai` y\\` and \\`\\`\\`");
  EXPECT_EQ(quote("`x`/ai y"), "`x`/`ai` y");
  EXPECT_EQ(quote("```<!-- AI-SUMMARY-END --> a`"), "\\`\\`\\`\\< !-- AI-SUMMARY-END --\\> a\\`");
  EXPECT_EQ(quoted("/summarizes", 11), "/summarizes");
  EXPECT_EQ(quoted("/summarizes", 10), "/summari") << "not a command that was none before";
  EXPECT_EQ(quoted_line("a\n/related\nb", 100), "a /`related` b");
}

// The changes that Outline was observed to make to a text, each in its extreme form.
std::vector<std::string> as_given_back(std::string text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_soft = text[i] == '\n' && i > 0 && text[i - 1] != '\n' && i + 1 < text.size() &&
                         text[i + 1] != '\n';
    joined += is_soft ? ' ' : text[i];
  }
  std::string bare;  // Outline keeps these escapes: ` ~ and the backslash itself
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_kept = i + 1 < text.size() && std::string_view("`~\\").contains(text[i + 1]);
    if (text[i] != '\\') {
      bare += text[i];
    } else if (is_kept) {
      bare.append({text[i], text[i + 1]});
      ++i;
    }
  }
  return {text, joined, bare, bare + "\\n" + text};
}

RC_GTEST_PROP(Quoted, ContainsNoCommandsOrMarkersForAnyInput, ()) {
  const std::string raw = *a_text() + *rc::gen::arbitrary<std::string>() + *a_text();
  const std::size_t most = *rc::gen::inRange<std::size_t>(0, raw.size() * 3 + 2);
  for (const std::string& quote : {quoted(raw, most), quoted_line(raw, most)}) {
    RC_ASSERT(quote.size() <= most);
    RC_ASSERT(text::is_utf8(quote));
    RC_ASSERT(std::ranges::none_of(quote, [](char c) { return (c >= 0 && c < ' ' && c != '\n'); }));
    for (const std::string& given : as_given_back(quote)) {
      const std::string within = "a\n\n" + given + "\n\n/related\n";
      RC_ASSERT(commands_in(within) == std::vector{plain(CommandName::related)});
      RC_ASSERT(read_block(within, MarkedBlock::summary).state == BlockState::none);
      RC_ASSERT(read_block(within, MarkedBlock::terms).state == BlockState::none);
    }
  }
  RC_ASSERT(!quoted_line(raw, most).contains('\n'));
}

TEST(Quoted, DetectsQuotedLinesThatLookLikeCommands) {
  const std::string quote = quoted("Do this:\n/ai-file to the *bin*\nand /related", 1'000);
  const std::vector<std::string> like = command_like(quote);
  EXPECT_NE(std::ranges::find(like, canonical("/ai-file to the bin")), like.end());
  EXPECT_EQ(std::ranges::find(like, canonical("/related")), like.end());  // users write that, too
}

}  // namespace
}  // namespace tidemill::docs
