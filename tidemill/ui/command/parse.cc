#include "tidemill/ui/command/parse.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/ui/command/command_line.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/lookup.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::command {
namespace {

// --print-config: each flag of a verb, its value and the source of the value, in columns.

using Row = std::array<std::string, 3>;

std::string source_of(const Value& value) {
  return value.origin == ValueSource::fallback ? "default" : text::printable(value.place);
}

std::vector<Row> rows_of(const Values& values) {
  std::vector<Row> rows;
  for (const auto& flag : values.described->flags) {
    const auto found = values.flags.find(flag.name);
    if (found == values.flags.end()) {
      const bool is_off = flag.kind == ValueKind::toggle;
      const auto& computed = flag.fallback_text;
      rows.push_back({flag.name, is_off ? "false" : computed.empty() ? "-" : computed, "default"});
      continue;
    }
    for (const auto& text : found->second.texts) {
      rows.push_back({flag.name, text::printable(text), source_of(found->second)});
    }
  }
  return rows;
}

// `values` must have a description. A list has one line per value.
std::string print_config(const Values& values) {
  assert(values.described);
  const auto rows = rows_of(values);
  std::array<std::size_t, 2> widths{};
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], text::columns(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      out += row[i] + std::string(widths[i] - text::columns(row[i]) + 2, ' ');
    }
    out += row[2] + "\n";
  }
  return out;
}

// Assigns the words that are not flags to the arguments of a verb.

using Words = std::vector<std::string>;

std::unexpected<Failure> is_missing(const Program& program, const Verb& verb,
                                    const Argument& argument) {
  const std::string what = argument.is_after_dashes ? "it goes after --" : argument.help;
  return misuse("missing " + argument.name + (what.empty() ? "" : ": " + what),
                see_help(program, &verb));
}

Result<void> check_words(const Program& program, const Verb& verb, const Argument& argument,
                         const Words& words) {
  if (argument.is_required && words.empty()) return is_missing(program, verb, argument);
  for (const auto& word : words) {
    if (argument.is_after_dashes) break;  // the words of a command are not checked
    if (const auto checked = check(argument, word); !checked) {
      return misuse(argument.name + ": " + checked.error().reason, see_help(program, &verb));
    }
  }
  return {};
}

// Assigns in order. A list takes all words but those that the required arguments after it need, so
// SOURCE… TARGET works. Fails if a required argument is missing, a word is left over, or a word is
// invalid for its argument.
Result<void> place_arguments(const Program& program, const Verb& verb, const Words& loose,
                             const Words& after, Values& values) {
  Words words = loose;
  const bool takes_after = after_dashes(verb) != nullptr;
  if (!takes_after) words.insert(words.end(), after.begin(), after.end());
  std::size_t needed = 0;  // by the required arguments that follow
  for (const auto& argument : verb.arguments) {
    if (!argument.is_required || argument.is_after_dashes) continue;
    if (++needed > words.size()) return is_missing(program, verb, argument);
  }
  auto next = words.begin();
  for (const auto& argument : verb.arguments) {
    Words taken = after;
    if (!argument.is_after_dashes) {
      if (argument.is_required) --needed;
      const auto left = static_cast<std::size_t>(words.end() - next);
      const std::size_t free = left > needed ? left - needed : 0;
      const auto end = next + static_cast<std::ptrdiff_t>(
                                  argument.is_list ? free : std::min<std::size_t>(free, 1));
      taken.assign(next, end);
      next = end;
    }
    TRY(check_words(program, verb, argument, taken));
    if (!taken.empty()) values.arguments[argument.name] = std::move(taken);
  }
  if (next == words.end()) return {};
  return misuse("unexpected argument " + in_quotes(*next), see_help(program, &verb));
}

constexpr int kUsageStatus = 2;

