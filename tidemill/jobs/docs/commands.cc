#include "tidemill/jobs/docs/commands.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "tidemill/jobs/docs/markdown.h"

namespace tidemill::docs {
namespace {

enum class Words : std::uint8_t { none, some, may };  // behind the command

struct Row {
  std::string_view word;
  Name name;
  bool is_uncertain;
  Words words;
};
constexpr std::array<Row, 6> kRows{{
    {.word = "/ai-file", .name = Name::file, .is_uncertain = false, .words = Words::may},
    {.word = "?ai-file", .name = Name::file, .is_uncertain = true, .words = Words::may},
    {.word = "/ai", .name = Name::ask, .is_uncertain = false, .words = Words::some},
    {.word = "/summarize", .name = Name::summarize, .is_uncertain = false, .words = Words::none},
    {.word = "/enhance-title", .name = Name::title, .is_uncertain = false, .words = Words::none},
    {.word = "/related", .name = Name::related, .is_uncertain = false, .words = Words::none},
}};

// One blank between words, none at the ends.
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

// The lines of a text, and of each the command that it is.
class CommandReader {
 public:
  explicit CommandReader(std::string_view text) : places_(places_in(text)), lines_(text) {}

  struct Reading {
    Line line{};
    std::optional<Command> command{};
  };

  std::optional<Reading> next() {
    const auto line = lines_.next();
    if (!line) return std::nullopt;
    Reading reading{.line = *line, .command = {}};
    const bool is_ours = std::ranges::any_of(
        places_.blocks, [&](const Place& place) { return place.holds(line->start); });
    if (!line->is_code && !is_ours) reading.command = parse_command(line->body);
    return reading;
  }

 private:
  Places places_;
  LineReader lines_;
};

}  // namespace

std::string_view word_of(Name name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.word;
  }
  return {};
}

std::string line_of(const Command& command) {
  std::string line(word_of(command.name));
  if (command.name == Name::file && command.is_uncertain) line.front() = '?';
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
  CommandReader reader(text);
  while (auto reading = reader.next()) {
    if (!reading->command || !seen.insert(line_of(*reading->command)).second) continue;
    commands.push_back(*std::move(reading->command));
  }
  return commands;
}

std::optional<std::string> without(std::string_view text, const Command& command) {
  std::string result;
  bool is_found = false;
  bool was_empty = false;    // the last line that stayed
  bool was_between = false;  // it was empty, and since then only commands went
  CommandReader reader(text);
  while (const auto reading = reader.next()) {
    const Line& line = reading->line;
    if (reading->command == command) {
      is_found = true;
      was_between = was_empty;
      continue;
    }
    const bool is_empty = !line.is_code && trimmed(line.body).empty();
    if (!is_empty || !was_between) result.append(line.body).append(line.end);
    was_empty = is_empty;
    was_between = false;
  }
  if (!is_found) return std::nullopt;
  return result;
}

std::optional<std::string> replaced(std::string_view text, const Command& command,
                                    const Command& by) {
  const std::string words = line_of(by);
  std::string result;
  bool is_found = false;
  CommandReader reader(text);
  while (const auto reading = reader.next()) {
    const Line& line = reading->line;
    if (reading->command == command) {
      is_found = true;
      result.append(line.body.substr(0, margin_of(line.body).value_or(0))).append(words);
    } else {
      result.append(line.body);
    }
    result.append(line.end);
  }
  if (!is_found) return std::nullopt;
  return result;
}

}  // namespace tidemill::docs
