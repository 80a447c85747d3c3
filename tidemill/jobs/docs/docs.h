// docs: commands in the documents of a server, done step by step. The job as a whole.
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
#include "tidemill/jobs/docs/server/webhook.h"
#include "tidemill/jobs/docs/server/wire.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::docs {

// What the program read for us, and the options only name.
struct Secrets {
  http::Secret outline{};
  http::Secret assistant{};
  http::Secret webhook{};
};

// Failures name the file or the variable. A key for Outline there must be, and a secret for
// webhooks if there are any. Kind usage: a key would go over plain HTTP to another machine, and
// nobody said --insecure-http.
[[nodiscard]] Result<Secrets> read_secrets(const Options& options);

// What would be sent over plain HTTP to another machine, as in "the API key to wiki.lan:80". Empty:
// nothing.
[[nodiscard]] std::vector<std::string> exposed_keys(const Options& options, const Secrets& secrets);

// What is asked of a run this time.
struct Assignment {
  bool only_pending = false;  // look for nothing new, and end when that is done
};

struct Outcome {
  std::string ending{};            // run::kComplete, …
  std::optional<Failure> cause{};  // of kFailed
  engine::Tally tally{};           // of the whole run
  std::uint64_t documents = 0;     // looked at by this process
  std::uint64_t warned = 0;        // tasks of the whole run with something left alone or given up
  WireCounts outline{};
  WireCounts assistant{};
  WebhookCounts webhook{};
  std::chrono::nanoseconds elapsed{0};
};

// Works on the run until everything is done, or until it is stopped. A Failure: it could not even
// start. What happened while it ran is in the outcome, and in the journal. Keys that are exposed
// are warned of before anything is sent.
[[nodiscard]] Result<Outcome> work(const Options& options, const Secrets& secrets,
                                   const Assignment& assignment, run::Run& run,
                                   command::Context& context);

// --dry-run: a line for each command, "<document> TAB <command> TAB <title>".
[[nodiscard]] Result<void> print_commands(const Options& options, const Secrets& secrets,
                                          command::Context& context);

}  // namespace tidemill::docs
