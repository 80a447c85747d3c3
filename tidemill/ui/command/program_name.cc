#include "tidemill/ui/command/program_name.h"

#include <utility>

namespace tidemill::command {
namespace {

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

}  // namespace

std::string with_program_name(std::string text, std::string_view name) {
  replace_all(text, "%program", name);
  replace_all(text, "%PROGRAM", variable_prefix(name));
  return text;
}

Verb with_program_name(Verb verb, std::string_view name) {
  const auto fill = [&](std::string& text) { text = with_program_name(std::move(text), name); };
  fill(verb.summary);
  for (std::string& line : verb.usage) fill(line);
  for (Example& example : verb.examples) {
    fill(example.line);
    fill(example.text);
  }
  for (std::string& paragraph : verb.description) fill(paragraph);
  for (Argument& argument : verb.arguments) fill(argument.help);
  for (Flag& flag : verb.flags) {
    fill(flag.help);
    fill(flag.fallback_text);
  }
  for (auto& [title, text] : verb.sections) fill(text);
  for (Verb& below : verb.below) below = with_program_name(std::move(below), name);
  return verb;
}

std::string variable_prefix(std::string_view name) {
  std::string prefix(name);
  for (char& letter : prefix) {
    if (letter == '-') letter = '_';
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return prefix;
}

}  // namespace tidemill::command
