#include "tidemill/jobs/docs/command/advice.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "tidemill/base/try.h"
#include "tidemill/formats/jsonl/tree.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/command/markdown.h"
#include "tidemill/jobs/docs/command/prompts.h"

namespace tidemill::docs {
namespace {

using jsonl::Json;

constexpr std::size_t kMostAlternatives = 5;
constexpr std::size_t kMostTerms = 20;
constexpr std::size_t kMostTerm = 60;
constexpr std::size_t kMostReasoning = 1'000;
// The limit for all collections; beyond it they are listed without descriptions and titles.
constexpr std::size_t kMostTaxonomy = std::size_t{64} * 1024;

std::string described(const CollectionSample& sample, bool is_brief) {
  std::string text = "- id " + tamed_line(sample.collection.id, 60) + ": " +
                     tamed_line(sample.collection.name, 120) + "\n";
  if (is_brief) return text;
  const std::string description = tamed_line(sample.collection.description, 300);
  if (!description.empty()) text += "  about: " + description + "\n";
  for (const std::string& title : sample.titles)
    text += "  holds: " + tamed_line(title, 120) + "\n";
  return text;
}

std::unexpected<Failure> no_answer(const std::string& why, std::string_view answer) {
  // Failures are grouped by reason, so it must not contain what differs between answers.
  return std::unexpected(Failure{
      .cure = Cure::retry,
      .step = "answer",
      .reason = why,
      .hint = "check the model; its answer begins: " + text::printable(cleaned(answer, 200))});
}

// Parses the complete answer, or from the first brace to the last: assistants often add words and
// fences around the object.
Result<Json> object_in(std::string_view answer) {
  if (auto whole = Json::parse(answer); whole && whole->is_object()) return whole;
  const std::size_t first = answer.find('{');
  const std::size_t last = answer.rfind('}');
  if (first == std::string_view::npos || last == std::string_view::npos || last < first) {
    return no_answer("the answer contains no JSON object", answer);
  }
  auto inner = Json::parse(answer.substr(first, last - first + 1));
  if (!inner || !inner->is_object()) return no_answer("the answer is not JSON", answer);
  return inner;
}

std::optional<double> confidence_in(const Json& value) {
  std::optional<double> number = value.number();
  if (value.is_text()) {
    const std::string_view words = trimmed(value.text());
    const char* const end = words.data() + words.size();
    double read = 0;
    const auto [stopped, error] = std::from_chars(words.data(), end, read);
    if (error == std::errc() && stopped == end) number = read;
  }
  const bool is_fit = number && *number >= 0 && *number <= 1;  // which "nan" is not
  return is_fit ? number : std::nullopt;
}

bool has(const Taxonomy& taxonomy, const std::string& id) {
  return std::ranges::any_of(
      taxonomy, [&](const CollectionSample& sample) { return sample.collection.id == id; });
}

void take_alternatives(const Json& list, const Taxonomy& taxonomy, Advice& advice) {
  for (const Json& item : list.items()) {
    if (advice.alternatives.size() == kMostAlternatives) return;
    const std::string& id = item.is_text() ? item.text() : item["collection_id"].text();
    const bool is_known = id == advice.collection ||
                          std::ranges::any_of(advice.alternatives, [&](const Alternative& other) {
                            return other.collection == id;
                          });
    if (is_known || !has(taxonomy, id)) continue;
    advice.alternatives.push_back(
        {.collection = id, .why = tamed_line(item["why"].text(), kMostReasoning)});
  }
}

void take_terms(const Json& list, Advice& advice) {
  for (const Json& item : list.items()) {
    if (advice.terms.size() == kMostTerms) return;
    std::string term = quoted_line(item.text(), kMostTerm);
    if (term.empty() || std::ranges::find(advice.terms, term) != advice.terms.end()) continue;
    advice.terms.push_back(std::move(term));
  }
}

}  // namespace

Prompt filing_prompt(const OutlineDocument& document, const std::string& guidance,
                     const Taxonomy& taxonomy) {
  Prompt prompt;
  prompt.wants_json = true;
  prompt.system =
      "You file documents: you say which of the collections below a document belongs to. Answer "
      "with one JSON object and nothing else. Its keys are collection_id (the id of one of the "
      "collections), confidence (a number from 0 to 1), reasoning (one or two sentences), "
      "alternatives (a list of {\"collection_id\": …, \"why\": …} with other collections that "
      "come into question) and search_terms (a list of up to 20 words or short phrases by which "
      "people will look for the document). " +
      std::string(only_data()) + "\n\nThe collections:\n";
  std::size_t used = 0;
  for (const CollectionSample& sample : taxonomy) {
    const std::string text = described(sample, used > kMostTaxonomy);
    used += text.size();
    prompt.system += text;
  }
  const std::string wish = tamed_line(guidance, kMostReasoning);
  prompt.user = "Guidance by the person who asks: " + (wish.empty() ? "none" : wish) + "\n\n" +
                fenced(document);
  return prompt;
}

Result<Advice> advice_of(std::string_view answer, const Taxonomy& taxonomy) {
  LET(const Json object, object_in(answer));
  Advice advice;
  advice.collection = object["collection_id"].text();
  if (!has(taxonomy, advice.collection)) {
    return no_answer("the answer does not name an existing collection", answer);
  }
  const auto confidence = confidence_in(object["confidence"]);
  if (!confidence) {
    return no_answer("the confidence in the answer is not a number from 0 to 1", answer);
  }
  advice.confidence = *confidence;
  advice.reasoning = tamed_line(object["reasoning"].text(), kMostReasoning);
  take_alternatives(object["alternatives"], taxonomy, advice);
  take_terms(object["search_terms"], advice);
  return advice;
}

}  // namespace tidemill::docs
