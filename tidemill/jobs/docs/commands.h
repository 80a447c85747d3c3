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
// behind the words. Lines in code, fenced or indented, and between markers of ours (blocks.h) are
// no commands. /ai and no question, and words behind /summarize, /enhance-title or /related, are no
// commands either: somebody is writing about them. An unknown command is text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::docs {

enum class Name : std::uint8_t { file, ask, summarize, title, related };

// "/ai-file", "/ai", …
[[nodiscard]] std::string_view word_of(Name name);

struct Command {
  Name name = Name::file;
  bool is_uncertain = false;  // ?ai-file
  std::string argument{};     // guidance or question; blanks at its ends gone, others single
  bool operator==(const Command&) const = default;
};

// Each once, in the order in which they stand.
[[nodiscard]] std::vector<Command> commands_in(std::string_view text);

// As it is written: "/ai-file to finance". parse_command() reads it back.
[[nodiscard]] std::string line_of(const Command& command);
[[nodiscard]] std::optional<Command> parse_command(std::string_view line);

// The text without every line that is this command; a line left empty between two empty ones goes
// too. Nothing: there is none.
[[nodiscard]] std::optional<std::string> without(std::string_view text, const Command& command);
// With each of them written as another command.
[[nodiscard]] std::optional<std::string> replaced(std::string_view text, const Command& command,
                                                  const Command& by);

}  // namespace tidemill::docs
