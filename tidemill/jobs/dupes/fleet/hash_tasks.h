// HashTasks: orders (rehash/wanted_orders.h) as the tasks of a fleet.
//
// The id of a task is computed from what it is about: root, path, stamp and algorithm. So a result
// that waits in the fleet for a coordinator that was killed is never taken for that of another
// file, even if the list or the catalogue have changed meanwhile: its id then means nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/dupes/rehash/wanted_orders.h"

namespace tidemill::dupes {

// Immutable. The orders must outlive it.
class HashTasks {
 public:
  struct Root {
    std::string name{};  // unique: the last part of the path
    std::string path{};  // of a folder of this host

    bool operator==(const Root&) const = default;
  };
  // An order whose root cannot be opened on this host.
  struct Unreachable {
    std::size_t order = 0;
    Failure failure{};
  };

  [[nodiscard]] static Result<HashTasks> of(const std::vector<HashOrder>& orders);

  [[nodiscard]] const std::vector<Root>& roots() const { return roots_; }
  [[nodiscard]] const std::vector<Unreachable>& unreachable() const { return unreachable_; }

  // The orders with this id, lowest first: equal lines of the list are one task. Empty: no such
  // task.
  [[nodiscard]] std::vector<std::size_t> orders_of(engine::TaskId id) const;
  // 0: its root is unreachable.
  [[nodiscard]] engine::TaskId id_of(std::size_t order) const { return ids_[order]; }
  [[nodiscard]] std::string payload_of(std::size_t order) const;

 private:
  struct Place {
    std::uint64_t root = 0;
    bool is_file = false;  // the root in the catalogue is the file itself
    Failure failure{};     // why it cannot be opened
  };

  explicit HashTasks(const std::vector<HashOrder>& orders) : orders_(orders) {}
  void find_roots();
  [[nodiscard]] Place place_of(const std::string& root);
  [[nodiscard]] std::uint64_t add_root(std::string path);
  // False: two different tasks got the same id.
  [[nodiscard]] Result<bool> give_ids(std::uint64_t salt);

  const std::vector<HashOrder>& orders_;
  std::vector<Root> roots_{};
  std::map<std::string, Place> places_{};  // by the root in the catalogue
  std::vector<Unreachable> unreachable_{};
  std::vector<engine::TaskId> ids_{};                            // of each order
  std::vector<std::pair<engine::TaskId, std::size_t>> by_id_{};  // sorted
};

}  // namespace tidemill::dupes
