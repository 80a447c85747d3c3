#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "tidemill/ui/command/completion/completion.h"
#include "tidemill/ui/command/lookup.h"

namespace tidemill::command {
namespace {

constexpr std::string_view kHead =
    R"(# fish completion for {0}: generated from its description, do not edit.

# The verb typed so far, as one word: "books check" is /books/check, none is "/". Right after "--"
# it is "command", and behind that "rest". On a second line, how many of its arguments are typed.
function __{0}_verb
    set -l words (commandline -opc)
    set -l verb ''
    set -l place 0
    set -l skip no
    for word in $words[2..-1]
        if test $skip = yes
            set skip no
        else if test "$word" = --
            test "$words[-1]" = --; and echo command; or echo rest
            return
        else if contains -- "$verb $word" {1}
            set skip yes
        else if contains -- "$verb/$word" {2}
            set verb "$verb/$word"
            set place 0
{3}        else if not string match -q -- '-*' "$word"
            set place (math $place + 1)
        end
    end
    test -n "$verb"; and echo -- "$verb"; or echo /
    echo $place
end

function __{0}_is
    test (__{0}_verb)[1] = $argv[1]
end

function __{0}_at
    set -l at (__{0}_verb)
    test "$at" = "$argv"
end

function __{0}_from
    set -l at (__{0}_verb)
    test "$at[1]" = "$argv[1]"; and test "$at[2]" -ge "$argv[2]"
end

complete -c {0} -f
complete -c {0} -n '__{0}_is command' -a '(__fish_complete_command)'
complete -c {0} -n '__{0}_is rest' -F
)";

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string path_of(const Verb* verb) {
  if (verb == nullptr) return "";
  std::string path = "/" + verb->name;
  for (char& c : path) {
    if (c == ' ') c = '/';
  }
  return path;
}

std::string joined(const std::vector<std::string>& choices) {
  std::string words;
  for (const auto& choice : choices) words += (words.empty() ? "" : " ") + choice;
  return words;
}

std::string run_names(const Program& program) {
  return "-k -a " +
         in_quotes(fmt::format("(command -q {0}; and {0} runs --names 2>/dev/null)", program.name));
}

std::string flag_line(const Program& program, const std::string& start, const Flag& flag) {
  std::string line = start + " -l " + flag.name;
  if (flag.letter != 0) line += std::string(" -s ") + flag.letter;
  if (flag.kind == ValueKind::path) line += " -r -F";
  if (flag.kind == ValueKind::choice) {
    line += " -x -a " + in_quotes(joined(flag.choices));
  } else if (flag.kind == ValueKind::run) {
    line += " -x " + run_names(program);
  } else if (flag.kind != ValueKind::toggle && flag.kind != ValueKind::path) {
    line += " -x";
  }
  return line + " -d " + in_quotes(flag.help) + "\n";
}

// The values of each argument: at its position, or from there on if it is a list.
std::string argument_lines(const Program& program, const Verb& verb) {
  std::string lines;
  std::size_t place = 0;
  for (const auto& argument : verb.arguments) {
    if (argument.is_after_dashes) continue;
    std::string offer;
    if (argument.kind == ValueKind::path) offer = "-F";
    if (argument.kind == ValueKind::run) offer = run_names(program);
    if (argument.kind == ValueKind::choice) offer = "-a " + in_quotes(joined(argument.choices));
    const auto where =
        fmt::format("{} {} {}", argument.is_list ? "from" : "at", path_of(&verb), place);
    ++place;
    if (offer.empty()) continue;
    lines += fmt::format("complete -c {0} -n '__{0}_{1}' {2}\n", program.name, where, offer);
  }
  return lines;
}

std::string lines_of(const Program& program, const Verb* verb) {
  const auto path = path_of(verb);
  const auto start =
      fmt::format("complete -c {0} -n '__{0}_is {1}'", program.name, path.empty() ? "/" : path);
  std::string lines;
  for (const auto& below : verbs_below(program, verb)) {
    lines += start + " -a " + last_word(below) + " -d " + in_quotes(below.summary) + "\n";
  }
  for (const auto& flag : typed_flags(program, verb)) lines += flag_line(program, start, flag);
  return verb == nullptr ? lines : lines + argument_lines(program, *verb);
}

std::string alias_cases(const Program& program) {
  std::string cases;
  for (const auto& verb : program.verbs) {
    for (const auto& alias : verb.aliases) {
      cases += fmt::format("        else if test \"$verb/$word\" = /{}\n            set verb /{}\n",
                           alias, verb.name);
    }
  }
  return cases;
}

}  // namespace

std::string fish_completion(const Program& program) {
  std::vector<const Verb*> all{nullptr};
  for (const Verb* const verb : all_verbs(program)) all.push_back(verb);
  std::string takes;
  std::string paths;
  std::string lines;
  for (const Verb* const verb : all) {
    for (const auto& flag : typed_flags(program, verb)) {
      if (flag.kind == ValueKind::toggle) continue;
      takes += in_quotes(path_of(verb) + " --" + flag.name) + " ";
      if (flag.letter != 0) takes += in_quotes(path_of(verb) + " -" + flag.letter) + " ";
      for (const auto& alias : flag.aliases) {
        takes += in_quotes(path_of(verb) + (alias.size() == 1 ? " -" : " --") + alias) + " ";
      }
    }
    if (verb != nullptr) paths += path_of(verb) + " ";
    lines += lines_of(program, verb);
  }
  return fmt::format(fmt::runtime(kHead), program.name, takes, paths, alias_cases(program)) + lines;
}

}  // namespace tidemill::command
