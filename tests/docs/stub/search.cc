// documents.search, and the filters it shares with documents.list.
#include <algorithm>
#include <cctype>
#include <functional>

#include "tests/docs/stub/api.h"
#include "tests/docs/stub/present.h"
#include "tidemill/base/try.h"

namespace tidemill::docs_stub {
namespace {

constexpr int kDeepestFilter = 10;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : lower(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || byte >= 0x80U) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool is_stop_word(const std::string& word) {
  static const std::vector<std::string> kWords = {
      "a",  "an",   "and",  "are",   "as",    "at",  "be",  "by",   "do",   "does", "for", "how",
      "i",  "in",   "is",   "it",    "of",    "on",  "or",  "our",  "the",  "this", "to",  "was",
      "we", "what", "when", "where", "which", "who", "why", "will", "with", "you"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// Nothing: the field cannot be compared.
std::optional<std::string> field_of(const Document& document, const std::string& name) {
  if (name == "collectionId") return document.collection;
  if (name == "documentId") return document.id;
  if (name == "parentDocumentId") return document.parent;
  if (name == "title") return document.title;
  if (name == "createdAt") return document.created_at;
  if (name == "updatedAt") return document.updated_at;
  if (name == "publishedAt") return document.published_at;
  if (name == "archivedAt" || name == "templateId") return "";
  return std::nullopt;
}

Checked<bool> compares(const std::string& field, const std::string& how, const Json& value) {
  if (how == "isNull") return field.empty();
  if (how == "isNotNull") return !field.empty();
  if (how == "in" || how == "notIn") {
    if (!value.is_array()) return refuse(400, "filters: value must be an array");
    return (std::ranges::find(value, Json(field)) != value.end()) == (how == "in");
  }
  if (!value.is_string()) return refuse(400, "filters: value must be a string");
  const auto text = value.get<std::string>();
  if (how == "eq") return field == text;
  if (how == "neq") return field != text;
  if (how == "lt") return field < text;
  if (how == "lte") return field <= text;
  if (how == "gt") return field > text;
  if (how == "gte") return field >= text;
  if (how == "contains") return lower(field).find(lower(text)) != std::string::npos;
  if (how == "startsWith") return lower(field).starts_with(lower(text));
  if (how == "endsWith") return lower(field).ends_with(lower(text));
  if (how == "containsStrict") return field.find(text) != std::string::npos;
  if (how == "startsWithStrict") return field.starts_with(text);
  if (how == "endsWithStrict") return field.ends_with(text);
  return refuse(400, "filters: operator: Invalid option");
}

Checked<bool> matches(const Document& document, const Json& filter, int depth);

Checked<bool> group_matches(const Document& document, const Json& group, bool all, int depth) {
  if (!group.is_array()) return refuse(400, "filters: expected an array");
  bool result = all;
  for (const auto& filter : group) {
    LET(const bool one, matches(document, filter, depth));
    result = all ? result && one : result || one;
  }
  return result;
}

Checked<bool> matches(const Document& document, const Json& filter, int depth) {
  if (depth > kDeepestFilter) return refuse(400, "filters: too deep");
  if (!filter.is_object()) return refuse(400, "filters: expected an object");
  LET(const auto how, text_field(filter, "operator"));
  LET(const auto name, text_field(filter, "field"));
  if (!how) return refuse(400, "filters: operator: Required");
  if (!name) {
    if (*how != "AND" && *how != "OR") return refuse(400, "filters: field: Required");
    return group_matches(document, filter.value("filters", Json()), *how == "AND", depth + 1);
  }
  const auto field = field_of(document, *name);
  if (!field) return refuse(400, "filters: field: not known here: " + *name);
  const Json value = filter.value("value", Json());
  if (name->ends_with("Id") && value.is_string() && !is_strict_uuid(value.get<std::string>())) {
    return refuse(400, "filters: value: Invalid UUID");
  }
  return compares(*field, *how, value);
}

struct Hit {
  const Document* document = nullptr;
  double rank = 0;
  std::size_t at = 0;  // of the first word found, in the text
};

// Every word must occur. Nothing: one does not.
std::optional<Hit> hit(const Document& document, const std::vector<std::string>& words) {
  const std::string text = lower(document.body.text());
  const std::string title = lower(document.title);
  Hit found{.document = &document};
  for (const auto& word : words) {
    const auto at = text.find(word);
    const bool in_title = title.find(word) != std::string::npos;
    if (at == std::string::npos && !in_title) return std::nullopt;
    found.rank += (in_title ? 1.0 : 0.0) + (at != std::string::npos ? 0.25 : 0.0);
    if (at != std::string::npos && found.at == 0) found.at = at;
  }
  return found;
}

// About 200 bytes around the place, cut at characters.
std::string context_of(const std::string& text, std::size_t at) {
  const auto is_inside = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
  };
  std::size_t first = at > 60 ? at - 60 : 0;
  std::size_t last = std::min(text.size(), at + 140);
  while (is_inside(first)) ++first;
  while (is_inside(last)) ++last;
  return text.substr(first, last - first);
}

std::pair<double, std::string> sort_key(const Hit& hit, const std::string& by) {
  if (by == "title") return {0, hit.document->title};
  if (by == "createdAt") return {0, hit.document->created_at};
  if (by == "updatedAt") return {0, hit.document->updated_at};
  return {hit.rank, ""};
}

std::vector<std::string> query_words(const std::optional<std::string>& query) {
  std::vector<std::string> words = words_of(query.value_or(""));
  std::erase_if(words, is_stop_word);
  return words;
}

}  // namespace

Checked<std::vector<const Document*>> filtered(const World& world, const Json& body) {
  LET(const auto collection, uuid_field(body, "collectionId"));
  LET(const auto parent, uuid_field(body, "parentDocumentId"));
  TRY(uuid_field(body, "userId"));
  const Json filters = world.rows().filters ? Json() : body.value("filters", Json());
  if (!filters.is_null() && (collection || parent || body.contains("userId") ||
                             body.contains("statusFilter") || body.contains("dateFilter"))) {
    return refuse(400, "filters cannot be combined with deprecated parameters");
  }
  // Wrong filters are refused also where there is nothing to filter.
  if (!filters.is_null()) TRY(group_matches(Document{}, filters, true, 1));
  if (collection && !world.collections().contains(*collection)) return refuse(403);
  std::vector<const Document*> found;
  for (const auto& [id, document] : world.documents()) {
    if (!document.deleted_at.empty()) continue;
    if (collection && document.collection != *collection) continue;
    if (parent && document.parent != *parent) continue;
    if (!filters.is_null()) {
      LET(const bool is_wanted, group_matches(document, filters, true, 1));
      if (!is_wanted) continue;
    }
    found.push_back(&document);
  }
  return found;
}

Checked<Json> documents_search(World& world, const Json& body) {
  LET(const auto page, page_field(body));
  LET(const auto query, text_field(body, "query"));
  LET(const auto order,
      order_field(body, {"relevance", "createdAt", "updatedAt", "title"}, "relevance"));
  LET(const auto candidates, filtered(world, body));
  const auto words = query_words(query);
  std::vector<Hit> hits;
  for (const Document* document : candidates) {
    if (const auto found = hit(*document, words)) hits.push_back(*found);
  }
  const std::string by = words.empty() && order.by == "relevance" ? "updatedAt" : order.by;
  std::sort(hits.begin(), hits.end(), [&](const Hit& a, const Hit& b) {
    const auto [key_a, key_b] = std::pair(sort_key(a, by), sort_key(b, by));
    if (key_a == key_b) return a.document->id < b.document->id;
    return (key_a < key_b) == order.ascending;
  });
  Json data = Json::array();
  std::vector<std::string> ids;
  for (std::size_t i = page.offset; i < hits.size() && data.size() < page.limit; ++i) {
    const Document& document = *hits[i].document;
    data.push_back({{"context", context_of(document.body.text(), hits[i].at)},
                    {"ranking", hits[i].rank},
                    {"document", document_json(world, document)}});
    ids.push_back(document.id);
  }
  return Json{{"data", std::move(data)},
              {"pagination", page_json("documents.search", page, hits.size())},
              {"policies", policies_json(ids)}};
}

}  // namespace tidemill::docs_stub
