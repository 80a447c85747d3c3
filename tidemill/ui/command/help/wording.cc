#include "tidemill/ui/command/help/wording.h"

#include <algorithm>
#include <string_view>

#include "tidemill/ui/command/lookup.h"

namespace tidemill::command {
namespace {

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string all;
  for (const auto& part : parts) {
    if (!all.empty()) all += between;
    all += part;
  }
  return all;
}

void add_to_group(std::vector<FlagGroup>& groups, const std::string& title, const Flag& flag) {
  auto group = std::ranges::find(groups, title, &FlagGroup::title);
  if (group == groups.end()) group = groups.insert(groups.end(), {.title = title});
  group->flags.push_back(flag);
}

}  // namespace

std::string metavar_of(const Flag& flag) {
  if (!flag.metavar.empty()) return flag.metavar;
  switch (flag.kind) {
    case ValueKind::toggle:
      return "";
    case ValueKind::count:
      return "N";
    case ValueKind::duration:
      return "DURATION";
    case ValueKind::size:
      return "SIZE";
    case ValueKind::rate:
      return "RATE";
    case ValueKind::choice:
      return joined(flag.choices, "|");
    case ValueKind::path:
      return "PATH";
    case ValueKind::run:
      return "RUN";
    case ValueKind::text:
      break;
  }
  return "TEXT";
}

std::string spelling_of(const Flag& flag) {
  std::string text = flag.letter == 0 ? "    " : std::string("-") + flag.letter + ", ";
  text += "--" + flag.name;
  if (flag.kind != ValueKind::toggle) text += "=" + metavar_of(flag);
  return text;
}

std::string full_help(const Flag& flag) {
  std::string text = flag.help;
  if (flag.kind == ValueKind::choice && !flag.metavar.empty()) {
    text += " (" + joined(flag.choices, ", ") + ")";
  }
  if (flag.is_list) text += " (repeatable)";
  const auto& fallback = flag.fallback_text.empty() ? flag.fallback : flag.fallback_text;
  if (!fallback.empty()) text += " [" + fallback + "]";
  return text;
}

std::string aliases_of(const Flag& flag) {
  std::vector<std::string> names;
  for (const auto& alias : flag.aliases) names.push_back((alias.size() == 1 ? "-" : "--") + alias);
  return joined(names, ", ");
}

std::string spelling_of(const Argument& argument) {
  std::string text = argument.name + (argument.is_list || argument.is_after_dashes ? "…" : "");
  if (argument.is_after_dashes) text = "-- " + text;
  return argument.is_required ? text : "[" + text + "]";
}

std::vector<std::string> usage_of(const Program& program, const Verb* verb) {
  if (verb == nullptr) return {program.name + " VERB [OPTIONS] [ARGUMENTS…]"};
  if (!verb->usage.empty()) return verb->usage;
  std::string line = call_of(program, verb) + " [OPTIONS]";
  for (const auto& argument : verb->arguments) line += " " + spelling_of(argument);
  return {line};
}

std::vector<FlagGroup> groups_of(const Program& program, const Verb* verb) {
  std::vector<FlagGroup> groups;
  if (verb != nullptr) {
    for (const auto& flag : verb->flags) {
      add_to_group(groups, flag.group.empty() ? "Options" : flag.group, flag);
    }
  }
  const auto own = verb == nullptr ? 0 : verb->flags.size();
  const auto all = typed_flags(program, verb);
  const std::string common = verb == nullptr ? "Options" : "Global options";
  for (std::size_t i = own; i < all.size(); ++i) {
    add_to_group(groups, all[i].group.empty() ? common : all[i].group, all[i]);
  }
  return groups;
}

std::string environment_note(const Program& program) {
  const auto prefix = variable_of(program, Flag{.name = ""});
  return "A value in brackets is the default of an option. The variable " + prefix +
         "NAME and the key NAME in " + program.name +
         ".toml set the option --NAME, too: the command line comes first, then the environment, "
         "then the file. --print-config prints the result.";
}

}  // namespace tidemill::command
