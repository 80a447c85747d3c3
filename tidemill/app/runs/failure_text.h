// Formats tasks and dead letters in full, for people and for programs. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/engine/journal.h"
#include "tidemill/jobs/job.h"

namespace tidemill::app {

// For people: a dead task is "failed", an abandoned one "dropped". JSON uses name_of().
[[nodiscard]] std::string_view state_word(engine::TaskState state);

// The end of the command's output, or "" if there is none.
[[nodiscard]] std::string_view last_words(const std::optional<engine::Checkpoint>& checkpoint);

// Indents and escapes each line: it stays one line and cannot control the terminal.
[[nodiscard]] std::string indented(std::string_view output);

[[nodiscard]] std::string text_of(const engine::Letter& letter);
[[nodiscard]] std::string text_of(const engine::TaskRecord& task,
                                  const std::optional<engine::Checkpoint>& checkpoint,
                                  const jobs::Job* job);

// One JSON object on one line, without the newline. For a dead letter, all fields.
[[nodiscard]] std::string json_of(const engine::Letter& letter);
[[nodiscard]] std::string json_of(const engine::TaskRecord& task,
                                  const std::optional<engine::Checkpoint>& checkpoint);

// The outcome of a task in one short text: how long a command took, why a task was skipped or
// failed. `job` interprets its results; null: this program does not have the job.
[[nodiscard]] std::string outcome_text(const engine::TaskRecord& task, const jobs::Job* job);

}  // namespace tidemill::app
