// Commands: what users write on a line of its own in a document, for us to execute.
//
//   /ai-file [guidance]    file this document into the right collection
//   ?ai-file [guidance]    our question back: waits until a user adds guidance
//   /ai QUESTION           answer a question
//   /summarize             put a summary at the top
//   /enhance-title         give it a better title
//   /related               list related documents
//
// A command takes a complete line: only blanks before the slash (at most three, as in markdown) and
// after the words. The part between two hard breaks (Shift+Enter) is such a line, too. Lines in
// code, fenced or indented, and between our markers (blocks.h) are not commands. Neither is /ai
// without a question, nor /summarize, /enhance-title or /related followed by words: the user is
// writing about them. An unknown command is text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/docs/server/patch.h"

namespace tidemill::docs {

enum class CommandName : std::uint8_t { file, ask, summarize, title, related };

// "/ai-file", "/ai", …
[[nodiscard]] std::string_view word_of(CommandName name);
// The command's word at the beginning of a text, whatever follows; empty if there is none.
[[nodiscard]] std::string_view leading_command_word(std::string_view text);

struct Command {
  CommandName name = CommandName::file;
  bool is_uncertain = false;  // ?ai-file
  std::string argument{};     // guidance or question; trimmed, with single blanks
  bool operator==(const Command&) const = default;
};

// The commands in a text, each once, in order. Arguments are as users see them, without escapes.
[[nodiscard]] std::vector<Command> commands_in(std::string_view text);

// "/ai-file to finance". parse_command() parses it; it does not handle escapes.
[[nodiscard]] std::string line_of(const Command& command);
[[nodiscard]] std::optional<Command> parse_command(std::string_view line);

// The patch that removes a line of this command from the text, or turns it into a question. If the
// command occurs several times, it changes one line; make the next patch from the resulting text. A
// line without a patch cannot be removed by us: the server would find other words first.
struct LinePatch {
  bool is_there = false;
  std::optional<Patch> patch{};
};
[[nodiscard]] LinePatch without(std::string_view text, const Command& command);
[[nodiscard]] LinePatch asked_back(std::string_view text, const Command& command);  // ?ai-file

}  // namespace tidemill::docs
