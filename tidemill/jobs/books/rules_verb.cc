#include "tidemill/jobs/books/rules_verb.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/formats/epub/repair/fixers.h"
#include "tidemill/formats/epub/rules/rules.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/jobs/books/report/markup_text.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::books {
namespace {

using command::Kind;
using epub::Fixer;
using epub::Mend;
using epub::Rule;

epub::Severity severity_of(const Rule& rule) {
  const auto id = epub::rule_named(rule.id);
  return id ? id->severity() : epub::Severity::usage;
}

std::string tier_of(const Rule& rule) {
  return rule.mend == Mend::none ? "" : std::string(epub::name_of(rule.mend));
}

std::vector<Fixer> all_fixers() {
  std::vector<Fixer> all;
  for (const auto list : {epub::container_fixers(), epub::safe_fixers(), epub::ask_fixers()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

// The rules that were named, or all.
Result<std::vector<Rule>> chosen(const std::vector<std::string>& ids) {
  if (ids.empty()) return std::vector<Rule>(epub::rules().begin(), epub::rules().end());
  std::vector<Rule> chosen;
  for (const std::string& id : ids) {
    const auto rule = epub::rule_named(id);
    if (!rule) {
      return command::misuse("there is no rule " + command::in_quotes(id),
                             "tidemill books rules lists them");
    }
    chosen.push_back(epub::rule_of(*rule));
  }
  return chosen;
}

std::string table_of(const std::vector<Rule>& rules, std::optional<std::size_t> width) {
  term::Table table(
      {{.heading = "ID"}, {.heading = "SEVERITY"}, {.heading = "REPAIR"}, {.heading = "WHAT"}});
  for (const Rule& rule : rules) {
    table.add({std::string(rule.id), std::string(epub::name_of(severity_of(rule))), tier_of(rule),
               std::string(rule.title) + (rule.is_reported ? "" : " (EPUBCheck only)")});
  }
  return table.text(width);
}

std::string table_of(const std::vector<Fixer>& fixers, std::optional<std::size_t> width) {
  term::Table table({{.heading = "FIXER"}, {.heading = "TIER"}, {.heading = "WHAT IT DOES"}});
  for (const Fixer& fixer : fixers) {
    table.add({std::string(fixer.name), std::string(epub::name_of(fixer.tier)),
               std::string(fixer.about)});
  }
  return table.text(width);
}

std::string_view repair_sentence(Mend mend) {
  switch (mend) {
    case Mend::none:
      return "nothing mends it";
    case Mend::container:
      return "may be mended: the archive around the book is written anew";
    case Mend::safe:
      return "may be mended, where there is exactly one answer that keeps all content";
    case Mend::ask:
      return "only by a fixer that is named with --fix";
  }
  return "";
}

std::string whole(const Rule& rule) {
  std::string text = std::string(rule.id) + "  " + std::string(epub::name_of(severity_of(rule))) +
                     "  " + std::string(rule.title) + "\n";
  const auto add = [&](std::string_view name, std::string_view sentence) {
    if (!sentence.empty()) {
      text += "  " + std::string(name) + std::string(sentence) + "\n";
    }
  };
  add("When:    ", rule.trigger);
  add("Advice:  ", rule.hint);
  add("Repair:  ", repair_sentence(rule.mend));
  if (!rule.is_reported) add("Told by: ", "EPUBCheck only (--checker epubcheck or both)");
  return text;
}

void write(text::JsonWriter& json, const Rule& rule) {
  json.begin_object().key("id").value(rule.id);
  json.key("severity").value(epub::name_of(severity_of(rule))).key("title").value(rule.title);
  if (!rule.trigger.empty()) json.key("trigger").value(rule.trigger);
  if (!rule.hint.empty()) json.key("hint").value(rule.hint);
  json.key("repair").value(epub::name_of(rule.mend));
  json.key("reported").value(rule.is_reported).end_object();
}

void write(text::JsonWriter& json, const Fixer& fixer) {
  json.begin_object().key("name").value(fixer.name);
  json.key("tier").value(epub::name_of(fixer.tier)).key("about").value(fixer.about).end_object();
}

// One object, a row a line.
template <class Row>
std::string json_of(std::string_view key, const std::vector<Row>& rows) {
  std::string text =
      "{\"v\":1,\"ruleSet\":" + std::to_string(epub::kRuleSet) + ",\"" + std::string(key) + "\":[";
  std::string_view gap = "\n";
  for (const Row& row : rows) {
    text += std::exchange(gap, ",\n");
    text::JsonWriter json(text);
    write(json, row);
  }
  return text + "\n]}\n";
}

std::string markdown() {
  std::string text =
      "# Rules\n\nBy `tidemill books rules --markdown`; do not edit. The ids and severities are "
      "those of EPUBCheck 5.3, so that reports can be compared; the words are ours. `TIDE` and "
      "`PDF` are our own. A book with an *error* or a *fatal* finding is invalid. Under *repair* "
      "stands what `tidemill books repair` may do: *container* writes the archive around the book "
      "anew, *safe* is a change with exactly one answer that keeps all content, *ask* happens only "
      "when the fixer is named.\n";
  std::string_view family;
  for (const Rule& rule : epub::rules()) {
    if (!rule.is_reported) continue;
    const std::string_view prefix = rule.id.substr(0, rule.id.find('-'));
    if (prefix != std::exchange(family, prefix)) {
      text += "\n## " + std::string(prefix) +
              "\n\n| id | severity | repair | what | when | advice |\n|---|---|---|---|---|---|\n";
    }
    text += "| " + std::string(rule.id) + " | " + std::string(epub::name_of(severity_of(rule))) +
            " | " + tier_of(rule) + " | " + for_markdown(rule.title) + " | " +
            for_markdown(rule.trigger) + " | " + for_markdown(rule.hint) + " |\n";
  }
  text +=
      "\n## Fixers\n\nIn the order in which they act. `--no-fix NAME` keeps one from acting, "
      "`--fix "
      "NAME` lets one of the tier *ask* act.\n\n| fixer | tier | what it does |\n|---|---|---|\n";
  for (const Fixer& fixer : all_fixers()) {
    text += "| " + std::string(fixer.name) + " | " + std::string(epub::name_of(fixer.tier)) +
            " | " + for_markdown(fixer.about) + " |\n";
  }
  return text;
}

}  // namespace

command::Verb describe_books_rules() {
  return {
      .name = "books rules",
      .summary = "list the rules for books, and what mends them",
      .usage = {"tidemill books rules [ID...] [OPTIONS]"},
      .examples = {{"tidemill books rules", "every rule, a line each"},
                   {"tidemill books rules RSC-005", "one rule whole: when it is told, what to do"},
                   {"tidemill books rules --fixers", "what tidemill books repair can do"}},
      .description = {"Lists the rules by which books are judged: their ids and severities are "
                      "those of EPUBCheck, their words our own."},
      .arguments = {command::Argument{
          .name = "ID", .help = "rules to show whole", .kind = Kind::text, .is_list = true}},
      .flags = {{.name = "fixers",
                 .help = "list what mends books, instead of the rules",
                 .is_configurable = false},
                {.name = "json", .help = "print one object", .is_configurable = false},
                {.name = "markdown",
                 .help = "print the page of all rules and fixers",
                 .is_configurable = false}},
  };
}

Result<int> run_books_rules(cli::Desk& desk) {
  const std::vector<std::string>& ids = desk.values.argument("ID");
  const bool has_fixers = desk.values.is_on("fixers");
  const bool has_json = desk.values.is_on("json");
  const bool has_markdown = desk.values.is_on("markdown");
  if (has_fixers && !ids.empty()) return command::misuse("--fixers takes no ID");
  if (has_markdown && (has_fixers || has_json || !ids.empty())) {
    return command::misuse("--markdown prints everything: it takes neither an ID nor another flag");
  }
  LET(const auto rules, chosen(ids));
  const auto width = desk.is_out_tty ? std::optional(desk.out_width()) : std::nullopt;
  std::string text;
  if (has_markdown) {
    text = markdown();
  } else if (has_fixers) {
    text = has_json ? json_of("fixers", all_fixers()) : table_of(all_fixers(), width);
  } else if (has_json) {
    text = json_of("rules", rules);
  } else if (ids.empty()) {
    text = table_of(rules, width);
  } else {
    for (const Rule& rule : rules) text += (text.empty() ? "" : "\n") + whole(rule);
  }
  TRY(desk.console->out(text));
  return cli::kDone;
}

}  // namespace tidemill::books
