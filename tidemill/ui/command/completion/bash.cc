#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "tidemill/ui/command/completion/completion.h"
#include "tidemill/ui/command/lookup.h"

namespace tidemill::command {
namespace {

// `verb` is "" for the program itself, otherwise its words: "books check". `place` is the number of
// arguments of the verb before the word to complete.
constexpr std::string_view kHead =
    R"BASH(# bash completion for {0}: generated from its description, do not edit.

_{0}() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" flag="${{COMP_WORDS[COMP_CWORD-1]}}"
  local verb='' word i place=0 verbs flags takes=''
  COMPREPLY=()
  # Readline parts --color=always in three at the "=".
  if [[ $cur == = ]]; then
    cur=''
  elif [[ $flag == = && COMP_CWORD -gt 1 ]]; then
    flag="${{COMP_WORDS[COMP_CWORD-2]}}"
  fi
  _{0}_verb
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    if [[ $word == -- ]]; then
      if [[ $i -eq $((COMP_CWORD - 1)) ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur")
      else
        _{0}_files
      fi
      return
    elif [[ " $takes " == *" $word "* ]]; then
      [[ ${{COMP_WORDS[i+1]}} == = ]] && ((i++))
      ((i++))
    elif [[ $word != -* ]]; then
      [[ -z $verb ]] && _{0}_alias
      if [[ " $verbs " == *" $word "* ]]; then
        verb="${{verb:+$verb }}$word" place=0
        _{0}_verb
      else
        ((place++))
      fi
    fi
  done
  if [[ " $takes " == *" $flag "* ]]; then
    _{0}_value
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$cur")
    [[ ${{#COMPREPLY[@]}} -eq 0 ]] && _{0}_argument
  fi
}}

_{0}_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}}

_{0}_runs() {{
  compopt -o nosort 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -W "$("${{COMP_WORDS[0]}}" runs --names 2>/dev/null)" -- "$cur")
}}
)BASH";

struct Lists {
  std::string verbs{};
  std::string flags{};
  std::string takes{};      // flags with a value, and their aliases
  std::string values{};     // cases for the values of flags
  std::string arguments{};  // cases for the arguments
};

std::string spellings(const Flag& flag, std::string_view between) {
  std::string names = "--" + flag.name;
  if (flag.letter != 0) names += std::string(between) + "-" + flag.letter;
  return names;
}

std::string all_spellings(const Flag& flag, std::string_view between) {
  std::string names = spellings(flag, between);
  for (const auto& alias : flag.aliases) {
    names += std::string(between) + (alias.size() == 1 ? "-" : "--") + alias;
  }
  return names;
}

// Empty: nothing to offer.
std::string value_case(const Program& program, ValueKind kind,
                       const std::vector<std::string>& choices, const std::string& pattern) {
  if (kind == ValueKind::path) return fmt::format("    {}) _{}_files ;;\n", pattern, program.name);
  if (kind == ValueKind::run) return fmt::format("    {}) _{}_runs ;;\n", pattern, program.name);
  if (kind != ValueKind::choice) return "";
  std::string words;
  for (const auto& choice : choices) words += (words.empty() ? "" : " ") + choice;
  return fmt::format("    {}) mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\") ;;\n", pattern,
                     words);
}

Lists lists_of(const Program& program, const Verb* verb) {
  Lists lists;
  const std::string name = verb == nullptr ? "" : verb->name;
  for (const auto& below : verbs_below(program, verb)) lists.verbs += last_word(below) + " ";
  for (const auto& flag : typed_flags(program, verb)) {
    lists.flags += spellings(flag, " ") + " ";
    if (flag.kind == ValueKind::toggle) continue;
    lists.takes += all_spellings(flag, " ") + " ";
    const auto pattern = fmt::format("'{0} {1}'", name, all_spellings(flag, "'|'" + name + " "));
    lists.values += value_case(program, flag.kind, flag.choices, pattern);
  }
  if (verb == nullptr) return lists;
  std::size_t place = 0;
  for (const auto& argument : verb->arguments) {
    if (argument.is_after_dashes) continue;
    const auto pattern =
        argument.is_list ? fmt::format("'{} '*", name) : fmt::format("'{} {}'", name, place++);
    lists.arguments += value_case(program, argument.kind, argument.choices, pattern);
  }
  return lists;
}

std::string alias_cases(const Program& program) {
  std::string cases;
  for (const auto& verb : program.verbs) {
    for (const auto& alias : verb.aliases) {
      cases += fmt::format("    {}) word={} ;;\n", alias, verb.name);
    }
  }
  return cases;
}

}  // namespace

std::string bash_completion(const Program& program) {
  auto script = fmt::format(fmt::runtime(kHead), program.name);
  std::string verbs = fmt::format("\n_{}_verb() {{\n  case \"$verb\" in\n", program.name);
  std::string values = fmt::format("\n_{}_value() {{\n  case \"$verb $flag\" in\n", program.name);
  std::string arguments =
      fmt::format("\n_{}_argument() {{\n  case \"$verb $place\" in\n", program.name);
  std::vector<const Verb*> all{nullptr};
  for (const Verb* const verb : all_verbs(program)) all.push_back(verb);
  for (const Verb* const verb : all) {
    const auto lists = lists_of(program, verb);
    verbs += fmt::format("    '{}')\n      verbs='{}'\n      flags='{}'\n      takes='{}' ;;\n",
                         verb == nullptr ? "" : verb->name, lists.verbs, lists.flags, lists.takes);
    values += lists.values;
    arguments += lists.arguments;
  }
  const auto aliases =
      fmt::format("\n_{}_alias() {{\n  case $word in\n{}", program.name, alias_cases(program));
  for (const auto& part : {verbs, values, arguments, aliases}) script += part + "  esac\n}\n";
  return script + fmt::format("\ncomplete -F _{0} {0}\n", program.name);
}

}  // namespace tidemill::command
