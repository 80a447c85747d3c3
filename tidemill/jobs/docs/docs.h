// The job `docs`: executes the commands that users write in the documents of an Outline server,
// step by step.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/http/secret.h"
#include "tidemill/jobs/docs/options.h"
#include "tidemill/jobs/docs/server/docs_server.h"
#include "tidemill/jobs/docs/server/webhook.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::docs {

// The secrets; the options only say where they are stored.
struct Secrets {
  http::Secret outline{};
  http::Secret assistant{};
  http::Secret webhook{};
};

// Requires a key for Outline and, with --webhook, a secret. Failures name the file or the variable.
// Fails with kind usage if a key would go over plain HTTP to another machine without
// --insecure-http.
[[nodiscard]] Result<Secrets> read_secrets(const DocsOptions& options);

// The keys that would go over plain HTTP to another machine, as in "the API key to wiki.lan:80".
[[nodiscard]] std::vector<std::string> exposed_keys(const DocsOptions& options,
                                                    const Secrets& secrets);

struct DocsRunRequest {
  bool only_pending = false;  // do not search for new commands; end when all tasks are settled
};

struct DocsOutcome {
  std::string ending{};            // run::kComplete, …
  std::optional<Failure> cause{};  // of kFailed
  engine::Tally tally{};           // over all processes of the run
  std::uint64_t documents = 0;     // read by this process
  std::uint64_t warned = 0;        // tasks of the run that left something alone or gave up a step
  ServerCounts outline{};
  ServerCounts assistant{};
  WebhookCounts webhook{};
  std::chrono::nanoseconds elapsed{0};
};

// Works on the run until everything is done or it is stopped. Returns a Failure if the run could
// not start; failures while it ran are in the outcome and in the journal. Warns of exposed keys
// before anything is sent.
[[nodiscard]] Result<DocsOutcome> work(const DocsOptions& options, const Secrets& secrets,
                                       const DocsRunRequest& request, run::Run& run,
                                       command::Context& context);

// --dry-run: prints one line per command, "<document> TAB <command> TAB <title>".
[[nodiscard]] Result<void> print_commands(const DocsOptions& options, const Secrets& secrets,
                                          command::Context& context);

}  // namespace tidemill::docs