bool looks_like_flag(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

std::unexpected<Failure> refuse_flag(const Program& program, const Verb* verb,
                                     const std::string& word) {
  std::vector<std::string> names;
  for (const auto& flag : typed_flags(program, verb)) {
    names.push_back("--" + flag.name);
    if (flag.kind == ValueKind::toggle && word.starts_with("--no-"))
      names.push_back("--no-" + flag.name);
  }
  const auto typed = word.substr(0, word.find('='));
  return misuse("unknown flag " + in_quotes(typed),
                did_you_mean(nearest(typed, names)) + see_help(program, verb));
}

// "tidemill help books check" means "tidemill books check --help".
std::vector<std::string> help_as_flag(const Program& program, std::vector<std::string> words) {
  if (words.empty() || words.front() != "help" || find_verb(program, "help") != nullptr)
    return words;
  const bool is_twice = words.size() > 1 && words[1] == "help";  // "tidemill help help"
  words.erase(words.begin(), words.begin() + (is_twice ? 2 : 1));
  if (std::ranges::find(words, "-h") == words.end()) words.emplace_back("--help");
  return words;
}

// CLI11 accepts the flags of the program for every verb; some are only for verbs that work.
Result<void> refuse_idle_flags(const Program& program, const CommandLine& line) {
  for (const auto& flag : program.flags) {
    if (!flag.is_for_work || line.verb->works || !line.flags.contains(flag.name)) continue;
    return misuse(call_of(program, line.verb) + " has no --" + flag.name,
                  see_help(program, line.verb));
  }
  return {};
}

// For "tidemill version", which is a verb in other programs.
std::string flag_meant(const Program& program, const Verb* verb, const std::string& word) {
  for (const auto& flag : standing_flags()) {
    if (flag.name == word) return call_of(program, verb) + " --" + word;
  }
  return "";
}

std::unexpected<Failure> refuse_verb(const Program& program, const Verb* above,
                                     const std::string& word) {
  std::vector<std::string> names;
  for (const auto& verb : verbs_below(program, above)) names.push_back(last_word(verb));
  const auto meant = nearest(word, names);
  const auto call = meant.empty() ? "" : call_of(program, above) + " " + meant;
  return misuse("unknown verb " + in_quotes(word), did_you_mean(call) + see_help(program, above));
}

Result<void> refuse_unknown_flag(const Program& program, const CommandLine& line) {
  const auto unknown = std::ranges::find_if(line.loose, looks_like_flag);
  if (unknown != line.loose.end()) return refuse_flag(program, line.verb, *unknown);
  return {};
}

// Checked for --help too: there is no help for an unknown verb.
Result<void> refuse_unknown_verb(const Program& program, const CommandLine& line) {
  const auto word = std::ranges::find_if_not(line.loose, looks_like_flag);
  if (word == line.loose.end()) return {};
  const auto place = static_cast<std::size_t>(word - line.loose.begin());
  if (line.verb == nullptr || place < line.before_verb) {
    const auto meant = flag_meant(program, line.verb, *word);
    if (meant.empty()) return refuse_verb(program, nullptr, *word);
    return misuse("unknown verb " + in_quotes(*word), did_you_mean(meant) + "it is a flag");
  }
  const bool takes_words =
      std::ranges::count(line.verb->arguments, false, &Argument::is_after_dashes) > 0;
  if (!line.verb->below.empty() && !takes_words) return refuse_verb(program, line.verb, *word);
  return {};
}

std::optional<Printout> answer(const Program& program, const CommandLine& line,
                               const ParseContext& context) {
  if (const auto help = line.flags.find("help"); help != line.flags.end()) {
    const bool is_short = help->second.back() == "short";
    return Printout{.text = is_short ? short_help(program, line.verb, context.help)
                                     : long_help(program, line.verb, context.help)};
  }
  if (line.flags.contains("version")) {
    const bool is_verbose = line.flags.contains("verbose");
    return Printout{.text = program.name + " " + program.version + "\n" +
                            (is_verbose ? context.about() : "")};
  }
  return std::nullopt;
}

void take_fallbacks(const std::vector<Flag>& flags, Values& values) {
  for (const auto& flag : flags) {
    if (!flag.fallback.empty()) values.flags[flag.name] = {.texts = {flag.fallback}};
  }
}

Result<void> take_config(const Program& program, const Verb& verb, const ParseContext& context,
                         Values& values) {
  for (const auto& path : context.config_paths) {
    LET(const auto text, context.read(path));
    if (!text) continue;
    LET(auto chosen, parse_config(program, verb, path, *text));
    for (auto& [name, value] : chosen) values.flags[name] = std::move(value);
  }
  return {};
}

// The first variable that is set, for the name of the flag or one of its aliases.
std::pair<std::string, std::optional<std::string>> variable_for(const Program& program,
                                                                const VariableLookup& environment,
                                                                const Flag& flag) {
  std::vector<std::string> names = {variable_of(program, flag)};
  for (const auto& alias : flag.aliases) {
    if (alias.size() > 1) names.push_back(variable_of(program, Flag{.name = alias}));
  }
  for (const auto& name : names) {
    if (auto text = environment(name); text && !text->empty()) return {name, std::move(text)};
  }
  return {names.front(), std::nullopt};
}

// A list gets one value from a variable: a name may contain any byte, so there is no separator. An
// empty variable counts as not set.
Result<void> take_environment(const Program& program, const VariableLookup& environment,
                              const std::vector<Flag>& flags, Values& values) {
  for (const auto& flag : flags) {
    if (!flag.is_configurable) continue;
    const auto [name, text] = variable_for(program, environment, flag);
    if (!text || text->empty()) continue;
    if (const auto checked = check(flag, *text); !checked) {
      return misuse(name + ": " + checked.error().reason);
    }
    values.flags[flag.name] = {.texts = {*text}, .origin = ValueSource::environment, .place = name};
  }
  return {};
}

Result<void> take_typed(const Program& program, const CommandLine& line,
                        const std::vector<Flag>& flags, Values& values) {
  for (const auto& flag : flags) {
    const auto typed = line.flags.find(flag.name);
    if (typed == line.flags.end()) continue;
    for (const auto& text : typed->second) {
      if (const auto checked = check(flag, text); !checked) {
        return misuse("--" + flag.name + ": " + checked.error().reason,
                      see_help(program, line.verb));
      }
    }
    auto texts = typed->second;
    if (!flag.is_list) texts.erase(texts.begin(), texts.end() - 1);
    values.flags[flag.name] = {
        .texts = std::move(texts), .origin = ValueSource::command_line, .place = "command line"};
  }
  return {};
}

}  // namespace

