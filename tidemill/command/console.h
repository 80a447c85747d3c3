// Console: where a job puts what people and pipes should see. The job knows no terminal: whoever
// made the Console decides about colours, the live block and where the lines go.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/engine/progress.h"

namespace tidemill::command {

enum class Tone : std::uint8_t { plain, good, warning, bad };

// Thread-safe.
class Console {
 public:
  virtual ~Console() = default;

  // Data, byte for byte, to standard output. A failure: nobody reads it any more, or it is full.
  [[nodiscard]] virtual Result<void> out(std::string_view bytes) = 0;
  // What a command said on its standard error, byte for byte, to ours.
  [[nodiscard]] virtual Result<void> err(std::string_view bytes) = 0;
  // A message of ours: one or more lines on standard error. Names in it were escaped by the caller
  // (text/printable.h). Tone::plain and Tone::good are not said when the user wants quiet.
  virtual void say(Tone tone, std::string_view text) = 0;
  // The observer of a ProgressReporter.
  virtual void show(const engine::ProgressSnapshot& snapshot) = 0;
};

}  // namespace tidemill::command
