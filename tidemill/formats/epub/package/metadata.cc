// The metadata of an EPUB 3 package document as a whole: how often a property may occur, what it
// may refine, and the targets of refines attributes.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/package/facts.h"
#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/package/vocabulary.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

using Kind = MetadataStatement::Kind;

// A property and the statements it may refine: dc elements (dublin) or metas (own). Both empty: any
// statement.
struct Refinement {
  std::string_view property{};
  std::string_view dublin{};  // separated by spaces
  std::string_view own{};
  bool is_once = false;      // at most once for each refined statement
  bool may_be_free = false;  // need not refine anything
};

constexpr auto kRefinements = std::to_array<Refinement>({
    {.property = "authority", .dublin = "subject"},
    {.property = "term", .dublin = "subject"},
    {.property = "role", .dublin = "creator contributor publisher"},
    {.property = "identifier-type", .dublin = "identifier source", .is_once = true},
    {.property = "title-type", .dublin = "title", .is_once = true},
    {.property = "source-of", .dublin = "source", .is_once = true},
    {.property = "collection-type", .own = "belongs-to-collection", .is_once = true},
    {.property = "belongs-to-collection", .own = "belongs-to-collection", .may_be_free = true},
    {.property = "display-seq", .is_once = true},
    {.property = "file-as", .is_once = true},
    {.property = "group-position", .is_once = true},
});

// A metadata element, an id in it, and the kind and name of the statement with that id.
using Named = std::set<std::tuple<std::size_t, std::string_view, Kind, std::string_view>>;

Named named_statements(const OpfFacts& facts) {
  Named named;
  for (const MetadataStatement& one : facts.statements) {
    if (!one.id.empty()) named.emplace(one.metadata, one.id, one.kind, one.name);
  }
  return named;
}

bool refines_the_right(const MetadataStatement& statement, const Refinement& rule,
                       const Named& named) {
  if (rule.dublin.empty() && rule.own.empty()) return true;
  if (!statement.refines) return rule.may_be_free;
  std::string_view id = *statement.refines;
  if (!rule.dublin.empty() && !id.starts_with('#')) return false;
  id.remove_prefix(id.empty() ? 0 : 1);
  const auto is_one = [&](Kind kind, std::string_view names) {
    return std::ranges::any_of(words_of(names), [&](std::string_view name) {
      return named.contains({statement.metadata, id, kind, name});
    });
  };
  return is_one(Kind::dublin, rule.dublin) || is_one(Kind::meta, rule.own);
}

// Checks what each refining property refines and how often.
void check_targets(const OpfCheck& check) {
  const Named named = named_statements(*check.facts);
  std::map<std::tuple<std::size_t, std::string_view, std::string_view>, int> counts;
  for (const MetadataStatement& statement : check.facts->statements) {
    if (statement.kind != Kind::meta) continue;
    const auto* const rule = std::ranges::find(kRefinements, statement.name, &Refinement::property);
    if (rule == kRefinements.end()) continue;
    if (!refines_the_right(statement, *rule, named)) {
      check.report("RSC-005", statement.at, statement.name + " refines the wrong element or none");
    }
    const std::string_view refined = statement.refines ? std::string_view(*statement.refines) : "";
    if (rule->is_once && ++counts[{statement.metadata, statement.name, refined}] > 1) {
      check.report("RSC-005", statement.at, statement.name + " occurs twice for the same element");
    }
    if (statement.name == "source-of" && statement.value != "pagination") {
      check.report("RSC-005", statement.at, "source-of must be pagination");
    }
  }
}

// A subject has an authority and a term, or neither.
void check_subjects(const OpfCheck& check) {
  struct Pair {
    int authorities = 0;
    int terms = 0;
  };
  std::unordered_map<std::string_view, Pair> pairs;
  for (const MetadataStatement& statement : check.facts->statements) {
    if (statement.kind != Kind::meta || !statement.refines) continue;
    if (statement.refines->size() < 2) continue;
    const std::string_view id = std::string_view(*statement.refines).substr(1);
    if (statement.name == "authority") ++pairs[id].authorities;
    if (statement.name == "term") ++pairs[id].terms;
  }
  for (const MetadataStatement& statement : check.facts->statements) {
    if (statement.kind != Kind::dublin || statement.name != "subject") continue;
    const auto found = pairs.find(statement.id);
    if (statement.id.empty() || found == pairs.end()) continue;
    const auto [authorities, terms] = found->second;
    if (authorities != terms || authorities > 1) {
      check.report("RSC-005", statement.at,
                   "a subject must have one authority and one term, or neither");
    }
  }
}

void check_modified(const OpfCheck& check) {
  std::size_t count = 0;
  for (const MetadataStatement& statement : check.facts->statements) {
    if (statement.name != "dcterms:modified" || statement.collection != kNone) continue;
    if (!statement.refines && statement.metadata == check.facts->metadata) ++count;
    if (!is_modified_date(statement.value)) {
      check.report("RSC-005", statement.at,
                   "dcterms:modified must have the form 2024-05-31T12:00:00Z");
    }
  }
  if (check.facts->metadata != kNone && count != 1) {
    check.report("RSC-005", check.facts->metadata_at,
                 "dcterms:modified occurs " + std::to_string(count) + " times, not once");
  }
}

