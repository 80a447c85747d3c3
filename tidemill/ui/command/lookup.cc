#include "tidemill/ui/command/lookup.h"

#include <algorithm>
#include <iterator>

#include "tidemill/ui/command/program_name.h"

namespace tidemill::command {
namespace {

void append(std::vector<const Verb*>& all, const std::vector<Verb>& verbs) {
  for (const auto& verb : verbs) {
    all.push_back(&verb);
    append(all, verb.below);
  }
}

}  // namespace

std::vector<Flag> standing_flags() {
  return {{.name = "help",
           .letter = 'h',
           .help = "show this text; -h shows less of it",
           .is_configurable = false},
          {.name = "version", .help = "show the version", .is_configurable = false},
          {.name = "print-config",
           .help = "show the value of each option and where it came from",
           .is_configurable = false}};
}

std::vector<const Verb*> all_verbs(const Program& program) {
  std::vector<const Verb*> all;
  append(all, program.verbs);
  return all;
}

const Verb* find_verb(const Program& program, std::string_view name) {
  const auto all = all_verbs(program);
  const auto found = std::ranges::find(all, name, [](const Verb* verb) { return verb->name; });
  return found == all.end() ? nullptr : *found;
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
  return "see " + call_of(program, verb) + " --help";
}

const Argument* after_dashes(const Verb& verb) {
  const auto found = std::ranges::find(verb.arguments, true, &Argument::is_after_dashes);
  return found == verb.arguments.end() ? nullptr : &*found;
}

}  // namespace tidemill::command
