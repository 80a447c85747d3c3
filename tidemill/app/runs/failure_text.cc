#include "tidemill/app/runs/failure_text.h"

#include <algorithm>

#include <fmt/core.h>

#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/ui/cli/run_text.h"

namespace tidemill::app {
namespace {

using engine::TaskState;
using text::printable;

std::string row(std::string_view name, std::string_view value) {
  return fmt::format("  {:<14}{}\n", name, value);
}

std::string failure_text(const engine::TaskFailures& history) {
  std::string text = row("reason", printable(history.failure.step + ": " + history.failure.reason));
  if (!history.failure.hint.empty()) text += row("hint", printable(history.failure.hint));
  text += row("first failed", cli::local_second(history.first));
  return text + row("last failed", cli::local_second(history.last));
}

std::string attempts_text(int attempts, int crashes) {
  std::string text = std::to_string(attempts);
  if (crashes > 0)
    text += ", and " + text::counted(static_cast<std::uint64_t>(crashes), "crash", "crashes") +
            " of the program";
  return text;
}

std::string words_text(const std::optional<engine::Checkpoint>& checkpoint) {
  const std::string_view words = last_words(checkpoint);
  return words.empty() ? "" : "  end of its output:\n" + indented(words);
}

void write_failure(text::JsonWriter& json, const engine::TaskFailures& history) {
  json.bytes("step", history.failure.step).bytes("reason", history.failure.reason);
  if (!history.failure.hint.empty()) json.bytes("hint", history.failure.hint);
  json.key("cure").value(name_of(history.failure.cure));
  json.key("firstFailure").value(cli::rfc3339(history.first));
  json.key("lastFailure").value(cli::rfc3339(history.last));
}

// Writes any checkpoint; that of a command is only its output.
void write_checkpoint(text::JsonWriter& json, const std::optional<engine::Checkpoint>& checkpoint) {
  if (!checkpoint) return;
  if (const auto words = last_words(checkpoint); !words.empty()) {
    json.bytes("output", words);
    return;
  }
  json.key("checkpoint").begin_object();
  json.key("stepsDone").value(checkpoint->steps_done).bytes("lastStep", checkpoint->last_step);
  json.bytes("data", checkpoint->data).end_object();
}

}  // namespace

std::string_view state_word(TaskState state) {
  if (state == TaskState::dead) return "failed";
  return state == TaskState::abandoned ? "dropped" : name_of(state);
}

std::string_view last_words(const std::optional<engine::Checkpoint>& checkpoint) {
  if (!checkpoint || checkpoint->last_step != "output") return {};
  return checkpoint->data;
}

std::string indented(std::string_view output) {
  std::string text;
  while (!output.empty()) {
    const std::string_view line = output.substr(0, output.find('\n'));
    output.remove_prefix(std::min(output.size(), line.size() + 1));
    text += "    " + printable(line) + "\n";
  }
  return text;
}

std::string text_of(const engine::Letter& letter) {
  return fmt::format("task {}  {}\n", letter.id, printable(letter.subject)) +
         row("attempts", attempts_text(letter.attempts, letter.crashes)) +
         failure_text(letter.failures) + words_text(letter.checkpoint);
}

std::string text_of(const engine::TaskRecord& task,
                    const std::optional<engine::Checkpoint>& checkpoint, const jobs::Job* job) {
  std::string text = fmt::format("task {}  {}\n", task.id, printable(task.subject));
  text += row("state", state_word(task.state)) + row("type", printable(task.type));
  text += row("attempts", attempts_text(task.attempts, task.crashes));
  if (task.weight > 0) text += row("size", text::bytes_text({task.weight}));
  if (!task.outcome.empty()) text += row("outcome", printable(outcome_text(task, job)));
  const bool has_to_wait = task.state == TaskState::pending && task.not_before != WallTime{};
  if (has_to_wait) text += row("not before", cli::local_second(task.not_before));
  if (task.failures) text += failure_text(*task.failures);
  return text + words_text(checkpoint);
}

std::string json_of(const engine::Letter& letter) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("task").value(letter.id);
  json.bytes("type", letter.type).bytes("name", letter.subject);
  json.key("attempts").value(letter.attempts).key("crashes").value(letter.crashes);
  write_failure(json, letter.failures);
  write_checkpoint(json, letter.checkpoint);
  json.end_object();
  return line;
}

std::string json_of(const engine::TaskRecord& task,
                    const std::optional<engine::Checkpoint>& checkpoint) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("task").value(task.id);
  json.key("state").value(name_of(task.state));
  json.bytes("type", task.type).bytes("name", task.subject).key("weight").value(task.weight);
  json.key("attempts").value(task.attempts).key("crashes").value(task.crashes);
  if (!task.outcome.empty()) json.bytes("outcome", task.outcome);
  if (task.failures) write_failure(json, *task.failures);
  write_checkpoint(json, checkpoint);
  json.end_object();
  return line;
}

std::string outcome_text(const engine::TaskRecord& task, const jobs::Job* job) {
  const bool is_failed = task.state == TaskState::dead || task.state == TaskState::abandoned;
  if ((is_failed || task.state == TaskState::pending) && task.failures) {
    return task.failures->failure.step + ": " + task.failures->failure.reason;
  }
  if (task.state != TaskState::done || job == nullptr) return task.outcome;
  return job->outcome_text(task);
}

}  // namespace tidemill::app
