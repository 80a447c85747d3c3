// The taxonomy of a server, kept for a while.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/jobs/docs/command/decide.h"

namespace tidemill::docs {
namespace {

constexpr std::size_t kTitles = 5;
constexpr std::chrono::milliseconds kWhileRead{200};
constexpr int kForgiven = 10;

// Puts the titles of each collection into `shelves`, which has those that were read before. What
// was read stays there when a call fails.
Result<Taxonomy> read_on(Outline& outline, Taxonomy& shelves) {
  LET(std::vector<Collection> collections, outline.collections());
  Taxonomy taxonomy;
  std::map<std::string, std::vector<std::string>> known;
  for (const Shelf& shelf : shelves) known[shelf.collection.id] = shelf.titles;
  for (Collection& collection : collections) {
    Shelf shelf{.collection = std::move(collection), .titles = {}};
    if (const auto found = known.find(shelf.collection.id); found != known.end()) {
      shelf.titles = found->second;
    } else {
      const auto newest =
          outline.list({.collection = shelf.collection.id, .offset = 0, .limit = kTitles});
      // It was deleted meanwhile, or may be seen and not read: nothing can be filed into it.
      if (!newest && newest.error().cure == Cure::give_up) continue;
      if (!newest) return std::unexpected(newest.error());
      for (const Document& document : *newest) shelf.titles.push_back(document.title);
      if (shelf.titles.size() > kTitles) shelf.titles.resize(kTitles);
      shelves.push_back(shelf);
    }
    taxonomy.push_back(std::move(shelf));
  }
  return taxonomy;
}

// All tasks want it, and one of them has to read it: what goes wrong there is not its fault. But a
// server that never gives it must not keep everybody waiting for ever.
Failure forgiven(Failure failure, int failures) {
  if (failure.cure != Cure::retry || failures > kForgiven) return failure;
  failure.cure = Cure::later;
  failure.not_before = std::max(failure.not_before, failures * kWhileRead);
  return failure;
}

// Two who read it at once would take each other's turns at the gate, and neither would end.
std::unexpected<Failure> being_read() {
  Failure later{.cure = Cure::later, .step = "taxonomy", .reason = "it is being read"};
  later.not_before = kWhileRead;
  return std::unexpected(std::move(later));
}

}  // namespace

Result<Taxonomy> TaxonomyCache::get(Outline& outline) {
  Taxonomy begun;
  {
    const auto kept = kept_.lock();
    const bool is_fresh = kept->is_there && clock_.now() - kept->read < lasts_;
    if (is_fresh || (kept->is_there && kept->is_being_read)) return kept->taxonomy;
    if (kept->is_being_read) return being_read();
    kept->is_being_read = true;
    begun = kept->begun;
  }
  struct Done {  // also when somebody throws: or nobody would ever read again
    Guarded<Kept>& kept;
    Taxonomy& begun;
    bool is_read = false;
    ~Done() {
      const auto held = kept.lock();
      held->is_being_read = false;
      if (is_read) {
        held->begun.clear();
      } else if (begun.size() > held->begun.size()) {
        held->begun = std::move(begun);
      }
    }
  } done{.kept = kept_, .begun = begun};
  auto read = read_on(outline, begun);
  if (!read) {
    const int failures = kept_.update([](Kept& kept) { return ++kept.failures; });
    return std::unexpected(forgiven(std::move(read).error(), failures));
  }
  Taxonomy taxonomy = *std::move(read);
  done.is_read = true;
  kept_.update([&](Kept& kept) {
    kept.taxonomy = taxonomy;
    kept.read = clock_.now();
    kept.is_there = true;
    kept.failures = 0;
  });
  return taxonomy;
}

}  // namespace tidemill::docs
