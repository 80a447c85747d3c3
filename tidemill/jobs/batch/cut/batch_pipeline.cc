#include "tidemill/jobs/batch/cut/batch_pipeline.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/io/walk/filter/sieve.h"
#include "tidemill/jobs/batch/send/stopped.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::batch {
namespace {

constexpr std::size_t kItems = 2'048;
constexpr std::size_t kNotes = 1'000;
constexpr std::size_t kTakeSome = 16;

std::size_t workers_of(const BatchOptions& options) {
  if (options.workers > 0) return options.workers;
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

Result<BatchRecipe> recipe_of(const BatchOptions& options, const std::string& tables) {
  if (auto sieve = walk::Sieve::compile(options.globs, options.excludes); !sieve) {
    return command::misuse(sieve.error().reason, sieve.error().hint);
  }
  BatchRecipe recipe;
  LET(recipe.tokenizer, tokens::open_tokenizer(options.tokenizer, tables));
  if (!options.template_path.empty()) {
    LET(recipe.prompt, BatchPrompt::read(options.template_path));
  }
  TRY(jobs::check(options.list));
  LET(recipe.roots,
      options.list.is_given() ? BatchRoots::open_list() : BatchRoots::open(options.roots));
  LET(recipe.job,
      job_of(options, recipe.roots, recipe.tokenizer->fingerprint(), recipe.prompt.text()));
  const auto counter = recipe.tokenizer->counter();
  const std::uint64_t overhead = options.overhead + recipe.prompt.overhead(*counter);
  if (overhead >= options.max_tokens) {
    return command::misuse("the prompt alone has " + std::to_string(overhead) +
                               " tokens, but --max-tokens is " + std::to_string(options.max_tokens),
                           "use a larger --max-tokens or a shorter prompt");
  }
  const double margin = options.margin.value_or(recipe.tokenizer->is_exact() ? 1.0 : 0.98);
  recipe.limits = {.cost = limit_of(options.max_tokens, overhead, margin),
                   .files = options.max_files};
  return recipe;
}

std::unique_ptr<catalogue::TokenCounts> open_counts(const BatchOptions& options,
                                                    const BatchRecipe& recipe,
                                                    const command::Context& context) {
  if (options.catalogue.empty()) return nullptr;
  auto counts = catalogue::TokenCounts::open(options.catalogue, recipe.tokenizer->fingerprint(),
                                             context.clock);
  if (counts) return *std::move(counts);
  context.console.say(command::Tone::warning,
                      "Token counts are not cached: " + tidemill::text_of(counts.error()) + ".");
  return nullptr;
}

BatchPipeline::BatchPipeline(Work work)
    : work_(std::move(work)),
      belt_({.items = kItems, .bytes = work_.options.is_inline ? mib(24) : mib(256)}) {}

BatchPipeline::~BatchPipeline() { belt_.cancel(); }

void BatchPipeline::fail_with(Failure failure) {
  {
    auto first = failure_.lock();
    if (!*first) *first = std::move(failure);
  }
  belt_.cancel();
}

void BatchPipeline::tell(const Failure& failure) {
  if (!has_cache_failed_.exchange(true) && work_.on_cache_failure) work_.on_cache_failure(failure);
}

Weigher::Recall BatchPipeline::recall_for_worker(
    std::unique_ptr<catalogue::TokenCounts::Reader>& reader) {
  if (work_.counts == nullptr) return {};
  auto opened = work_.counts->reader();
  if (!opened) {
    tell(opened.error());
    return {};
  }
  reader = *std::move(opened);
  return [this, &reader](const FileStamp& stamp) -> std::optional<Weight> {
    if (has_cache_failed_.load()) return std::nullopt;
    auto note = reader->recall(stamp);
    if (!note) {
      tell(note.error());
      return std::nullopt;
    }
    if (!*note) return std::nullopt;
    return Weight{.passed = (*note)->is_binary ? Passed::binary : Passed::no,
                  .tokens = (*note)->tokens,
                  .digest = (*note)->digest,
                  .is_due = (*note)->is_due};
  };
}

// Runs on each worker thread.
void BatchPipeline::weigh_some(const std::stop_token& stop) {
  std::unique_ptr<catalogue::TokenCounts::Reader> reader;
  auto weigher = Weigher::make(*work_.recipe.tokenizer, {.clock = work_.clock,
                                                         .max_size = work_.options.max_size,
                                                         .keeps_content = work_.options.is_inline,
                                                         .is_listed = work_.recipe.roots.is_list(),
                                                         .recall = recall_for_worker(reader)});
  if (!weigher) return fail_with(std::move(weigher).error());
  std::vector<Belt::Ticket> tickets;
  while (belt_.take_some(tickets, kTakeSome, kib(64)) > 0) {
    for (Belt::Ticket& ticket : tickets) {
      if (!ticket.item.is_folder && !ticket.item.failure) weigh(ticket.item, **weigher, stop);
    }
    if (stop.stop_requested()) return fail_with(stopped().error());
    belt_.give_all(tickets);
  }
}

void BatchPipeline::weigh(Item& item, Weigher& weigher, const std::stop_token& stop) {
  const BatchRoot& root = work_.recipe.roots.at(item.at.root);
  std::optional<Weight> known;
  if (item.stamp.inode != 0 && item.stamp.size <= work_.options.max_size.count) {
    known = weigher.known(item.stamp);
  }
  auto weight = known ? Result<Weight>(*std::move(known))
                      : weigher.weigh(root.folder.number(), item.at.path, stop);
  bytes_weighed_.fetch_add(item.size);
  if (!weight) {
    item.failure = std::move(weight).error();
    return;
  }
  item.weight = *std::move(weight);
  item.cost = item.weight.tokens;
  if (!work_.recipe.prompt.is_empty() && item.weight.passed == Passed::no) {
    const std::string shown =
        work_.recipe.roots.path(item.at.root, item.at.path, work_.options.paths);
    item.cost += work_.recipe.prompt.overhead(weigher.counter(), shown);
  }
  if (!item.weight.is_new && item.weight.passed <= Passed::binary) remembered_.fetch_add(1);
}

void BatchPipeline::remember(const Item& item, bool is_last) {
  if (work_.counts == nullptr || has_cache_failed_.load()) return;
  if ((item.weight.is_new || item.weight.is_due) && item.weight.passed <= Passed::binary) {
    notes_.push_back({.stamp = item.weight.stamp,
                      .tokens = item.weight.tokens,
                      .is_binary = item.weight.passed == Passed::binary,
                      .digest = item.weight.digest,
                      .read_at_ns = item.weight.seen_ns});
  }
  if (notes_.empty() || (!is_last && notes_.size() < kNotes)) return;
  if (auto kept = work_.counts->remember(notes_); !kept) tell(kept.error());
  notes_.clear();
}

std::optional<BatchDraft> BatchPipeline::draft(Item item, Drafter& drafter) {
  if (item.failure) {
    failed_.fetch_add(1);
    return drafter.add_unbatched({.at = std::move(item.at),
                                  .failure = std::move(item.failure),
                                  .is_folder = item.is_folder});
  }
  if (item.is_folder) {  // a retried folder that could be read: its files came before it
    return drafter.add_unbatched({.at = std::move(item.at), .reason = "read", .is_folder = true});
  }
  if (item.weight.passed != Passed::no) {
    skipped_.fetch_add(1);
    return drafter.add_unbatched(
        {.at = std::move(item.at), .reason = std::string(name_of(item.weight.passed))});
  }
  return drafter.add({.root = item.at.root,
                      .path = std::move(item.at.path),
                      .size = item.weight.stamp.size,
                      .tokens = item.weight.tokens,
                      .cost = item.cost,
                      .digest = item.weight.digest,
                      .content = std::move(item.weight.content)});
}

Result<void> BatchPipeline::draft_all(const OnDraft& on_draft) {
  Drafter drafter(Cutter(work_.recipe.limits, work_.recipe.job));
  const auto hand_on = [&](std::optional<BatchDraft> ready, bool is_again) {
    if (!ready) return true;
    if (is_again) {
      ready->again = std::exchange(ready->cursor, end_);
    } else {
      end_ = ready->cursor;
    }
    return on_draft(*std::move(ready));
  };
  bool was_again = false;
  while (auto item = belt_.next()) {
    remember(*item, false);
    if (item->is_again && !std::exchange(was_again, true) && !hand_on(drafter.finish(), false)) {
      return stopped();
    }
    if (!hand_on(draft(*std::move(item), drafter), was_again)) return stopped();
  }
  remember({}, true);
  if (auto failure = *failure_.lock()) return std::unexpected(*std::move(failure));
  if (!hand_on(drafter.finish(), was_again)) return stopped();
  return {};
}

Result<void> BatchPipeline::run(const OnDraft& on_draft, const std::stop_token& stop) {
  end_ = work_.from;
  const std::stop_callback on_stop(stop, [this] { fail_with(stopped().error()); });
  const auto fail = [this](Failure failure) { fail_with(std::move(failure)); };
  struct Team {  // cancels the belt on every return path before it joins the threads
    Belt& belt;
    std::vector<std::jthread> threads{};
    ~Team() { belt.cancel(); }
  } team{.belt = belt_};
  const std::size_t workers = workers_of(work_.options);
  team.threads.reserve(workers + 1);
  for (std::size_t i = 0; i < workers; ++i) {
    LET(auto worker, start_thread("a worker", [this, stop] { weigh_some(stop); }, fail));
    team.threads.push_back(std::move(worker));
  }
  LET(auto walker, start_thread("the walk", [this, stop] { walk_all(stop); }, fail));
  team.threads.push_back(std::move(walker));
  return draft_all(on_draft);
}

}  // namespace tidemill::batch
