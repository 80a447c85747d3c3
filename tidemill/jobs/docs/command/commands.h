// Commands: what people write on a line of its own in a document, for us to act on.
//
//   /ai-file [guidance]    file this document into the right collection
//   ?ai-file [guidance]    the same, asked back by us: waits until a person adds guidance
//   /ai QUESTION           answer a question
//   /summarize             put a summary at the top
//   /enhance-title         give it a better title
//   /related               name documents that are about the same
//
// A line counts whole: nothing but blanks before the slash (at most three, as markdown has it) and
// behind the words; what stands between two hard breaks (Shift+Enter) is such a line, too. Lines in
// code, fenced or indented, and between markers of ours (blocks.h) are no commands. /ai and no
// question, and words behind /summarize, /enhance-title or /related, are no commands either:
// somebody is writing about them. An unknown command is text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/docs/server/patch.h"

namespace tidemill::docs {

enum class Name : std::uint8_t { file, ask, summarize, title, related };

// "/ai-file", "/ai", …
[[nodiscard]] std::string_view word_of(Name name);
// The word of a command that a text begins with, whatever follows; empty: none.
[[nodiscard]] std::string_view leading_command_word(std::string_view text);

struct Command {
  Name name = Name::file;
  bool is_uncertain = false;  // ?ai-file
  std::string argument{};     // guidance or question; blanks at its ends gone, others single
  bool operator==(const Command&) const = default;
};

// Each once, in the order in which they stand. Arguments are as people see them, without escapes.
[[nodiscard]] std::vector<Command> commands_in(std::string_view text);

// "/ai-file to finance". parse_command() reads it back; it knows of no escapes.
[[nodiscard]] std::string line_of(const Command& command);
[[nodiscard]] std::optional<Command> parse_command(std::string_view line);

// The patch that takes a line of this command out of the text, or makes a question of it. It may
// stand there more than once: then others are left, and the next patch is made from the text after
// the first. One that is there and has no patch is for a person to remove: the server would find
// other words first.
struct LinePatch {
  bool is_there = false;
  std::optional<Patch> patch{};
};
[[nodiscard]] LinePatch without(std::string_view text, const Command& command);
[[nodiscard]] LinePatch asked_back(std::string_view text, const Command& command);  // ?ai-file

}  // namespace tidemill::docs
