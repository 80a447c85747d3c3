// Mill: from the roots to drafts. One thread walks, several read and count, and the files come out
// in the order of the walk, whoever counted them first.
//
//   walk ──► conveyor ──► weighers ──► conveyor, in order ──► drafter ──► on_draft
//   (a thread)            (threads)                           (who calls run())
//
// Memory is bounded by the conveyor: items, and with contents bytes. Letters that are tried again
// come behind the walk: their drafts have the cursor of its end, so nobody goes back because of
// them.
//
// A folder or file that cannot be read is a row in a draft; run() fails when a root is gone, when
// on_draft says so, and with Cure::resume when it was stopped.
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

// What is batched and by which rules: the same for a run and for --dry-run.
struct Recipe {
  std::unique_ptr<tokens::Tokenizer> tokenizer{};
  Prompt prompt{};
  Roots roots{};
  std::string job{};
  Limits limits{};
};
// Fails when one of them makes no sense or cannot be read.
[[nodiscard]] Result<Recipe> recipe_of(const Options& options, const std::string& tables);

// What is remembered of files; null: nothing is to be, or it cannot be opened, which is said.
[[nodiscard]] std::unique_ptr<catalogue::TokenCounts> open_counts(const Options& options,
                                                                  const Recipe& recipe,
                                                                  const command::Context& context);

// A letter that is tried again.
struct Again {
  Cursor at{};
  bool is_folder = false;
};

// One run(); counters by anybody.
class Mill {
 public:
  struct Work {
    const Options& options;
    const Recipe& recipe;
    const Clock& clock;
    catalogue::TokenCounts* counts = nullptr;  // none: nothing is remembered
    Cursor from{};
    bool skips_walk = false;  // it has come to its end before
    std::vector<Again> again{};
    Cursor again_from{};  // of the letters, all up to here is in batches
    std::function<void(const Failure&)> on_trouble{};  // the catalogue fails: told once
  };
  // False: nobody wants more.
  using OnDraft = std::function<bool(Draft&&)>;

  explicit Mill(Work work);
  ~Mill();

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
    FileStamp stamp{};  // as the walk has seen it; no inode: it has not
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
  [[nodiscard]] std::optional<Draft> draft(Item item, Drafter& drafter);
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
  std::atomic<bool> forgets_ = false;  // the catalogue has failed
  Guarded<std::optional<Failure>> failure_;
  std::vector<catalogue::TokenNote> notes_;  // of run()'s thread
  Cursor end_;                               // of the walk, likewise
};

}  // namespace tidemill::batch
