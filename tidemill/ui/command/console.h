// Console: where a job puts what people and pipes should see. The job knows no terminal: whoever
// made the Console decides about colours, the live block and where the lines go.
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
  good,    // as it should be
  bad,     // looked at, and something is wrong with it
  failed,  // it could not be done at all
};

// What there is to say about it. Data from outside: whoever shows it escapes it.
struct SettledItem {
  std::string name{};
  ItemState state = ItemState::good;
  std::vector<std::string> details{};  // lines; the first says the most
};

// Whether out() has failed because nobody reads standard output any more, as behind `| head`: not
// an error to complain about.
[[nodiscard]] inline bool is_reader_gone(const Failure& failure) {
  return failure.kind == FailureKind::closed;
}

// Thread-safe.
class Console {
 public:
  virtual ~Console() = default;

  // Data, byte for byte, to standard output. A failure: nobody reads it any more, or it is full.
  [[nodiscard]] virtual Result<void> out(std::string_view bytes) = 0;
  // What a command said on its standard error, byte for byte, to ours.
  [[nodiscard]] virtual Result<void> err(std::string_view bytes) = 0;
  // What was written to a regular file by out() and err() is on the disk when it returns.
  [[nodiscard]] virtual Result<void> sync() { return {}; }
  // A message of ours: one or more lines on standard error. Names in it were escaped by the caller
  // (formats/text/printable.h). Tone::plain and Tone::good are not said when the user wants quiet.
  virtual void say(Tone tone, std::string_view text) = 0;
  // The observer of a ProgressReporter.
  virtual void show(const engine::ProgressSnapshot& snapshot) = 0;
  // Why the run waits, in a few plain words that are fit for a terminal; empty: it goes on.
  virtual void wait_for(std::string_view /*reason*/) {}
  // Whether somebody looks at single items: if nobody does, settled() need not be called.
  [[nodiscard]] virtual bool wants_items() const { return false; }
  // One item has ended. Never waits: what comes faster than it can be shown is only counted.
  virtual void settled(SettledItem&& /*item*/) {}
};

}  // namespace tidemill::command
