// Summary: the state of a run after a process has worked on it, as text and as JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/state/run/run.h"
#include "tidemill/ui/cli/cli_context.h"

namespace tidemill::cli {

// How a process that worked on a run ended.
struct RunOutcome {
  std::string ending{};            // run::kComplete, …
  std::optional<Failure> cause{};  // of a failed run
  std::chrono::nanoseconds elapsed{0};
};

// --json: one object at the end; --jsonl: the last of many objects.
enum class ReportForm : std::uint8_t { text, json, jsonl };

struct Summary {
  std::string program{};  // the program that the run belongs to
  std::string run{};
  std::string job{};
  std::string ending{};
  std::optional<Failure> cause{};  // of a failed run
  engine::Tally tally{};
  bool has_found_all = false;
  bool has_lost_list = false;           // it came through a pipe and was not read to the end
  std::chrono::nanoseconds elapsed{0};  // of this process
  std::vector<journal::FailureGroup> groups{};  // the most frequent, at most kGroups

  [[nodiscard]] bool has_matched_nothing() const {
    return ending == run::kComplete && tally.found() == 0;
  }
};
inline constexpr std::size_t kGroups = 5;

// Whether the list cannot be read again: standard input, a pipe, or <(...) of a shell.
[[nodiscard]] bool is_read_once(const std::string& list);

// The command that resumes the run.
[[nodiscard]] std::string resume_command(const std::string& program, const std::string& run,
                                         bool has_lost_list);

[[nodiscard]] Result<Summary> summary_of(run::Run& run, const RunOutcome& outcome);

// Prints the text to standard error and, with --json and --jsonl, an object to standard output.
[[nodiscard]] Result<void> tell(const Summary& summary, ReportForm form, CliContext& cli);

// One object, one line. `event` is "summary" with --json, "end" with --jsonl.
[[nodiscard]] std::string json_of(const Summary& summary, std::string_view event);
[[nodiscard]] std::string text_of(const Summary& summary, std::optional<std::size_t> width);

}  // namespace tidemill::cli
