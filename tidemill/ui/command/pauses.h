// The messages while a run waits for space on a full disk.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::command {

// `failure`: why the run pauses; null: it continues.
inline void tell_of_pause(Console& console, const Failure* failure) {
  console.wait_for(failure == nullptr ? "" : "disk space");
  if (failure == nullptr) {
    console.say(Tone::good, "Disk space is available again; resuming.");
    return;
  }
  console.say(Tone::warning,
              "Paused: " + text_of(*failure) + ". The run resumes when there is disk space.");
}

}  // namespace tidemill::command
