// FolderQueue: the folders that the workers of a sweep still have to read, and the end of it.
//
// A worker keeps what it finds in a list of its own and takes the youngest first, so the list stays
// short and its parents are still open. It gives half of it away, the oldest, when another worker
// has nothing to do: the lock is taken about once for every subtree that changes hands. The sweep
// is over when the shared list is empty and every worker waits. Nothing here fails.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/io/walk/filter/ignore.h"
#include "tidemill/io/walk/folder_tree.h"

namespace tidemill::walk {

// How many folders are kept open for the sake of their subfolders. Thread-safe.
class OpenParents {
 public:
  explicit OpenParents(std::size_t most) : most_(most) {}

  // Nothing when there are enough; then the descriptor is closed.
  class Parent;
  [[nodiscard]] std::shared_ptr<const Parent> keep(Descriptor folder);

 private:
  const std::size_t most_;
  std::atomic<std::size_t> open_{0};
};

// Immutable. Closed by the last subfolder that lets go of it.
class OpenParents::Parent {
 public:
  Parent(OpenParents& owner, Descriptor folder) : owner_(owner), folder_(std::move(folder)) {}
  Parent(const Parent&) = delete;
  Parent& operator=(const Parent&) = delete;
  ~Parent() { owner_.open_.fetch_sub(1, std::memory_order_relaxed); }

  [[nodiscard]] int number() const { return folder_.number(); }

 private:
  OpenParents& owner_;
  Descriptor folder_;
};

struct PendingFolder {
  FolderId id = kNoFolder;
  std::uint64_t tag = 0;
  std::uint64_t device = 0;                             // of its parent; of a root 0
  std::shared_ptr<const OpenParents::Parent> parent{};  // none: it is opened from its root
  std::shared_ptr<const IgnoreRules> rules{};           // of the folders above it
};

// Thread-safe.
class FolderQueue {
 public:
  explicit FolderQueue(std::size_t workers) : state_({.workers = workers}) {}

  // Before the workers begin.
  void start(const std::vector<PendingFolder>& roots);

  // Fills the worker's empty list; waits for what others may find. False: the sweep is over.
  [[nodiscard]] bool take(std::vector<PendingFolder>& list);

  // Somebody waits, and there is nothing for him. Costs no lock.
  [[nodiscard]] bool is_hungry() const { return is_hungry_.load(std::memory_order_relaxed); }
  // Gives away the older half of the worker's list.
  void share(std::vector<PendingFolder>& list);

  // The sweep is over at once.
  void end();
  [[nodiscard]] bool is_ended() const { return is_ended_.load(std::memory_order_relaxed); }
  // A worker fewer: its thread did not start.
  void drop_worker();

  // When the process has run out of descriptors.
  void let_go_of_parents();

 private:
  struct State {
    std::vector<PendingFolder> list{};
    std::size_t workers = 1;
    std::size_t waiting = 0;
  };
  [[nodiscard]] bool is_over(const State& state) const {
    return is_ended() || (state.list.empty() && state.waiting == state.workers);
  }

  Guarded<State> state_;
  std::atomic<bool> is_hungry_{false};  // both are written under the lock
  std::atomic<bool> is_ended_{false};
};

}  // namespace tidemill::walk
