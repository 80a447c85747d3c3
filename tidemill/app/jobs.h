// The program tidemill: its jobs and verbs, in the order in which help lists them.
#pragma once

#include "tidemill/app/program/program.h"

namespace tidemill::app {

[[nodiscard]] const App& tidemill_app();

}  // namespace tidemill::app
