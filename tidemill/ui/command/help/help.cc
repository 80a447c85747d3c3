#include "tidemill/ui/command/help/help.h"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/formats/text/columns.h"
#include "tidemill/ui/command/help/wording.h"
#include "tidemill/ui/command/lookup.h"

namespace tidemill::command {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kWidestTerm = 28;    // the help of a longer term starts on the next line
constexpr std::size_t kShortExamples = 3;  // in the short help

using Entry = std::pair<std::string, std::string>;  // term, help

// A page that grows from top to bottom. One thread.
class Page final {
 public:
  explicit Page(HelpStyle style)
      : width_(std::max<std::size_t>(style.width, 40)), is_bold_(style.is_bold) {}

  void heading(std::string_view title) {
    if (!text_.empty()) text_ += "\n";
    text_ += is_bold_ ? "\x1b[1m" + upper(title) + "\x1b[0m\n" : upper(title) + "\n";
  }

  void line(std::string_view text) { text_ += std::string(text) + "\n"; }
  void indented(std::string_view text) { line(std::string(kIndent, ' ') + std::string(text)); }

  // Collapses blanks and newlines between words; a word that is too long gets its own line.
  void paragraph(std::string_view text, std::size_t indent) {
    text_ += std::string(indent, ' ');
    flow(text, indent, indent);
  }

  void entries(const std::vector<Entry>& entries) {
    std::size_t widest = 0;
    for (const auto& [term, help] : entries) {
      const auto width = text::columns(term);
      if (width <= kWidestTerm) widest = std::max(widest, width);
    }
    const std::size_t start = kIndent + widest + 2;
    for (const auto& [term, help] : entries) {
      text_ += std::string(kIndent, ' ') + term;
      const auto at = kIndent + text::columns(term);
      if (help.empty()) {
        text_ += "\n";
      } else if (at + 2 > start) {
        text_ += "\n";
        paragraph(help, start);
      } else {
        text_ += std::string(start - at, ' ');
        flow(help, start, start);
      }
    }
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  static std::string upper(std::string_view title) {
    std::string text(title);
    for (char& c : text) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    return text;
  }

  void flow(std::string_view text, std::size_t at, std::size_t indent) {
    constexpr std::string_view kBlanks = " \n\t";
    bool is_first = true;
    while (true) {
      text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
      if (text.empty()) break;
      const auto word = text.substr(0, text.find_first_of(kBlanks));
      text.remove_prefix(word.size());
      const auto width = text::columns(word);
      if (!is_first && at + 1 + width > width_) {
        text_ += "\n" + std::string(indent, ' ');
        at = indent;
      } else if (!is_first) {
        text_ += " ";
        ++at;
      }
      text_ += word;
      at += width;
      is_first = false;
    }
    text_ += "\n";
  }

  std::size_t width_;
  bool is_bold_;
  std::string text_{};
};

void add_usage(Page& page, const Program& program, const Verb* verb) {
  const auto& summary = verb == nullptr ? program.summary : verb->summary;
  page.paragraph(call_of(program, verb) + ": " + summary, 0);
  page.heading("Usage");
  for (const auto& line : usage_of(program, verb)) page.indented(line);
}

void add_examples(Page& page, const std::vector<Example>& all, std::size_t most) {
  if (all.empty()) return;
  page.heading("Examples");
  for (const auto& example : all | std::views::take(most)) {
    page.indented("$ " + example.line);
    if (!example.text.empty()) page.paragraph(example.text, 3 * kIndent);
  }
}

void add_verbs(Page& page, const std::vector<Verb>& verbs, bool is_full) {
  if (verbs.empty()) return;
  std::vector<Entry> entries;
  for (const auto& verb : verbs) {
    entries.emplace_back(verb.name, verb.summary);
    if (!is_full) continue;
    for (const auto& below : verb.below) entries.emplace_back(below.name, below.summary);
  }
  page.heading("Verbs");
  page.entries(entries);
}

void add_description(Page& page, const std::vector<std::string>& paragraphs) {
  if (paragraphs.empty()) return;
  page.heading("Description");
  for (const auto& paragraph : paragraphs) {
    if (&paragraph != &paragraphs.front()) page.line("");
    page.paragraph(paragraph, kIndent);
  }
}

void add_arguments(Page& page, const Verb* verb) {
  if (verb == nullptr || verb->arguments.empty()) return;
  std::vector<Entry> entries;
  for (const auto& argument : verb->arguments) {
    entries.emplace_back(spelling_of(argument), argument.help);
  }
  page.heading("Arguments");
  page.entries(entries);
}

void add_flags(Page& page, const Program& program, const Verb* verb) {
  for (const auto& group : groups_of(program, verb)) {
    std::vector<Entry> entries;
    for (const auto& flag : group.flags) {
      const auto aliases = aliases_of(flag);
      entries.emplace_back(spelling_of(flag),
                           full_help(flag) + (aliases.empty() ? "" : " (also " + aliases + ")"));
    }
    page.heading(group.title);
    page.entries(entries);
  }
}

// The flags marked as basic; all flags if none is marked.
void add_basic_flags(Page& page, const Verb& verb) {
  const bool has_basic = std::ranges::any_of(verb.flags, &Flag::is_basic);
  std::vector<Entry> entries;
  for (const auto& flag : verb.flags) {
    if (flag.is_basic || !has_basic) entries.emplace_back(spelling_of(flag), full_help(flag));
  }
  if (entries.empty()) return;
  page.heading("Options");
  page.entries(entries);
}

void add_exits(Page& page, const Program& program) {
  if (program.exits.empty()) return;
  std::vector<Entry> entries;
  for (const auto& [status, meaning] : program.exits) {
    entries.emplace_back(std::to_string(status), meaning);
  }
  page.heading("Exit status");
  page.entries(entries);
}

}  // namespace

std::string long_help(const Program& program, const Verb* verb, HelpStyle style) {
  Page page(style);
  add_usage(page, program, verb);
  const auto& examples = verb == nullptr ? program.examples : verb->examples;
  add_examples(page, examples, examples.size());
  add_verbs(page, verbs_below(program, verb), true);
  add_description(page, verb == nullptr ? program.description : verb->description);
  add_arguments(page, verb);
  add_flags(page, program, verb);
  page.heading("Environment");
  page.paragraph(environment_note(program), kIndent);
  add_exits(page, program);
  return page.take();
}

std::string short_help(const Program& program, const Verb* verb, HelpStyle style) {
  Page page(style);
  add_usage(page, program, verb);
  if (verb != nullptr) add_examples(page, verb->examples, kShortExamples);
  add_verbs(page, verbs_below(program, verb), false);
  if (verb != nullptr) add_basic_flags(page, *verb);
  page.line("");
  const auto verbs = verbs_below(program, verb).empty() ? "" : " VERB";
  page.line("All options: " + call_of(program, verb) + verbs + " --help");
  return page.take();
}

}  // namespace tidemill::command
