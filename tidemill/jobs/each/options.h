// Options: what `tidemill each` was asked to do, checked and typed; and the description of the verb
// that asks for it.
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
#include "tidemill/jobs/each/command/verdict.h"
#include "tidemill/jobs/each/halt.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::each {

using jobs::Order;
// What goes to standard output.
enum class Report : std::uint8_t { output, json, jsonl };

// The defaults of flags are not here: they stand in the descriptions of the flags.
struct Options {
  jobs::FileSource files{};

  std::vector<std::string> command{};
  bool shell = false;
  bool dry_run = false;

  std::size_t workers = 1;
  std::optional<double> rate{};  // starts a second
  std::chrono::milliseconds timeout{0};
  std::chrono::milliseconds grace{};
  engine::RetryPolicy retry{};
  VerdictRules verdict{};
  HaltRule halt{};

  bool keep_order = false;
  bool tag = false;
  std::string results{};  // a folder
  Bytes keep_output{};    // of each stream of a task, in memory
  Report report = Report::output;
};

[[nodiscard]] command::Verb verb();
[[nodiscard]] Result<Options> options_of(const command::Values& values);

}  // namespace tidemill::each
