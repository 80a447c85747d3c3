#include <fmt/format.h>

#include <string_view>

#include "tidemill/ui/command/completion/completion.h"
#include "tidemill/ui/command/help/wording.h"
#include "tidemill/ui/command/lookup.h"

namespace tidemill::command {
namespace {

constexpr std::string_view kHead = R"(#compdef {0}
# zsh completion for {0}: generated from its description, do not edit.

)";

// Escapes text for a single-quoted word of a specification, where brackets and colons are special.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out;
}

std::string function_of(const Program& program, const Verb* verb) {
  // The function with the plain name is the entry point that zsh calls after loading the file.
  auto name = "_" + call_of(program, verb) + (verb == nullptr ? "_program" : "");
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

std::string action_of(const Program& program, ValueKind kind,
                      const std::vector<std::string>& choices) {
  if (kind == ValueKind::path) return "_files";
  if (kind == ValueKind::run) return "_" + program.name + "_run_names";
  if (kind != ValueKind::choice) return " ";
  std::string words;
  for (const auto& choice : choices) words += (words.empty() ? "" : " ") + escaped(choice);
  return "(" + words + ")";
}

// Accepted, but not offered.
std::string alias_specs(const Flag& flag, const std::string& value) {
  const bool is_toggle = flag.kind == ValueKind::toggle;
  std::string specs;
  for (const auto& alias : flag.aliases) {
    const bool is_letter = alias.size() == 1;
    specs += fmt::format("    '!{}{}{}{}' \\\n", is_letter ? "-" : "--", alias,
                         is_toggle   ? ""
                         : is_letter ? "+"
                                     : "=",
                         value);
  }
  return specs;
}

std::string spec_of(const Program& program, const Flag& flag) {
  const bool is_toggle = flag.kind == ValueKind::toggle;
  std::string value;
  if (!is_toggle) {
    value = ":" + escaped(metavar_of(flag)) + ":" + action_of(program, flag.kind, flag.choices);
  }
  const std::string tail = "'[" + escaped(flag.help) + "]" + value + "'";
  const std::string name = "--" + flag.name + (is_toggle ? "" : "=");
  const std::string repeat = flag.is_list ? "'*'" : "";
  const auto aliases = alias_specs(flag, value);
  if (flag.letter == 0) return "    " + repeat + name + tail + " \\\n" + aliases;
  const auto letter = std::string("-") + flag.letter;
  const auto both = flag.is_list ? repeat : fmt::format("'({} --{})'", letter, flag.name);
  return fmt::format("    {}{{{}{},{}}}{} \\\n", both, letter, is_toggle ? "" : "+", name, tail) +
         aliases;
}

// The completions at the place of a verb or an argument: the subverbs, or the values of each
// argument.
std::string words_of(const Program& program, const Verb* verb) {
  const auto& below = verbs_below(program, verb);
  if (!below.empty()) {
    std::string list;
    for (const auto& other : below) {
      list += fmt::format("{}\\:\"{}\" ", last_word(other), escaped(other.summary));
    }
    return fmt::format("    '1:verb:(({}))' \\\n    '*::argument:->below'", list);
  }
  std::string specs;
  std::size_t place = 0;
  bool has_list = false;
  for (const auto& argument : verb == nullptr ? std::vector<Argument>{} : verb->arguments) {
    if (argument.is_after_dashes || has_list) continue;
    has_list = argument.is_list;
    specs += fmt::format(
        "    '{}:{}:{}'{}", has_list ? "*" : std::to_string(++place), escaped(argument.name),
        action_of(program, argument.kind, argument.choices), has_list ? "" : " \\\n");
  }
  return has_list ? specs : specs + "    '*: : '";
}

std::string function_text(const Program& program, const Verb* verb) {
  auto text = function_of(program, verb) + "() {\n";
  text += "  local curcontext=\"$curcontext\" state line ret=1\n  typeset -A opt_args\n";
  text += "  _arguments -C -s \\\n";
  for (const auto& flag : typed_flags(program, verb)) text += spec_of(program, flag);
  text += words_of(program, verb) + " && ret=0\n";
  const auto& below = verbs_below(program, verb);
  if (!below.empty()) {
    text += "  if [[ $state == below ]]; then\n    case $words[1] in\n";
    for (const auto& other : below) {
      std::string names = last_word(other);
      for (const auto& alias : other.aliases) names += "|" + alias;
      text += fmt::format("      {}) {} && ret=0 ;;\n", names, function_of(program, &other));
    }
    text += "    esac\n  fi\n";
  }
  return text + "  return ret\n}\n\n";
}

}  // namespace

std::string zsh_completion(const Program& program) {
  auto script = fmt::format(fmt::runtime(kHead), program.name);
  script += function_text(program, nullptr);
  for (const Verb* const verb : all_verbs(program)) script += function_text(program, verb);
  return script + fmt::format(R"ZSH(_{0}_run_names() {{
  local -a names
  names=(${{(f)"$(_call_program runs {0} runs --names 2>/dev/null)"}})
  compadd -V runs -a names
}}

_{0}() {{
  local -i dashes=${{words[(i)--]}}
  if (( dashes < CURRENT )); then
    shift $dashes words
    (( CURRENT -= dashes ))
    _normal
  else
    {1}
  fi
}}

if [[ $funcstack[1] == _{0} ]]; then
  _{0} "$@"
else
  compdef _{0} {0}
fi
)ZSH",
                              program.name, function_of(program, nullptr));
}

}  // namespace tidemill::command
