#include "tidemill/jobs/docs/command/decide.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/command/markdown.h"
#include "tidemill/jobs/docs/command/prompts.h"

namespace tidemill::docs {
namespace {

constexpr std::size_t kMostNamed = 5;       // documents in a comment
constexpr std::size_t kMostName = 200;      // of a title or a name
constexpr std::size_t kMostQuery = 200;     // of what is searched for
constexpr std::size_t kMostTitle = 100;     // of a new one
constexpr std::size_t kMostWords = 1'000;   // of a reason
constexpr std::size_t kMostQuestion = 120;  // of one that is repeated above its answer
constexpr std::size_t kMostSummary = 4'000;
constexpr std::size_t kMostAnswer = 650;  // a comment has room for a thousand characters

// Escapes text for use within a line of markdown, so that it has no formatting.
std::string literal(std::string_view text, std::size_t most) {
  std::string plain = cleaned(text, most);
  std::ranges::replace(plain, '\n', ' ');
  std::string result;
  for (const char c : trimmed(plain)) {
    if (std::string_view("\\`*_[]<>|~&$=").contains(c)) result += '\\';
    result += c;
  }
  return result;
}

// The same, with an ellipsis where it was cut.
std::string shortened(std::string_view text, std::size_t most) {
  return literal(text, most) + (text.size() > most ? "…" : "");
}

bool is_plain_url(std::string_view url) {
  const bool is_ours =
      url.starts_with('/') || url.starts_with("https://") || url.starts_with("http://");
  return is_ours && std::ranges::all_of(url, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("-._~/%#?=&:+,@").contains(c);
         });
}

std::string link_to(const OutlineDocument& document) {
  const std::string words = literal(document.title, kMostName);
  const std::string title = words.empty() ? "Untitled" : words;
  return is_plain_url(document.url) ? "[" + title + "](" + document.url + ")" : title;
}

std::string list_of(const std::vector<Hit>& hits) {
  std::string list;
  for (const Hit& hit : hits) list += "\n- " + link_to(hit.document);
  return list;
}

// Only the words: the search would treat punctuation as a word or an operator.
std::string query_of(std::string_view words) {
  std::string query = cleaned(words, kMostQuery);
  for (char& c : query) {
    if (std::string_view("?!,;:\"()[]{}<>*|").contains(c)) c = ' ';
  }
  return tamed_line(query, kMostQuery);
}

// The hits for a query: each other document once, at most kMostNamed.
Result<std::vector<Hit>> others(std::string_view words, const OutlineDocument& self,
                                Outline& outline) {
  const std::string query = query_of(words);
  if (query.empty()) return std::vector<Hit>{};  // nothing to search for
  LET(std::vector<Hit> found, outline.search(query, kMostNamed + 1));
  std::vector<Hit> hits;
  for (Hit& hit : found) {
    const std::string& id = hit.document.id;
    const bool is_known =
        id == self.id || hit.document.is_gone ||
        std::ranges::any_of(hits, [&](const Hit& other) { return other.document.id == id; });
    if (!is_known && hits.size() < kMostNamed) hits.push_back(std::move(hit));
  }
  return hits;
}

std::string_view without_empty_ends(std::string_view text) {
  constexpr std::string_view kEmpty = " \n";
  const std::size_t first = text.find_first_not_of(kEmpty);
  if (first == std::string_view::npos) return {};
  const std::size_t line = text.rfind('\n', first);  // keeps the leading blanks of the first line
  const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
  return text.substr(start, text.find_last_not_of(kEmpty) - start + 1);
}

std::unexpected<Failure> empty_answer() {
  return fail(Cure::retry, "answer", "the assistant's answer is empty");
}

Result<std::string> tame_answer(const Prompt& prompt, std::size_t most, Assistant& assistant) {
  LET(const std::string answer, assistant.answer(prompt));
  std::string tame(without_empty_ends(tamed(answer, most)));
  if (tame.empty()) return empty_answer();
  if (answer.size() > most) tame += "…";
  return tame;
}

const OutlineCollection* named(const Taxonomy& taxonomy, const std::string& id) {
  const auto found = std::ranges::find_if(
      taxonomy, [&](const CollectionSample& sample) { return sample.collection.id == id; });
  return found == taxonomy.end() ? nullptr : &found->collection;
}

std::string name_in(const Taxonomy& taxonomy, const std::string& id) {
  const OutlineCollection* const collection = named(taxonomy, id);
  const std::string name = collection == nullptr ? "" : literal(collection->name, kMostName);
  return name.empty() ? "a collection without a name" : "**" + name + "**";
}

// Rounded down, so that a value below the threshold is not shown as equal to it.
std::string percent(double confidence) {
  return std::to_string(static_cast<int>(std::floor(confidence * 100 + 1e-9))) + " %";
}

std::string sentence(std::string_view intro, std::string_view words) {
  const std::string text = literal(words, kMostWords);
  return text.empty() ? "" : std::string(intro) + text;
}

std::string way_back(const Decision& decision, const Taxonomy& taxonomy) {
  const bool is_known = named(taxonomy, decision.collection) != nullptr;
  std::string back = is_known ? " to " + name_in(taxonomy, decision.collection) : "";
  if (!decision.parent.empty()) back += ", below [its parent](/doc/" + decision.parent + ")";
  return "\n\nTo undo this, move the document back" + back + ".";
}

std::string filed_comment(const Advice& advice, const Taxonomy& taxonomy, const Decision& decision,
                          bool has_terms) {
  const std::string name = name_in(taxonomy, advice.collection);
  std::string text = decision.move_to.empty()
                         ? "This document is already in " + name + ", where it belongs"
                         : "I moved this document to " + name;
  text += " (confidence " + percent(advice.confidence) + ").";
  // A comment that is too long is cut, so the least important part comes last.
  if (!decision.move_to.empty()) text += way_back(decision, taxonomy);
  if (has_terms && decision.terms.empty()) {
    text +=
        "\n\nThe markers around the search terms are damaged, so I did not change the search "
        "terms.";
  }
  return text + sentence("\n\nWhy: ", advice.reasoning);
}

std::string unsure_comment(const Advice& advice, const Taxonomy& taxonomy) {
  std::string text =
      "I am not sure where this document belongs, so I did not move it. Add guidance after "
      "`?ai-file` in the document (or change it), or move the document "
      "yourself and remove the line.\n\nPossible collections:\n\n- " +
      name_in(taxonomy, advice.collection) + " (confidence " + percent(advice.confidence) + ")" +
      sentence(": ", advice.reasoning);
  for (const Alternative& other : advice.alternatives) {
    text += "\n- " + name_in(taxonomy, other.collection) + sentence(": ", other.why);
  }
  return text;
}

bool is_damaged(const OutlineDocument& document, MarkedBlock block) {
  return read_block(document.text, block).state == BlockState::broken;
}

Result<void> decide_file(const OutlineDocument& document, const DecideContext& context,
                         Decision& decision) {
  LET(const Taxonomy taxonomy, context.taxonomy.get(context.outline));
  if (taxonomy.empty()) {
    return fail(Cure::give_up, "taxonomy", "the API key cannot see any collection");
  }
  LET(const std::string answer,
      context.assistant.answer(filing_prompt(document, decision.command.argument, taxonomy)));
  if (trimmed(answer).empty()) return empty_answer();
  LET(const Advice advice, advice_of(answer, taxonomy));
  if (advice.confidence < context.threshold) {
    decision.mark = CommandMark::uncertain;
    decision.comment = unsure_comment(advice, taxonomy);
    return {};
  }
  if (!is_damaged(document, MarkedBlock::terms)) {
    decision.terms = advice.terms;
  } else if (!advice.terms.empty()) {
    decision.left_alone.emplace_back("terms");
  }
  if (advice.collection != document.collection) decision.move_to = advice.collection;
  decision.comment = filed_comment(advice, taxonomy, decision, !advice.terms.empty());
  return {};
}

Result<void> decide_ask(const OutlineDocument& document, const DecideContext& context,
                        Decision& decision) {
  const std::string& question = decision.command.argument;
  LET(const std::vector<Hit> hits, others(question, document, context.outline));
  LET(const std::string answer,
      tame_answer(question_prompt(question, document, hits), kMostAnswer, context.assistant));
  decision.comment = "Question: " + shortened(question, kMostQuestion) + "\n\n" + answer;
  if (!hits.empty()) {
    decision.comment += "\n\nOther documents used for this answer:\n" + list_of(hits);
  }
  return {};
}

Result<void> decide_summarize(const OutlineDocument& document, const DecideContext& context,
                              Decision& decision) {
  if (is_damaged(document, MarkedBlock::summary)) {
    decision.left_alone.emplace_back("summary");
    decision.comment =
        "The markers around the summary are damaged, so I did not change it. Remove or restore "
        "them, and write /summarize again.";
    return {};
  }
  LET(const std::string answer, context.assistant.answer(summary_prompt(document)));
  decision.summary = quoted(answer, kMostSummary);
  if (decision.summary.empty()) return empty_answer();
  decision.comment = decision.had_summary ? "I rewrote the summary in this document."
                                          : "I added a summary at the beginning of this document.";
  decision.comment += " To keep it as your own, remove the markers around it.";
  return {};
}

// The first line with words, without the decoration that assistants often put around a title.
std::string title_in(std::string_view answer) {
  const std::size_t first = answer.find_first_not_of(" \n");
  answer.remove_prefix(std::min(first, answer.size()));
  std::string_view line = trimmed(answer.substr(0, answer.find('\n')));
  while (line.starts_with('#')) line = trimmed(line.substr(1));
  for (const char mark : {'*', '*', '"', '`', '\''}) {
    if (line.size() > 1 && line.front() == mark && line.back() == mark) {
      line = trimmed(line.substr(1, line.size() - 2));
    }
  }
  return tamed_line(line, kMostTitle);
}

Result<void> decide_title(const OutlineDocument& document, const DecideContext& context,
                          Decision& decision) {
  LET(const std::string answer,
      tame_answer(title_prompt(document), kMostAnswer, context.assistant));
  const std::string title = title_in(answer);
  if (title.empty()) return fail(Cure::retry, "answer", "the assistant's answer contains no title");
  if (title == document.title) {
    decision.comment = "I found no better title than the current one.";
    return {};
  }
  LET(const Abilities can, context.outline.abilities(document));
  if (!can.guards_revisions) {
    decision.comment = "I suggest this title: **" + literal(title, kMostName) +
                       "**\n\nI did not set it: if you changed the title at the same moment, this "
                       "version of Outline would overwrite your change.";
    return {};
  }
  decision.new_title = title;
  const std::string old = literal(document.title, kMostName);
  decision.comment = old.empty() ? "I gave this document a title. It had none before."
                                 : "I gave this document a new title. The old title was: " + old;
  return {};
}

Result<void> decide_related(const OutlineDocument& document, const DecideContext& context,
                            Decision& decision) {
  LET(const std::vector<Hit> hits, others(document.title, document, context.outline));
  decision.comment = hits.empty()
                         ? "I found no other document on the subject of this title."
                         : "Documents that may be about the same subject:\n" + list_of(hits);
  return {};
}

Result<void> decide_on(const OutlineDocument& document, const DecideContext& context,
                       Decision& decision) {
  switch (decision.command.name) {
    case CommandName::file:
      return decide_file(document, context, decision);
    case CommandName::ask:
      return decide_ask(document, context, decision);
    case CommandName::summarize:
      return decide_summarize(document, context, decision);
    case CommandName::title:
      return decide_title(document, context, decision);
    case CommandName::related:
      return decide_related(document, context, decision);
  }
  return fail(Cure::give_up, "command", "no such command");
}

}  // namespace

Result<Decision> decide(const Command& command, const OutlineDocument& document,
                        const DecideContext& context) {
  Decision decision;
  decision.document = document.id;
  decision.command = command;
  decision.title = document.title;
  decision.collection = document.collection;
  decision.parent = document.parent;
  decision.had_summary = read_block(document.text, MarkedBlock::summary).state != BlockState::none;
  decision.had_terms = read_block(document.text, MarkedBlock::terms).state != BlockState::none;
  TRY(decide_on(document, context, decision));
  return decision;
}

}  // namespace tidemill::docs