void check_unique_identifier(const OpfCheck& check) {
  const std::string wanted = normalized(check.package().unique_identifier);
  if (wanted.empty()) return;
  const bool is_there =
      std::ranges::any_of(check.facts->statements, [&](const MetadataStatement& one) {
        return one.kind == Kind::dublin && one.name == "identifier" && one.id == wanted &&
               one.metadata == check.facts->metadata;
      });
  if (!is_there) {
    check.report("RSC-005", check.facts->package_at, "no dc:identifier has the id " + wanted);
  }
}

void check_links(const OpfCheck& check) {
  for (const MetadataStatement& link : check.facts->statements) {
    if (link.kind != Kind::link) continue;
    if (has_word(link.name, "record") && link.refines) {
      check.report("RSC-005", link.at,
                   "a record describes the whole book: it must not have refines");
    }
    if (has_word(link.name, "voicing") && !link.refines) {
      check.report("RSC-005", link.at, "a voicing must refine something");
    }
  }
}

}  // namespace

void check_metadata(const OpfCheck& check) {
  check_unique_identifier(check);
  check_modified(check);
  check_links(check);
  check_targets(check);
  check_subjects(check);
  for (const MetadataStatement& statement : check.facts->statements) {
    if (statement.kind == Kind::meta && statement.name == "meta-auth" &&
        statement.metadata != kNone) {
      check.report("RSC-017", statement.at, "meta-auth is deprecated");
    }
  }
}

// Targets of refines attributes.
namespace {

// Contains something like "https:" anywhere.
bool has_scheme(std::string_view url) {
  const auto is_scheme_char = [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  };
  bool has_letter = false;
  for (const char c : url) {
    if (c == ':' && has_letter) return true;
    has_letter = is_scheme_char(c) && (has_letter || is_letter(c));
  }
  return false;
}

void check_in_package(const OpfCheck& check, const MetadataStatement& statement,
                      const std::string& refines) {
  if (has_scheme(refines)) {
    check.report("RSC-005", statement.at, "refines must be relative: " + refines);
  }
  if (refines.starts_with('#')) {
    if (!check.facts->id_counts.contains(refines.substr(1))) {
      check.report("RSC-005", statement.at, "refines an id that does not exist: " + refines);
    }
    return;
  }
  const LinkTarget target = resolve(refines, check.package().path);
  const Item* item = target.has_fragment ? nullptr : check.package().item_at(target.path);
  if (item != nullptr) {
    check.report("RSC-017", statement.at, refines + ": refine its manifest item, #" + item->id);
  }
}

using PlacedIds = std::set<std::pair<std::size_t, std::string_view>>;  // by collection

void check_in_collection(const OpfCheck& check, const MetadataStatement& statement,
                         const std::string& refines, const PlacedIds& ids) {
  const std::string_view id = std::string_view(refines).substr(refines.empty() ? 0 : 1);
  if (!refines.starts_with('#') || !ids.contains({statement.collection, id})) {
    check.report("RSC-005", statement.at, "refines must point into the collection: " + refines);
  }
}

// Statements of one metadata element that refine each other in a cycle. Each refines at most one
// statement, so a walk along them either ends or returns to its start.
void check_circles(const OpfCheck& check) {
  const std::vector<MetadataStatement>& all = check.facts->statements;
  enum class Visit : std::uint8_t { none, open, done };
  std::unordered_map<std::string, std::size_t> by_id;
  const auto key = [](std::size_t metadata, std::string_view id) {
    return std::to_string(metadata) + '#' + std::string(id);
  };
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (!all[at].id.empty() && all[at].kind != MetadataStatement::Kind::link) {
      by_id.try_emplace(key(all[at].metadata, all[at].id), at);
    }
  }
  const auto next_of = [&](std::size_t at) {
    const MetadataStatement& statement = all[at];
    if (statement.kind != MetadataStatement::Kind::meta || !statement.refines) return kNone;
    if (!statement.refines->starts_with('#')) return kNone;
    const auto found = by_id.find(key(statement.metadata, statement.refines->substr(1)));
    return found == by_id.end() ? kNone : found->second;
  };
  std::vector<Visit> visits(all.size(), Visit::none);
  for (std::size_t first = 0; first < all.size(); ++first) {
    std::vector<std::size_t> path;
    std::size_t at = first;
    for (; at != kNone && visits[at] == Visit::none; at = next_of(at)) {
      visits[at] = Visit::open;
      path.push_back(at);
    }
    if (at != kNone && visits[at] == Visit::open) {
      return check.report("OPF-065", all[at].at, all[at].id);
    }
    for (const std::size_t seen : path) visits[seen] = Visit::done;
  }
}

}  // namespace

void check_refinements(const OpfCheck& check) {
  PlacedIds ids;
  for (const IdPlace& place : check.facts->ids) {
    if (place.collection != kNone) ids.emplace(place.collection, place.id);
  }
  for (const MetadataStatement& statement : check.facts->statements) {
    if (!statement.refines) continue;
    if (statement.collection == kNone) {
      check_in_package(check, statement, *statement.refines);
    } else if (statement.metadata != kNone) {
      check_in_collection(check, statement, *statement.refines, ids);
    }
  }
  check_circles(check);
}

}  // namespace tidemill::epub
