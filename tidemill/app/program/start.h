// start(): the outermost function of a program, called by `main`. Sets up the standard streams and
// the signals that must not terminate the program, and has the last catch.
#pragma once

#include "tidemill/app/program/program.h"

namespace tidemill::app {

// Returns the exit status.
[[nodiscard]] int start(const App& app, int argc, char** argv);

}  // namespace tidemill::app
