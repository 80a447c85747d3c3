// Context: what the program provides to a job while it runs.
#pragma once

#include <stop_token>

#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/state/history/history.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::command {

struct Context {
  Console& console;
  Log& log;
  const Clock& clock;
  std::stop_token stop{};  // first Ctrl-C: take no more work, save, end within seconds
  std::stop_token kill{};  // second Ctrl-C: end immediately
  // Where a command without a journal keeps its history; null: nowhere.
  history::Store* history = nullptr;
};

}  // namespace tidemill::command
