// Counts the tokens of files one by one, in order: for `tidemill tokens`, which makes no batches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tidemill/base/result.h"
#include "tidemill/jobs/batch/options.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::batch {

struct Counted {
  std::string path{};  // as the user would type it
  std::uint64_t tokens = 0;
  std::uint64_t bytes = 0;
  std::string skipped{};             // the reason; empty: not skipped
  std::optional<Failure> failure{};  // why it could not be counted
};

// Uses the roots or the list, the filters, the tokenizer and the workers of the options. Shows
// progress on the console of the context. A failure of on_file ends the count.
[[nodiscard]] Result<void> count_files(const BatchOptions& options, const std::string& tables,
                                       const std::function<Result<void>(const Counted&)>& on_file,
                                       const command::Context& context);

// Counts standard input, as one file with the path "-".
[[nodiscard]] Result<void> count_input(const BatchOptions& options, const std::string& tables,
                                       const std::function<Result<void>(const Counted&)>& on_file,
                                       const command::Context& context);

}  // namespace tidemill::batch
