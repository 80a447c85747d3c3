// JournalModel: the promises of a Journal in their plainest form, to compare an implementation
// with.
//
// It shares no code with the engine: the arrows are a table of its own, a batch is atomic because
// it is applied to a copy, and counting is counting. One thread.
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

// An entry of the given kind (its place in the variant) whose contents depend on `n`.
[[nodiscard]] engine::Entry make_entry(std::size_t kind, engine::TaskId id, int n = 1);

// A wall time that every store can keep.
[[nodiscard]] WallTime at_second(int n);

class JournalModel {
 public:
  using State = std::optional<engine::TaskState>;  // nothing: not found yet

  [[nodiscard]] static State arrow(State from, std::size_t kind);

  [[nodiscard]] bool commit(std::span<const engine::Entry> batch);  // false: refused

  // Empty when the journal answers every question as the model does, else the first difference.
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

// The drawn entry; mostly exchanged for a legal one, or hardly any history would come far.
[[nodiscard]] engine::Entry next_entry(const Draw& draw, const JournalModel& model,
                                       std::vector<engine::Entry> batch);

}  // namespace tidemill::testing
