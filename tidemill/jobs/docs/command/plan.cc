#include "tidemill/jobs/docs/command/plan.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/hash/uuid.h"
#include "tidemill/jobs/docs/command/commands.h"
#include "tidemill/jobs/docs/command/step_tally.h"
#include "tidemill/jobs/docs/command/subject.h"

namespace tidemill::docs {
namespace {

constexpr std::string_view kDecide = "decide";
constexpr std::string_view kUpdate = "update";
constexpr std::string_view kTerms = "terms";
constexpr std::string_view kAnswer = "answer";
constexpr std::string_view kComment = "comment";

constexpr std::array kRows = {
    PlanRow{.name = kDecide, .is_critical = true, .once = Once::record},
    PlanRow{.name = kUpdate, .is_critical = true, .once = Once::look},
    PlanRow{.name = kTerms, .is_critical = true, .once = Once::look},
    PlanRow{.name = "move", .is_critical = true, .once = Once::place},
    PlanRow{.name = kAnswer, .is_critical = true, .once = Once::derived_id},
    PlanRow{.name = "unmark", .is_critical = false, .once = Once::look},
    PlanRow{.name = kComment, .is_critical = false, .once = Once::derived_id},
};

constexpr std::string_view kLineIsGone = "the command is no longer in the document";
constexpr std::string_view kTakenBack = "withdrawn";

// Only decided() makes these kinds, so a server's answer cannot be mistaken for them.
bool is_final(const Failure& failure, FailureKind kind) {
  return failure.cure == Cure::give_up && failure.kind == kind;
}

// Acquires the rate limits that deciding needs.
Result<void> begin_deciding(const Errand& errand) {
  const CommandName name = errand.command.name;
  if (name != CommandName::related) TRY(errand.context.assistant.begin());
  const bool searches = name == CommandName::ask || name == CommandName::related;
  return errand.context.outline.begin(searches ? "documents.search" : "documents.info");
}

Result<Decision> decided(const Errand& errand) {
  TRY(begin_deciding(errand));
  LET(const std::optional<OutlineDocument> document,
      errand.context.outline.document(errand.document));
  if (!document || document->is_gone)
    return fail(Cure::give_up, "document", "it is missing, deleted or archived");
  const std::vector<Command> commands = commands_in(document->text);
  if (std::ranges::find(commands, errand.command) == commands.end()) {
    return fail(Cure::give_up, FailureKind::withdrawn, std::string(kTakenBack),
                std::string(kLineIsGone));
  }
  if (errand.written != nullptr && errand.written->holds(document->id, line_of(errand.command))) {
    return fail(Cure::give_up, FailureKind::untrusted, std::string(kTakenBack),
                std::string(kByAssistant));
  }
  LET(const Abilities can, errand.context.outline.abilities(*document));
  if (!can.edits_parts) {
    return fail(Cure::give_up, "server",
                "it is older than Outline 1.7.0 and can only replace whole documents");
  }
  if (!without(document->text, errand.command).patch) return cannot_remove_line();
  LET(Decision decision, errand.decide ? errand.decide(errand.command, *document, errand.context)
                                       : decide(errand.command, *document, errand.context));
  decision.document = document->id;
  decision.command = errand.command;
  decision.revision = document->revision;
  return decision;
}

Result<void> remember(const Errand& errand, std::string_view text) {
  if (errand.written == nullptr) return {};
  return errand.written->remember(errand.document, text);
}

Result<Decision> performed(std::string_view step, Decision decision, const Errand& errand) {
  Outline& outline = errand.context.outline;
  const std::string comment = comment_id(errand.key, kComment);
  if (step == kUpdate) {
    TRY(remember(errand, decision.summary));
    return do_update(std::move(decision), outline);
  }
  if (step == kTerms) {
    TRY(remember(errand, terms_line(decision.terms)));
    return do_terms(std::move(decision), outline);
  }
  if (step == "move") return do_move(std::move(decision), outline);
  if (step == kAnswer) return do_answer(std::move(decision), comment, outline);
  if (step == "unmark") return do_unmark(std::move(decision), outline);
  return do_comment(std::move(decision), comment, outline);
}

Result<std::string> ran(std::string_view step, const std::string& data, const Errand& errand) {
  if (step == kDecide) {
    LET(const Decision decision, decided(errand));
    return text_of(decision);
  }
  LET(Decision before, decision_of(data));
  LET(const Decision after, performed(step, std::move(before), errand));
  return text_of(after);
}

}  // namespace

std::span<const PlanRow> plan_rows() { return kRows; }

bool is_taken_back(const Failure& failure) { return is_final(failure, FailureKind::withdrawn); }
bool is_by_assistant(const Failure& failure) { return is_final(failure, FailureKind::untrusted); }

engine::Steps plan_of(const Errand& errand) {
  std::vector<engine::Step> steps;
  for (const PlanRow& row : kRows) {
    steps.push_back({.name = std::string(row.name),
                     .critical = row.is_critical,
                     .retries_until_last = !row.is_critical,
                     .run = [&errand, name = row.name](const engine::StepContext& at) {
                       auto outcome = ran(name, at.data, errand);
                       if (errand.tally != nullptr) errand.tally->ran(name, outcome);
                       return outcome;
                     }});
  }
  return engine::Steps(std::move(steps));
}

std::string task_key(std::string_view run_mark, engine::TaskId task) {
  return hash::uuid5(run_mark, std::to_string(task));
}

std::string comment_id(std::string_view task_key, std::string_view step) {
  std::string id = hash::uuid5(task_key, step);
  id[14] = '4';  // the version
  return id;
}

}  // namespace tidemill::docs
