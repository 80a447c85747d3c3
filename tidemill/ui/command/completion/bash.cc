#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "tidemill/ui/command/completion/completion.h"
#include "tidemill/ui/command/lookup.h"

namespace tidemill::command {
namespace {

// Where `verb` is "" for the program itself, and else its words: "letters retry".
constexpr std::string_view kHead =
    R"(# bash completion for {0}: generated from its description, do not edit.

_{0}() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" flag="${{COMP_WORDS[COMP_CWORD-1]}}"
  local verb='' word i verbs flags takes='' files='' rest=''
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
    elif [[ $word != -* && " $verbs " == *" $word "* ]]; then
      verb="${{verb:+$verb }}$word"
      _{0}_verb
    fi
  done
  if [[ " $takes " == *" $flag "* ]]; then
    _{0}_value
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$cur")
    [[ ${{#COMPREPLY[@]}} -eq 0 && -n $files ]] && _{0}_files
  fi
}}

_{0}_files() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}}
)";

struct Lists {
  std::string verbs{};
  std::string flags{};
  std::string takes{};   // flags with a value
  std::string values{};  // cases of the values
};

std::string spellings(const Flag& flag, std::string_view between) {
  std::string names = "--" + flag.name;
  if (flag.letter != 0) names += std::string(between) + "-" + flag.letter;
  return names;
}

std::string value_case(const Program& program, const Flag& flag, const std::string& pattern) {
  if (flag.kind == Kind::path) return fmt::format("    {}) _{}_files ;;\n", pattern, program.name);
  if (flag.kind != Kind::choice) return "";
  std::string words;
  for (const auto& choice : flag.choices) words += (words.empty() ? "" : " ") + choice;
  return fmt::format("    {}) mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\") ;;\n", pattern,
                     words);
}

Lists lists_of(const Program& program, const Verb* verb) {
  Lists lists;
  const std::string name = verb == nullptr ? "" : verb->name;
  for (const auto& below : verbs_below(program, verb)) lists.verbs += last_word(below) + " ";
  for (const auto& flag : typed_flags(program, verb)) {
    lists.flags += spellings(flag, " ") + " ";
    if (flag.kind == Kind::toggle) continue;
    lists.takes += spellings(flag, " ") + " ";
    const auto pattern = fmt::format("'{0} {1}'", name, spellings(flag, "'|'" + name + " "));
    lists.values += value_case(program, flag, pattern);
  }
  return lists;
}

bool takes_files(const Verb& verb) {
  for (const auto& argument : verb.arguments) {
    if (argument.kind == Kind::path && !argument.is_after_dashes) return true;
  }
  return false;
}

}  // namespace

std::string bash_completion(const Program& program) {
  auto script = fmt::format(fmt::runtime(kHead), program.name);
  std::string verbs = fmt::format("\n_{}_verb() {{\n  case \"$verb\" in\n", program.name);
  std::string values = fmt::format("\n_{}_value() {{\n  case \"$verb $flag\" in\n", program.name);
  std::vector<const Verb*> all{nullptr};
  for (const Verb* const verb : all_verbs(program)) all.push_back(verb);
  for (const Verb* const verb : all) {
    const auto lists = lists_of(program, verb);
    verbs += fmt::format("    '{}')\n      verbs='{}'\n      flags='{}'\n      takes='{}'\n",
                         verb == nullptr ? "" : verb->name, lists.verbs, lists.flags, lists.takes);
    verbs += fmt::format("      files={} ;;\n", verb != nullptr && takes_files(*verb) ? "yes" : "");
    values += lists.values;
  }
  script += verbs + "  esac\n}\n" + values + "  esac\n}\n";
  return script + fmt::format("\ncomplete -F _{0} {0}\n", program.name);
}

}  // namespace tidemill::command
