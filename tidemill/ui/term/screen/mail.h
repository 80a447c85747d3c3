// FullScreenMail: the mailbox between the threads of a run and the screen's thread.
//
//   workers, writer, reporter ──► post ──► [ bounded ] ──► take ──► screen
//
// Posting never waits for the screen: the lock is held only while a value is moved, and nothing is
// drawn under it. If the screen does not keep up, the oldest items are dropped and counted by
// state, so the counts stay exact; of snapshots and messages only the newest is kept. Long details
// are truncated, so that a single item cannot fill the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/base/guarded.h"
#include "tidemill/engine/progress.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::term {

// Thread-safe.
class FullScreenMail {
 public:
  static constexpr std::size_t kMostItems = 4'096;
  static constexpr std::size_t kMostDetails = 200;     // lines per item
  static constexpr std::size_t kLongestLine = 1'000;   // bytes
  static constexpr std::size_t kLongestName = 16'384;  // bytes

  struct Load {
    std::deque<command::SettledItem> items{};
    std::array<std::uint64_t, 3> dropped{};  // by state
    std::optional<engine::ProgressSnapshot> snapshot{};
    std::optional<std::pair<command::Tone, std::string>> message{};
  };

  void post(command::SettledItem item);
  void post(const engine::ProgressSnapshot& snapshot);
  void post(command::Tone tone, std::string_view text);
  // Everything posted since the last call.
  [[nodiscard]] Load take();

 private:
  Guarded<Load> load_;
};

}  // namespace tidemill::term
