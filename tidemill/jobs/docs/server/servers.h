// The two servers as the options and the secrets describe them.
#pragma once

#include <string>

#include "tidemill/io/http/gate.h"
#include "tidemill/jobs/docs/docs.h"
#include "tidemill/jobs/docs/options.h"
#include "tidemill/jobs/docs/server/wire.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::docs {

[[nodiscard]] Server::Options outline_options(const Options& options, const Secrets& secrets);
[[nodiscard]] Server::Options assistant_options(const Options& options, const Secrets& secrets);

// Says when a server is left alone, and when it answers again.
[[nodiscard]] http::GateObserver observer_for(const std::string& host, command::Console& console);

// One line for each key that goes over plain HTTP to another machine.
void warn_of_exposed(const Options& options, const Secrets& secrets, command::Console& console);

}  // namespace tidemill::docs
