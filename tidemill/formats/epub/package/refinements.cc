// The refines attributes: where they lead.
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/package/facts.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

// Something like "https:" anywhere in it.
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

void check_in_package(const OpfCheck& check, const Statement& statement,
                      const std::string& refines) {
  if (has_scheme(refines)) {
    check.report("RSC-005", statement.at, "refines must be relative: " + refines);
  }
  if (refines.starts_with('#')) {
    if (!check.facts->id_counts.contains(refines.substr(1))) {
      check.report("RSC-005", statement.at, "refines an id that is not there: " + refines);
    }
    return;
  }
  const Target target = resolve(refines, check.package().path);
  const Item* item = target.has_fragment ? nullptr : check.package().item_at(target.path);
  if (item != nullptr) {
    check.report("RSC-017", statement.at, refines + ": refine its item, #" + item->id);
  }
}

using PlacedIds = std::set<std::pair<std::size_t, std::string_view>>;  // by collection

void check_in_collection(const OpfCheck& check, const Statement& statement,
                         const std::string& refines, const PlacedIds& ids) {
  const std::string_view id = std::string_view(refines).substr(refines.empty() ? 0 : 1);
  if (!refines.starts_with('#') || !ids.contains({statement.collection, id})) {
    check.report("RSC-005", statement.at, "refines must stay in the collection: " + refines);
  }
}

// Statements of one metadata element that refine each other in a circle. Each refines at most one
// thing, so a walk along them either ends or closes.
void check_circles(const OpfCheck& check) {
  const std::vector<Statement>& all = check.facts->statements;
  enum class Visit : std::uint8_t { none, open, done };
  std::unordered_map<std::string, std::size_t> by_id;
  const auto key = [](std::size_t metadata, std::string_view id) {
    return std::to_string(metadata) + '#' + std::string(id);
  };
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (!all[at].id.empty() && all[at].kind != Statement::Kind::link) {
      by_id.try_emplace(key(all[at].metadata, all[at].id), at);
    }
  }
  const auto next_of = [&](std::size_t at) {
    const Statement& statement = all[at];
    if (statement.kind != Statement::Kind::meta || !statement.refines) return kNone;
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
  for (const Statement& statement : check.facts->statements) {
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
