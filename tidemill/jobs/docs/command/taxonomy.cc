// TaxonomyCache: reads and caches the taxonomy of a server.
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

// Reads the titles of each collection that is not in `samples` yet, and adds them there. They stay
// there if a later call fails.
Result<Taxonomy> read_on(Outline& outline, Taxonomy& samples) {
  LET(std::vector<OutlineCollection> collections, outline.collections());
  Taxonomy taxonomy;
  std::map<std::string, std::vector<std::string>> known;
  for (const CollectionSample& sample : samples) known[sample.collection.id] = sample.titles;
  for (OutlineCollection& collection : collections) {
    CollectionSample sample{.collection = std::move(collection), .titles = {}};
    if (const auto found = known.find(sample.collection.id); found != known.end()) {
      sample.titles = found->second;
    } else {
      const auto newest =
          outline.list({.collection = sample.collection.id, .offset = 0, .limit = kTitles});
      // Deleted meanwhile, or visible but not readable: nothing can be filed into it.
      if (!newest && newest.error().cure == Cure::give_up) continue;
      if (!newest) return std::unexpected(newest.error());
      for (const OutlineDocument& document : *newest) sample.titles.push_back(document.title);
      if (sample.titles.size() > kTitles) sample.titles.resize(kTitles);
      samples.push_back(sample);
    }
    taxonomy.push_back(std::move(sample));
  }
  return taxonomy;
}

// All tasks need the taxonomy, and one of them has to read it: a failure there is not that task's
// fault. But a server that always fails must not defer all tasks without end.
Failure forgiven(Failure failure, int failures) {
  if (failure.cure != Cure::retry || failures > kForgiven) return failure;
  failure.cure = Cure::later;
  failure.not_before = std::max(failure.not_before, failures * kWhileRead);
  return failure;
}

// Only one worker reads at a time: two would take each other's turns at the gate, and neither would
// finish.
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
  struct Done {  // also on an exception: otherwise the taxonomy would never be read again
    Guarded<State>& kept;
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
    const int failures = kept_.update([](State& kept) { return ++kept.failures; });
    return std::unexpected(forgiven(std::move(read).error(), failures));
  }
  Taxonomy taxonomy = *std::move(read);
  done.is_read = true;
  kept_.update([&](State& kept) {
    kept.taxonomy = taxonomy;
    kept.read = clock_.now();
    kept.is_there = true;
    kept.failures = 0;
  });
  return taxonomy;
}

}  // namespace tidemill::docs
