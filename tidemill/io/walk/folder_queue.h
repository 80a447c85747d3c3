// FolderQueue: the folders that the workers of a sweep still have to read, and the detection of its
// end.
//
// Each worker keeps the folders it finds in its own list and takes the newest first, so the list
// stays short and the parents are still open. When another worker is idle, it moves the older half
// of its list to the shared list: the lock is taken about once for every subtree that changes
// hands. The sweep is over when the shared list is empty and every worker waits. Nothing here
// fails.
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

// Limits how many folders are kept open for opening their subfolders. Thread-safe.
class OpenParents {
 public:
  explicit OpenParents(std::size_t most) : most_(most) {}

  // Null when the limit is reached; the descriptor is then closed.
  class Parent;
  [[nodiscard]] std::shared_ptr<const Parent> keep(Descriptor folder);

 private:
  const std::size_t most_;
  std::atomic<std::size_t> open_{0};
};

// Immutable. Closed when the last subfolder releases it.
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
  std::uint64_t device = 0;                             // of its parent; 0 for a root
  std::shared_ptr<const OpenParents::Parent> parent{};  // null: open it from its root
  std::shared_ptr<const IgnoreRules> rules{};           // of the folders above it
};

// Thread-safe.
class FolderQueue {
 public:
  explicit FolderQueue(std::size_t workers) : state_({.workers = workers}) {}

  // Call before the workers start.
  void start(const std::vector<PendingFolder>& roots);

  // Fills the worker's empty list; waits for folders from other workers. False: the sweep is over.
  [[nodiscard]] bool take(std::vector<PendingFolder>& list);

  // A worker waits and the shared list is empty. Takes no lock.
  [[nodiscard]] bool is_hungry() const { return is_hungry_.load(std::memory_order_relaxed); }
  // Moves the older half of the worker's list to the shared list.
  void share(std::vector<PendingFolder>& list);

  // Ends the sweep at once.
  void end();
  [[nodiscard]] bool is_ended() const { return is_ended_.load(std::memory_order_relaxed); }
  // One worker fewer: its thread could not be started.
  void drop_worker();

  // Releases the open parents in the shared list, when the process has run out of descriptors.
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
