// JournalModel: the simplest possible Journal, to compare an implementation with.
//
// It shares no code with the engine: it has its own table of transitions, a batch is atomic because
// it is applied to a copy, and counts are computed by counting. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "tidemill/engine/journal.h"

namespace tidemill::testing {

inline constexpr std::size_t kEntryKinds = std::variant_size_v<engine::Entry>;

// An entry of the given kind (its index in the variant) whose contents depend on `n`.
[[nodiscard]] engine::Entry make_entry(std::size_t kind, engine::TaskId id, int n = 1);

// A wall time that every store can represent.
[[nodiscard]] WallTime at_second(int n);

class JournalModel {
 public:
  using State = std::optional<engine::TaskState>;  // nullopt: not found yet

  [[nodiscard]] static State arrow(State from, std::size_t kind);

  [[nodiscard]] bool commit(std::span<const engine::Entry> batch);  // false: refused

  // The first difference between the answers of the journal and of the model; empty if there is
  // none.
  [[nodiscard]] std::string difference(const engine::Journal& journal) const;

 private:
  struct Task {
    engine::TaskRecord record{};
    std::optional<engine::Checkpoint> checkpoint{};
  };
  using Tasks = std::map<engine::TaskId, Task>;

  static void apply(const engine::Entry& entry, engine::TaskState to, Task& task);
  [[nodiscard]] static engine::Letter letter_of(const Task& task);

  Tasks tasks_;
};

// For random histories: kind, task, contents, whether the batch ends here.
using Draw = std::tuple<std::uint8_t, std::uint8_t, std::uint8_t, bool>;

// The drawn entry, usually replaced by a legal one: otherwise few histories would get far.
[[nodiscard]] engine::Entry next_entry(const Draw& draw, const JournalModel& model,
                                       std::vector<engine::Entry> batch);

}  // namespace tidemill::testing
