#include "tidemill/jobs/docs/command/commands.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/command/markdown.h"

namespace tidemill::docs {
namespace {

enum class Words : std::uint8_t { none, some, may };  // after the command: forbidden, needed, any

struct Row {
  std::string_view word;
  CommandName name;
  bool is_uncertain;
  Words words;
};
// Longer words come before their prefixes.
constexpr std::array<Row, 6> kRows{{
    {.word = "/ai-file", .name = CommandName::file, .is_uncertain = false, .words = Words::may},
    {.word = "?ai-file", .name = CommandName::file, .is_uncertain = true, .words = Words::may},
    {.word = "/ai", .name = CommandName::ask, .is_uncertain = false, .words = Words::some},
    {.word = "/summarize",
     .name = CommandName::summarize,
     .is_uncertain = false,
     .words = Words::none},
    {.word = "/enhance-title",
     .name = CommandName::title,
     .is_uncertain = false,
     .words = Words::none},
    {.word = "/related", .name = CommandName::related, .is_uncertain = false, .words = Words::none},
}};

// Collapses blanks and trims the ends.
std::string normal(std::string_view words) {
  std::string result;
  result.reserve(words.size());
  for (const char c : words) {
    if (c != '\n' && !kBlanks.contains(c)) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (result.ends_with(' ')) result.pop_back();
  return result;
}

struct CommandPlace {
  Command command{};
  LinePart part{};
};

std::vector<Range> own_blocks_in(std::string_view text) {
  std::vector<Range> ranges;
  for (const MarkedBlock block : {MarkedBlock::summary, MarkedBlock::terms}) {
    for (const Range& range : whole_blocks(text, block)) ranges.push_back(range);
  }
  return ranges;
}

// Parses a line of a document: like parse_command(), but with escapes removed.
std::optional<Command> command_of(std::string_view markdown) {
  auto command = parse_command(markdown);
  if (command) command->argument = normal(unescaped(command->argument));
  return command;
}

std::vector<CommandPlace> places_in(std::string_view text) {
  const std::vector<Range> ours = own_blocks_in(text);
  std::vector<CommandPlace> places;
  LineReader reader(text);
  while (const auto line = reader.next()) {
    if (line->is_code || !margin_of(line->body)) continue;
    for (const LinePart& part : parts_of(*line)) {
      const bool is_ours =
          std::ranges::any_of(ours, [&](const Range& range) { return range.holds(part.start); });
      if (is_ours) continue;
      if (auto command = command_of(part.body)) {
        places.push_back({.command = *std::move(command), .part = part});
      }
    }
  }
  return places;
}

// The range of the words of a part, without surrounding blanks.
Range words_of(const LinePart& part) {
  const std::string_view words = trimmed(part.body);
  const auto start = part.start + static_cast<std::size_t>(words.data() - part.body.data());
  return {.start = start, .end = start + words.size()};
}

// The range of the words and one of the hard breaks around them, if there is one.
Range with_break(const LinePart& part) {
  Range range = words_of(part);
  if (part.follows_break) {
    range.start = part.start - kHardBreak.size();
  } else if (part.precedes_break) {
    range.end = part.start + part.body.size() + kHardBreak.size();
  }
  return range;
}

template <class MakePatch>
LinePatch patched(std::string_view text, const Command& command, const MakePatch& patch_at) {
  LinePatch result;
  for (const CommandPlace& place : places_in(text)) {
    if (place.command != command) continue;
    result.is_there = true;
    result.patch = patch_at(place.part);
    if (result.patch) break;
  }
  return result;
}

}  // namespace

std::string_view word_of(CommandName name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.word;
  }
  return {};
}

std::string_view leading_command_word(std::string_view text) {
  for (const Row& row : kRows) {
    if (text.starts_with(row.word)) return row.word;
  }
  return {};
}

std::string line_of(const Command& command) {
  std::string line(word_of(command.name));
  if (command.name == CommandName::file && command.is_uncertain) line.front() = '?';
  const std::string words = normal(command.argument);
  return words.empty() ? line : line + " " + words;
}

std::optional<Command> parse_command(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  const auto margin = margin_of(line);
  if (!margin || *margin == line.size()) return std::nullopt;
  if (line[*margin] != '/' && line[*margin] != '?') return std::nullopt;
  const std::string_view words = trimmed(line);
  if (words.contains('\n')) return std::nullopt;
  const std::string_view word = words.substr(0, words.find_first_of(kBlanks));
  for (const Row& row : kRows) {
    if (row.word != word) continue;
    Command command{.name = row.name,
                    .is_uncertain = row.is_uncertain,
                    .argument = normal(words.substr(word.size()))};
    const bool has_words = !command.argument.empty();
    if (row.words != Words::may && has_words != (row.words == Words::some)) return std::nullopt;
    return command;
  }
  return std::nullopt;
}

std::vector<Command> commands_in(std::string_view text) {
  std::vector<Command> commands;
  std::unordered_set<std::string> seen;
  for (CommandPlace& place : places_in(text)) {
    if (!seen.insert(line_of(place.command)).second) continue;
    commands.push_back(std::move(place.command));
  }
  return commands;
}

LinePatch without(std::string_view text, const Command& command) {
  return patched(text, command, [&](const LinePart& part) {
    // Only the words, if the server can find them: it then preserves the rest of the paragraph and
    // the anchors in it. An empty line stays, like an empty paragraph.
    auto patch = patch_of(text, words_of(part), "");
    return patch ? patch : patch_of(text, with_break(part), "");
  });
}

LinePatch asked_back(std::string_view text, const Command& command) {
  return patched(text, command, [&](const LinePart& part) {
    const Range words = words_of(part);
    const auto question_in = [&](const Range& range) {
      std::string line(range.of(text));  // as in the document, with escapes
      line[words.start - range.start] = '?';
      return patch_of(text, range, line);
    };
    auto patch = question_in(words);
    return patch ? patch : question_in(with_break(part));
  });
}

}  // namespace tidemill::docs
