#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "tidemill/ui/command/completion/completion.h"
#include "tidemill/ui/command/lookup.h"

namespace tidemill::command {
namespace {

constexpr std::string_view kHead =
    R"(# fish completion for {0}: generated from its description, do not edit.

# The verb typed so far, as one word: "letters retry" is /letters/retry, none is "/". Right after
# "--" it is "command", and behind that "rest".
function __{0}_verb
    set -l words (commandline -opc)
    set -l verb ''
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
        end
    end
    test -n "$verb"; and echo -- "$verb"; or echo /
end

function __{0}_is
    test (__{0}_verb) = $argv[1]
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

std::string flag_line(const std::string& start, const Flag& flag) {
  std::string line = start + " -l " + flag.name;
  if (flag.letter != 0) line += std::string(" -s ") + flag.letter;
  if (flag.kind == Kind::path) line += " -r -F";
  if (flag.kind == Kind::choice) {
    std::string words;
    for (const auto& choice : flag.choices) words += (words.empty() ? "" : " ") + choice;
    line += " -x -a " + in_quotes(words);
  } else if (flag.kind != Kind::toggle && flag.kind != Kind::path) {
    line += " -x";
  }
  return line + " -d " + in_quotes(flag.help) + "\n";
}

std::string lines_of(const Program& program, const Verb* verb) {
  const auto path = path_of(verb);
  const auto start =
      fmt::format("complete -c {0} -n '__{0}_is {1}'", program.name, path.empty() ? "/" : path);
  std::string lines;
  for (const auto& below : verbs_below(program, verb)) {
    lines += start + " -a " + last_word(below) + " -d " + in_quotes(below.summary) + "\n";
  }
  for (const auto& flag : typed_flags(program, verb)) lines += flag_line(start, flag);
  if (verb == nullptr) return lines;
  for (const auto& argument : verb->arguments) {
    if (argument.kind != Kind::path || argument.is_after_dashes) continue;
    lines += start + " -F\n";
    break;
  }
  return lines;
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
      if (flag.kind == Kind::toggle) continue;
      takes += in_quotes(path_of(verb) + " --" + flag.name) + " ";
      if (flag.letter != 0) takes += in_quotes(path_of(verb) + " -" + flag.letter) + " ";
    }
    if (verb != nullptr) paths += path_of(verb) + " ";
    lines += lines_of(program, verb);
  }
  return fmt::format(fmt::runtime(kHead), program.name, takes, paths) + lines;
}

}  // namespace tidemill::command
