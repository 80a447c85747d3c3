// Console: the interface through which a job writes output, messages and progress. A job does not
// depend on a terminal: the owner of the Console decides about colours, the live block and where
// the lines go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/progress.h"

namespace tidemill::command {

enum class Tone : std::uint8_t { plain, good, warning, bad };

// How one item of a run ended.
enum class ItemState : std::uint8_t {
  good,    // successful
  bad,     // processed, but has problems
  failed,  // could not be processed
};

// One item that has ended. Its texts are untrusted: the code that shows them must escape them.
struct SettledItem {
  std::string name{};
  ItemState state = ItemState::good;
  std::vector<std::string> details{};  // lines, the most important first
};

// Whether out() failed because the reader closed standard output, as in `| head`. This is not
// reported as an error.
[[nodiscard]] inline bool is_reader_gone(const Failure& failure) {
  return failure.kind == FailureKind::closed;
}

// Thread-safe.
class Console {
 public:
  virtual ~Console() = default;

  // Writes data to standard output, byte for byte. Fails if the reader has closed it or there is no
  // space left.
  [[nodiscard]] virtual Result<void> out(std::string_view bytes) = 0;
  // Writes a command's standard error to ours, byte for byte.
  [[nodiscard]] virtual Result<void> err(std::string_view bytes) = 0;
  // If out() or err() writes to a regular file, makes the bytes written so far durable.
  [[nodiscard]] virtual Result<void> sync() { return {}; }
  // Prints a message of one or more lines to standard error. The caller escapes the names in it
  // (formats/text/printable.h). With --quiet, Tone::plain and Tone::good are not printed.
  virtual void say(Tone tone, std::string_view text) = 0;
  // The observer of a ProgressReporter.
  virtual void show(const engine::ProgressSnapshot& snapshot) = 0;
  // Sets what the run is waiting for, in a few printable words; empty: it is not waiting.
  virtual void wait_for(std::string_view /*reason*/) {}
  // Whether single items are shown; if not, settled() need not be called.
  [[nodiscard]] virtual bool wants_items() const { return false; }
  // One item has ended. Never blocks: items that arrive faster than they can be shown are only
  // counted.
  virtual void settled(SettledItem&& /*item*/) {}
};

}  // namespace tidemill::command
