// start(): the outermost function of a program: standard streams, signals that must not end it, and
// the last catch. What `main` does, and nothing else.
#pragma once

#include "tidemill/app/program/program.h"

namespace tidemill::app {

// Answers the exit status.
[[nodiscard]] int start(const App& app, int argc, char** argv);

}  // namespace tidemill::app
