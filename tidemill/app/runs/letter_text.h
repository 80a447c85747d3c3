// Tasks and letters in full, for people and for programs. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/engine/journal.h"
#include "tidemill/jobs/job.h"

namespace tidemill::app {

// As people say it: a dead task has failed, an abandoned one was dropped. JSON has name_of().
[[nodiscard]] std::string_view state_word(engine::TaskState state);

// The end of what the command wrote, or "" when there is none.
[[nodiscard]] std::string_view last_words(const std::optional<engine::Checkpoint>& checkpoint);

// Every line indented and escaped on its own: whatever it holds stays one line and drives nothing.
[[nodiscard]] std::string indented(std::string_view output);

[[nodiscard]] std::string text_of(const engine::Letter& letter);
[[nodiscard]] std::string text_of(const engine::TaskRecord& task,
                                  const std::optional<engine::Checkpoint>& checkpoint,
                                  const jobs::Job* job);

// One object, one line, without the line end. Of a letter everything there is.
[[nodiscard]] std::string json_of(const engine::Letter& letter);
[[nodiscard]] std::string json_of(const engine::TaskRecord& task,
                                  const std::optional<engine::Checkpoint>& checkpoint);

// What became of a task, in one short text: how long a command took, why a task was skipped or
// failed. `job` knows what its results mean; null: this program does not have the job.
[[nodiscard]] std::string outcome_text(const engine::TaskRecord& task, const jobs::Job* job);

}  // namespace tidemill::app