Result<Parsed> parse(const Program& program, const std::vector<std::string>& words,
                     const ParseContext& parse_context) {
  if (words.empty()) {
    return Printout{.text = short_help(program, nullptr, parse_context.help),
                    .status = kUsageStatus};
  }
  LET(const auto line, read_line(program, help_as_flag(program, words)));
  const bool wants_answer = line.flags.contains("help") || line.flags.contains("version");
  if (!wants_answer) TRY(refuse_unknown_flag(program, line));
  TRY(refuse_unknown_verb(program, line));
  if (auto printout = answer(program, line, parse_context)) return *std::move(printout);
  if (line.flags.contains("verbose")) {
    return misuse("--verbose is only for --version", see_help(program, line.verb));
  }
  if (line.verb == nullptr) return misuse("no verb given", see_help(program, nullptr));
  TRY(refuse_idle_flags(program, line));

  const Verb& verb = *line.verb;
  auto described = std::make_shared<Verb>(verb);
  described->flags = chosen_flags(program, &verb);
  const auto& flags = described->flags;
  Values values{.verb = verb.name, .described = described};
  take_fallbacks(flags, values);
  TRY(take_config(program, verb, parse_context, values));
  TRY(take_environment(program, parse_context.environment, flags, values));
  TRY(take_typed(program, line, flags, values));
  if (line.flags.contains("print-config")) return Printout{.text = print_config(values)};
  TRY(place_arguments(program, verb, line.loose, line.after, values));
  return values;
}

}  // namespace tidemill::command
