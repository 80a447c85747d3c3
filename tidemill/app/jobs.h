// The tidemill program: its jobs and verbs, in the order of the help.
#pragma once

#include "tidemill/app/program/program.h"

namespace tidemill::app {

[[nodiscard]] const App& tidemill_app();

}  // namespace tidemill::app
