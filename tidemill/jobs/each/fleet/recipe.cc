#include "tidemill/jobs/each/fleet/recipe.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "tidemill/base/guarded.h"
#include "tidemill/base/try.h"
#include "tidemill/base/varint.h"
#include "tidemill/jobs/each/command/command_runner.h"
#include "tidemill/jobs/each/fleet/payload.h"
#include "tidemill/jobs/each/fleet/report_text.h"
#include "tidemill/jobs/each/options.h"
#include "tidemill/jobs/each/output/output.h"
#include "tidemill/state/run/in_flight_log.h"
#include "tidemill/ui/command/parse.h"

namespace tidemill::each {
namespace {

using engine::TaskEnd;
using jobs::StageEnd;

constexpr std::chrono::seconds kShortageWait{5};

// The flags that say how a command is run and judged.
constexpr std::string_view kStageFlags[] = {"shell",        "timeout",     "grace",
                                            "attempts",     "backoff",     "retry-on",
                                            "permanent-on", "keep-output", "jsonl"};

bool is_of_stage(std::string_view word) {
  if (!word.starts_with("--")) return false;
  const std::string_view name = word.substr(2, word.find('=') - 2);
  return std::ranges::find(kStageFlags, name) != std::end(kStageFlags);
}

std::optional<std::vector<std::string>> words_of(std::string_view settings) {
  std::vector<std::string> words;
  while (!settings.empty()) {
    const auto size = take_varint(settings);
    if (!size || *size > settings.size()) return std::nullopt;
    words.emplace_back(settings.substr(0, *size));
    settings.remove_prefix(*size);
  }
  return words;
}

Result<EachOptions> options_from(std::string_view settings, const command::Program& program) {
  auto words = words_of(settings);
  if (!words) return fail(Cure::give_up, "settings", "the settings of the run cannot be read");
  words->insert(words->begin(), "each");
  LET(const auto parsed, command::parse(program, *words, {}));
  const auto* values = std::get_if<command::Values>(&parsed);
  if (values == nullptr) {
    return fail(Cure::give_up, "settings", "the settings of the run are not a command line");
  }
  return options_of(*values);
}

// A task is tried once here: the coordinator decides about the next attempt, and when to halt.
EachOptions for_one_attempt(EachOptions options, std::size_t places) {
  options.workers = places;
  options.retry = engine::RetryPolicy::never();
  options.halt = {};
  return options;
}

class EachStage final : public jobs::RecipeStage {
 public:
  [[nodiscard]] static Result<std::unique_ptr<EachStage>> make(
      EachOptions options, jobs::StageSurroundings surroundings) {
    std::unique_ptr<EachStage> stage(new EachStage(std::move(options), std::move(surroundings)));
    LET(stage->in_flight_, run::InFlightLog::make({.path = stage->at_.scratch + "/slate",
                                                   .boot = run::boot_id(),
                                                   .workers = stage->at_.places,
                                                   .outcomes = 2 * stage->at_.places}));
    LET(stage->commands_,
        CommandRunner::make({.options = stage->once_,
                             .run_id = stage->at_.run,
                             .mark = stage->at_.mark,
                             .spill_folder = stage->at_.scratch,
                             .folder = stage->at_.roots.empty() ? "" : stage->at_.roots.front(),
                             .in_flight = *stage->in_flight_,
                             .clock = stage->at_.clock,
                             .on_halt = [](HaltRule::Manner) {},
                             .on_shortage = stage->at_.on_shortage,
                             .keep = [](const engine::TaskContext&, EachItem&,
                                        const Failure*) -> Result<void> { return {}; }}));
    return stage;
  }

  [[nodiscard]] StageEnd perform(const engine::FleetTask& task,
                                 engine::TaskContext& context) override;
  [[nodiscard]] std::chrono::milliseconds timeout() const override { return options_.timeout; }

  void end_task(engine::TaskId id) override {
    ended_.lock()->insert(id);
    commands_->end_task(id, proc::StopUrge::end);
  }
  void end_all(bool now) override {
    has_ended_all_.store(true);
    commands_->end_all(now ? proc::StopUrge::kill : proc::StopUrge::end);
  }

