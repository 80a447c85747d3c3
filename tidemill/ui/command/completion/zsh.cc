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

// A single-quoted word of a specification: in it, brackets and colons mean something.
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
  // The plain name is the entry: it is what zsh calls when it has loaded the file.
  auto name = "_" + call_of(program, verb) + (verb == nullptr ? "_program" : "");
  for (char& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

std::string action_of(const Flag& flag) {
  if (flag.kind == Kind::path) return "_files";
  if (flag.kind != Kind::choice) return " ";
  std::string words;
  for (const auto& choice : flag.choices) words += (words.empty() ? "" : " ") + escaped(choice);
  return "(" + words + ")";
}

std::string spec_of(const Flag& flag) {
  const bool is_toggle = flag.kind == Kind::toggle;
  std::string tail = "'[" + escaped(flag.help) + "]";
  if (!is_toggle) tail += ":" + escaped(metavar_of(flag)) + ":" + action_of(flag);
  tail += "'";
  const std::string name = "--" + flag.name + (is_toggle ? "" : "=");
  const std::string repeat = flag.is_list ? "'*'" : "";
  if (flag.letter == 0) return "    " + repeat + name + tail + " \\\n";
  const auto letter = std::string("-") + flag.letter;
  const auto both = flag.is_list ? repeat : fmt::format("'({} --{})'", letter, flag.name);
  return fmt::format("    {}{{{}{},{}}}{} \\\n", both, letter, is_toggle ? "" : "+", name, tail);
}

// What stands where a verb or an argument may: the verbs below, files, or nothing.
std::string words_of(const Program& program, const Verb* verb) {
  const auto& below = verbs_below(program, verb);
  if (!below.empty()) {
    std::string list;
    for (const auto& other : below) {
      list += fmt::format("{}\\:\"{}\" ", last_word(other), escaped(other.summary));
    }
    return fmt::format("    '1:verb:(({}))' \\\n    '*::argument:->below'", list);
  }
  if (verb != nullptr) {
    for (const auto& argument : verb->arguments) {
      if (argument.kind == Kind::path && !argument.is_after_dashes) return "    '*:file:_files'";
    }
  }
  return "    '*: : '";
}

std::string function_text(const Program& program, const Verb* verb) {
  auto text = function_of(program, verb) + "() {\n";
  text += "  local curcontext=\"$curcontext\" state line ret=1\n  typeset -A opt_args\n";
  text += "  _arguments -C -s \\\n";
  for (const auto& flag : typed_flags(program, verb)) text += spec_of(flag);
  text += words_of(program, verb) + " && ret=0\n";
  const auto& below = verbs_below(program, verb);
  if (!below.empty()) {
    text += "  if [[ $state == below ]]; then\n    case $words[1] in\n";
    for (const auto& other : below) {
      text +=
          fmt::format("      {}) {} && ret=0 ;;\n", last_word(other), function_of(program, &other));
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
  return script + fmt::format(R"(_{0}() {{
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
)",
                              program.name, function_of(program, nullptr));
}

}  // namespace tidemill::command
