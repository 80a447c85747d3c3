// EachOptions: the checked and typed options of `tidemill each`, and the description of the verb.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/retry_policy.h"
#include "tidemill/jobs/each/command/exit_rules.h"
#include "tidemill/jobs/each/halt.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::each {

using jobs::FileOrder;
// What is written to standard output.
enum class EachOutput : std::uint8_t { output, json, jsonl };

// The defaults of the flags are in their descriptions (verb.cc), not here.
struct EachOptions {
  jobs::FileSource files{};

  std::vector<std::string> command{};
  bool shell = false;
  bool dry_run = false;

  std::size_t workers = 1;
  std::optional<double> rate{};  // starts per second
  std::chrono::milliseconds timeout{0};
  std::chrono::milliseconds grace{};
  engine::RetryPolicy retry{};
  ExitRules verdict{};
  HaltRule halt{};

  bool keep_order = false;
  bool tag = false;
  std::string results{};  // a folder; empty: none
  Bytes keep_output{};    // per stream of a task, in memory
  EachOutput report = EachOutput::output;
};

[[nodiscard]] command::Verb verb();
[[nodiscard]] Result<EachOptions> options_of(const command::Values& values);

}  // namespace tidemill::each
