#include "tidemill/ui/command/lookup.h"

#include <algorithm>
#include <iterator>

#include "tidemill/ui/command/program_name.h"

namespace tidemill::command {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void append(std::vector<const Verb*>& all, const std::vector<Verb>& verbs) {
  for (const auto& verb : verbs) {
    all.push_back(&verb);
    append(all, verb.below);
  }
}

}  // namespace

std::vector<Flag> standing_flags() {
  return {
      {.name = "help",
       .letter = 'h',
       .help = "print help; -h prints a summary",
       .is_configurable = false},
      {.name = "version",
       .letter = 'V',
       .help = "print the version; with --verbose, the libraries too",
       .is_configurable = false},
      {.name = "verbose", .help = "with --version: list the libraries", .is_configurable = false},
      {.name = "print-config",
       .help = "print the value of each option and where it comes from",
       .is_configurable = false}};
}

std::vector<const Verb*> all_verbs(const Program& program) {
  std::vector<const Verb*> all;
  append(all, program.verbs);
  return all;
}

const Verb* find_verb(const Program& program, std::string_view name) {
  const auto all = all_verbs(program);
  const auto found = std::ranges::find_if(
      all, [&](const Verb* verb) { return verb->name == name || contains(verb->aliases, name); });
  return found == all.end() ? nullptr : *found;
}

bool is_called(const Flag& flag, std::string_view name) {
  if (flag.name == name || contains(flag.aliases, name)) return true;
  return flag.letter != 0 && name.size() == 1 && name.front() == flag.letter;
}

std::vector<std::string> with_first_names(std::vector<std::string> words,
                                          const std::vector<Flag>& flags) {
  for (std::string& word : words) {
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const bool is_off = word.starts_with("--no-");
    const std::size_t start = is_off ? 5 : 2;
    const auto name = word.substr(start, word.find('=') - start);
    const auto flag = std::ranges::find_if(flags, [&](const Flag& candidate) {
      return (!is_off || candidate.kind == ValueKind::toggle) && contains(candidate.aliases, name);
    });
    if (flag != flags.end()) word.replace(start, name.size(), flag->name);
  }
  return words;
}

std::vector<Flag> chosen_flags(const Program& program, const Verb* verb) {
  auto flags = verb == nullptr ? std::vector<Flag>{} : verb->flags;
  std::ranges::copy_if(program.flags, std::back_inserter(flags), [&](const Flag& flag) {
    return !flag.is_for_work || verb == nullptr || verb->works;
  });
  return flags;
}

std::vector<Flag> typed_flags(const Program& program, const Verb* verb) {
  auto flags = chosen_flags(program, verb);
  for (auto& flag : standing_flags()) flags.push_back(flag);
  return flags;
}

const std::vector<Verb>& verbs_below(const Program& program, const Verb* verb) {
  return verb == nullptr ? program.verbs : verb->below;
}

std::string last_word(const Verb& verb) {
  const auto blank = verb.name.rfind(' ');
  return blank == std::string::npos ? verb.name : verb.name.substr(blank + 1);
}

std::string call_of(const Program& program, const Verb* verb) {
  return verb == nullptr ? program.name : program.name + " " + verb->name;
}

std::string variable_of(const Program& program, const Flag& flag) {
  return variable_prefix(program.name + "_" + flag.name);
}

std::string see_help(const Program& program, const Verb* verb) {
  return "see '" + call_of(program, verb) + " --help'";
}

const Argument* after_dashes(const Verb& verb) {
  const auto found = std::ranges::find(verb.arguments, true, &Argument::is_after_dashes);
  return found == verb.arguments.end() ? nullptr : &*found;
}

}  // namespace tidemill::command
