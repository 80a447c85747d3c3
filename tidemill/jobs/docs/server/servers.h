// Makes the settings of the two servers from the options and the secrets.
#pragma once

#include <string>

#include "tidemill/io/http/gate.h"
#include "tidemill/jobs/docs/docs.h"
#include "tidemill/jobs/docs/options.h"
#include "tidemill/jobs/docs/server/docs_server.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::docs {

[[nodiscard]] DocsServer::Options outline_options(const DocsOptions& options,
                                                  const Secrets& secrets);
[[nodiscard]] DocsServer::Options assistant_options(const DocsOptions& options,
                                                    const Secrets& secrets);

// Reports when requests to a server are suspended, and when it answers again.
[[nodiscard]] http::GateObserver observer_for(const std::string& host, command::Console& console);

// Warns of each key that goes over plain HTTP to another machine.
void warn_of_exposed(const DocsOptions& options, const Secrets& secrets, command::Console& console);

}  // namespace tidemill::docs
