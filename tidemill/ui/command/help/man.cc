#include "tidemill/ui/command/help/man.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tidemill/formats/text/utf8.h"
#include "tidemill/ui/command/help/wording.h"
#include "tidemill/ui/command/lookup.h"

namespace tidemill::command {
namespace {

std::string upper(std::string_view title) {
  std::string text(title);
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string page_name(const Program& program, const Verb* verb) {
  auto name = call_of(program, verb);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }

// A page that grows from top to bottom. One thread.
class Sheet final {
 public:
  void title(const std::string& name, std::string_view date, const std::string& source) {
    text_ += fmt::format(".TH \"{}\" \"1\" \"{}\" \"{}\"\n", roff(upper(name)), date, roff(source));
  }
  void section(std::string_view title) {
    text_ += ".SH \"" + roff(upper(title)) + "\"\n";
    is_after_heading_ = true;
  }
  void part(std::string_view title) {
    text_ += ".SS \"" + roff(title) + "\"\n";
    is_after_heading_ = true;
  }
  // Separates paragraphs; the first one after a heading needs no separator.
  void paragraph(std::string_view text) {
    if (text.find_first_not_of(" \t\n") == std::string_view::npos) return;
    if (!is_after_heading_) text_ += ".PP\n";
    text_ += roff(text) + "\n";
    is_after_heading_ = false;
  }
  void entry(const std::string& term, std::string_view help) {
    text_ += ".TP\n" + term + "\n" + (help.empty() ? "\\&" : roff(help)) + "\n";
    is_after_heading_ = false;
  }
  // An example, without filling.
  void literal(std::string_view line) {
    if (!is_after_heading_) text_ += ".PP\n";
    text_ += ".EX\n" + roff(line) + "\n.EE\n";
    is_after_heading_ = false;
  }
  void raw(std::string_view line) {
    text_ += std::string(line) + "\n";
    is_after_heading_ = false;
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_{};
  bool is_after_heading_ = false;
};

void add_synopsis(Sheet& sheet, const Program& program, const Verb* verb) {
  sheet.section("Synopsis");
  for (const auto& line : usage_of(program, verb)) sheet.literal(line);
}

void add_examples(Sheet& sheet, const std::vector<Example>& examples) {
  if (examples.empty()) return;
  sheet.section("Examples");
  for (const auto& example : examples) {
    sheet.paragraph(example.text);
    sheet.literal("$ " + example.line);
  }
}

void add_description(Sheet& sheet, const std::vector<std::string>& paragraphs,
                     const std::string& summary) {
  sheet.section("Description");
  if (paragraphs.empty()) sheet.paragraph(summary);
  for (const auto& paragraph : paragraphs) sheet.paragraph(paragraph);
}

void add_verbs(Sheet& sheet, const std::vector<Verb>& verbs) {
  if (verbs.empty()) return;
  sheet.section("Verbs");
  for (const auto& verb : verbs) {
    sheet.entry(bold(verb.name), verb.summary);
    for (const auto& below : verb.below) sheet.entry(bold(below.name), below.summary);
  }
}

void add_arguments(Sheet& sheet, const Verb& verb) {
  if (verb.arguments.empty()) return;
  sheet.section("Arguments");
  for (const auto& argument : verb.arguments) {
    sheet.entry("\\fI" + roff(spelling_of(argument)) + "\\fR", argument.help);
  }
}

std::string term_of(const Flag& flag) {
  std::string term;
  if (flag.letter != 0) term = bold(std::string("-") + flag.letter) + ", ";
  term += bold("--" + flag.name);
  if (flag.kind != ValueKind::toggle) term += "=\\fI" + roff(metavar_of(flag)) + "\\fR";
  if (!flag.aliases.empty()) term += " (also " + bold(aliases_of(flag)) + ")";
  return term;
}

void add_options(Sheet& sheet, const Program& program, const Verb* verb) {
  sheet.section("Options");
  const auto groups = groups_of(program, verb);
  for (const auto& group : groups) {
    if (groups.size() > 1) sheet.part(group.title);
    for (const auto& flag : group.flags) sheet.entry(term_of(flag), full_help(flag));
  }
}

void add_files(Sheet& sheet, const Program& program) {
  const auto file = "/" + program.name + "/" + program.name + ".toml";
  sheet.section("Files");
  sheet.entry("\\fI" + roff("/etc" + file) + "\\fR", "defaults for all users");
  sheet.entry("\\fI" + roff("$XDG_CONFIG_HOME" + file) + "\\fR",
              "defaults for this user; they override those for all users. "
              "If the variable is not set: ~/.config");
}

void add_exits(Sheet& sheet, const Program& program) {
  if (program.exits.empty()) return;
  sheet.section("Exit status");
  for (const auto& [status, meaning] : program.exits) {
    sheet.entry(bold(std::to_string(status)), meaning);
  }
}

void add_see_also(Sheet& sheet, const Program& program, const Verb* verb) {
  std::vector<std::string> names;
  if (verb != nullptr) names.push_back(page_name(program, nullptr));
  for (const Verb* const other : all_verbs(program)) {
    if (other != verb) names.push_back(page_name(program, other));
  }
  if (names.empty()) return;
  sheet.section("See also");
  for (const auto& name : names) {
    sheet.raw(bold(name) + "(1)" + (&name == &names.back() ? "" : ","));
  }
}

}  // namespace

// Returns one line: newlines and tabs become blanks.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  while (!text.empty()) {
    const auto character = text::front_character(text);
    const char c = text.front();
    if (character.length == 0) {
      out += "?";
    } else if (character.length > 1) {
      out += fmt::format("\\[u{:04X}]", static_cast<unsigned>(character.code));
    } else if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '"') {
      out += "\\(dq";
    } else if (c == '\'') {
      out += "\\(aq";
    } else if (c == '`') {
      out += "\\(ga";
    } else if (c == '^') {
      out += "\\(ha";
    } else if (c == '~') {
      out += "\\(ti";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += " ";
    } else {
      out += c;
    }
    text.remove_prefix(std::max<std::size_t>(character.length, 1));
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

ManPage man_page(const Program& program, const Verb* verb, std::string_view date) {
  const auto name = page_name(program, verb);
  const auto& summary = verb == nullptr ? program.summary : verb->summary;
  Sheet sheet;
  sheet.title(name, date, program.name + " " + program.version);
  sheet.section("Name");
  sheet.raw(roff(name) + " \\- " + roff(summary));
  add_synopsis(sheet, program, verb);
  add_examples(sheet, verb == nullptr ? program.examples : verb->examples);
  add_description(sheet, verb == nullptr ? program.description : verb->description, summary);
  add_verbs(sheet, verbs_below(program, verb));
  if (verb != nullptr) add_arguments(sheet, *verb);
  add_options(sheet, program, verb);
  if (verb != nullptr) {
    for (const auto& [title, text] : verb->sections) {
      sheet.section(title);
      sheet.paragraph(text);
    }
  }
  sheet.section("Environment");
  sheet.paragraph(environment_note(program));
  add_files(sheet, program);
  add_exits(sheet, program);
  add_see_also(sheet, program, verb);
  return {.file = name + ".1", .text = sheet.take()};
}

std::vector<ManPage> man_pages(const Program& program, std::string_view date) {
  std::vector<ManPage> pages{man_page(program, nullptr, date)};
  for (const Verb* const verb : all_verbs(program)) pages.push_back(man_page(program, verb, date));
  return pages;
}

}  // namespace tidemill::command