 private:
  EachStage(EachOptions options, jobs::StageSurroundings surroundings)
      : options_(std::move(options)),
        at_(std::move(surroundings)),
        once_(for_one_attempt(options_, at_.places)) {}

  [[nodiscard]] bool was_ended(engine::TaskId id) {
    return ended_.lock()->erase(id) > 0 || has_ended_all_.load();
  }
  [[nodiscard]] bool is_final(const Failure& failure, int attempt) const {
    return !options_.retry.after(failure, attempt, 0);
  }
  [[nodiscard]] StageEnd failed(Failure failure, EachItem& item, int attempt);

  const EachOptions options_;
  const jobs::StageSurroundings at_;
  const EachOptions once_;
  std::unique_ptr<run::InFlightLog> in_flight_;
  std::unique_ptr<CommandRunner> commands_;
  Guarded<std::set<engine::TaskId>> ended_;
  std::atomic<bool> has_ended_all_ = false;
};

// The outputs of an attempt that will be repeated are not sent, as they are not printed on one
// machine.
StageEnd EachStage::failed(Failure failure, EachItem& item, int attempt) {
  StageEnd ended{.end = TaskEnd::failed, .failure = std::move(failure)};
  const CommandReport report{.last = std::move(item.last)};
  if (is_final(ended.failure, attempt)) {
    auto text = pack(report, options_.report != EachOutput::jsonl);
    if (!text) text = pack(report, false);
    ended.text = std::move(text).value_or("");
  }
  item.last = report.last;
  return ended;
}

StageEnd EachStage::perform(const engine::FleetTask& task, engine::TaskContext& context) {
  const auto payload = unpack_payload(task.payload);
  if (!payload) {
    return {.end = TaskEnd::failed,
            .failure = {.step = "payload", .reason = "the task cannot be read"}};
  }
  auto name = name_for(*payload, at_.roots);
  if (!name) return {.end = TaskEnd::failed, .failure = std::move(name).error()};
  EachItem item{.id = task.id, .name = *std::move(name)};
  auto verdict = commands_->perform(item, context);
  const bool was_stopped = was_ended(task.id);
  StageEnd ended;
  if (verdict) {
    CommandReport report{.result = std::get<EachResult>(*verdict).result,
                         .last = std::move(item.last)};
    auto text = pack(report, options_.report != EachOutput::jsonl);
    item.last = std::move(report.last);
    ended = text ? StageEnd{.end = TaskEnd::done, .text = *std::move(text)}
                 : failed(std::move(text).error(), item, task.attempt);
  } else if (context.deferral() || context.is_fatal()) {
    Failure failure = std::move(verdict).error();
    failure.cure = Cure::later;
    failure.not_before = context.deferral().value_or(kShortageWait);
    ended = {.end = TaskEnd::failed, .failure = std::move(failure)};
  } else if (was_stopped) {
    ended = {.end = TaskEnd::returned};
  } else {
    ended = failed(std::move(verdict).error(), item, task.attempt);
  }
  forget(item.last.out);
  forget(item.last.err);
  return ended;
}

class EachRecipe final : public jobs::Recipe {
 public:
  [[nodiscard]] std::string_view name() const override { return "each"; }
  [[nodiscard]] std::uint32_t version() const override { return 1; }

  [[nodiscard]] Result<std::unique_ptr<jobs::RecipeStage>> prepare(
      std::string_view settings, jobs::StageSurroundings surroundings) const override {
    LET(auto options, options_from(settings, surroundings.program));
    LET(auto stage, EachStage::make(std::move(options), std::move(surroundings)));
    return stage;
  }
};

}  // namespace

const jobs::Recipe& recipe() {
  static const EachRecipe kRecipe;
  return kRecipe;
}

std::string settings_of(const std::vector<std::string>& arguments) {
  std::string settings;
  bool is_command = false;
  for (const std::string& word : arguments) {
    is_command = is_command || word == "--";
    if (!is_command && !is_of_stage(word)) continue;
    append_varint(settings, word.size());
    settings += word;
  }
  return settings;
}

}  // namespace tidemill::each
