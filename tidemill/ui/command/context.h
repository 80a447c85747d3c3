// Context: what the program lends to a job for the time of a run.
#pragma once

#include <stop_token>

#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::command {

struct Context {
  Console& console;
  Log& log;
  const Clock& clock;
  std::stop_token stop{};  // asked once (Ctrl-C): stop taking work, save, leave within seconds
  std::stop_token kill{};  // asked twice: leave now
};

}  // namespace tidemill::command
