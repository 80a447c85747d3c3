// BatchPipeline: turns the roots into drafts. One thread walks, several threads read and count, and
// the files come out in the order of the walk, whichever worker finishes first.
//
//   walk ──► conveyor ──► weighers ──► conveyor, in order ──► drafter ──► on_draft
//   (a thread)            (threads)                           (the caller of run())
//
// The conveyor bounds memory: by the number of items and, with contents, by their bytes. Dead
// letters that are retried come after the walk; their drafts carry the cursor of the walk's end, so
// that they never move the cursor back.
//
// A folder or file that cannot be read is a row in a draft. run() fails when a root is gone, and
// with Cure::resume when on_draft returns false or when it was stopped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/conveyor.h"
#include "tidemill/formats/tokens/tokenizer.h"
#include "tidemill/jobs/batch/cut/drafter.h"
#include "tidemill/jobs/batch/cut/prompt.h"
#include "tidemill/jobs/batch/cut/roots.h"
#include "tidemill/jobs/batch/cut/weigher.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/state/catalogue/token_counts.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::batch {

// What is batched and by which rules; a run and --dry-run use the same.
struct BatchRecipe {
  std::unique_ptr<tokens::Tokenizer> tokenizer{};
  BatchPrompt prompt{};
  BatchRoots roots{};
  std::string job{};
  BatchLimits limits{};
};
// Fails when an option is invalid or a file it names cannot be read.
[[nodiscard]] Result<BatchRecipe> recipe_of(const BatchOptions& options, const std::string& tables);

// The cached token counts. Null if caching is off, or if the catalogue cannot be opened, which is
// reported as a warning.
[[nodiscard]] std::unique_ptr<catalogue::TokenCounts> open_counts(const BatchOptions& options,
                                                                  const BatchRecipe& recipe,
                                                                  const command::Context& context);

// A dead letter that is retried.
struct Again {
  Cursor at{};
  bool is_folder = false;
};

// One thread, one run(); the counters may be read from any thread.
class BatchPipeline {
 public:
  struct Work {
    const BatchOptions& options;
    const BatchRecipe& recipe;
    const Clock& clock;
    catalogue::TokenCounts* counts = nullptr;  // null: counts are not cached
    Cursor from{};
    bool skips_walk = false;  // an earlier process completed it, or the list is lost
    std::vector<Again> again{};
    Cursor again_from{};  // of `again`, everything up to here is already in batches
    std::function<void(const Failure&)> on_cache_failure{};  // called once: caching ends
  };
  // Returns false to end the run.
  using OnDraft = std::function<bool(BatchDraft&&)>;

  explicit BatchPipeline(Work work);
  ~BatchPipeline();

  [[nodiscard]] Result<void> run(const OnDraft& on_draft, const std::stop_token& stop);

  [[nodiscard]] std::uint64_t found() const { return found_.load(); }
  [[nodiscard]] std::uint64_t skipped() const { return skipped_.load(); }
  [[nodiscard]] std::uint64_t failed() const { return failed_.load(); }
  [[nodiscard]] std::uint64_t bytes_found() const { return bytes_found_.load(); }
  [[nodiscard]] std::uint64_t bytes_weighed() const { return bytes_weighed_.load(); }
  [[nodiscard]] std::uint64_t remembered() const { return remembered_.load(); }  // not read
  [[nodiscard]] bool has_walked() const { return has_walked_.load(); }

 private:
  struct Item {
    Cursor at{};
    std::uint64_t size = 0;
    FileStamp stamp{};  // from the walk; inode 0: the walk did not take one
    bool is_again = false;
    bool is_folder = false;
    std::optional<Failure> failure{};
    std::uint64_t cost = 0;
    Weight weight{};
  };
  using Belt = engine::Conveyor<Item>;

  void walk_all(const std::stop_token& stop);
  [[nodiscard]] Result<void> read_list(const std::stop_token& stop);
  [[nodiscard]] Result<void> walk_root(const Cursor& from, const std::stop_token& stop);
  [[nodiscard]] Result<void> walk_again(const Again& again, const std::stop_token& stop);
  [[nodiscard]] Result<void> walk_below(const Cursor& folder, std::string_view after, bool is_again,
                                        std::optional<Failure>& own, const std::stop_token& stop);
  [[nodiscard]] std::string below(std::size_t root, std::string_view path) const;
  [[nodiscard]] std::string after_of(const Cursor& cursor) const;
  [[nodiscard]] bool put(Item item);
  void weigh_some(const std::stop_token& stop);
  void weigh(Item& item, Weigher& weigher, const std::stop_token& stop);
  [[nodiscard]] Weigher::Recall recall_for_worker(
      std::unique_ptr<catalogue::TokenCounts::Reader>& reader);
  [[nodiscard]] Result<void> draft_all(const OnDraft& on_draft);
  [[nodiscard]] std::optional<BatchDraft> draft(Item item, Drafter& drafter);
  void remember(const Item& item, bool is_last);
  void tell(const Failure& failure);
  void fail_with(Failure failure);

  const Work work_;
  Belt belt_;
  std::atomic<std::uint64_t> found_ = 0;
  std::atomic<std::uint64_t> skipped_ = 0;
  std::atomic<std::uint64_t> failed_ = 0;
  std::atomic<std::uint64_t> bytes_found_ = 0;
  std::atomic<std::uint64_t> bytes_weighed_ = 0;
  std::atomic<std::uint64_t> remembered_ = 0;
  std::atomic<bool> has_walked_ = false;
  std::atomic<bool> has_cache_failed_ = false;
  Guarded<std::optional<Failure>> failure_;
  std::vector<catalogue::TokenNote> notes_;  // used by run()'s thread only
  Cursor end_;                               // of the walk; used by run()'s thread only
};

}  // namespace tidemill::batch
