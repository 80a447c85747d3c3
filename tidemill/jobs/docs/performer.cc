#include "tidemill/jobs/docs/performer.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/docs/command/plan.h"
#include "tidemill/jobs/docs/command/subject.h"

namespace tidemill::docs {
namespace {

using engine::Skip;
using engine::Verdict;

std::unexpected<Failure> unknown(const Piece& piece) {
  return fail(Cure::give_up, "task",
              "this version does not know this type of task: " + piece.task.type);
}

DoneResult result_of(const Decision& decision, const std::vector<std::string>& warnings) {
  DoneResult result{.revision = decision.revision,
                    .updated_at = decision.updated_at,
                    .is_unmarked = decision.is_unmarked};
  for (const std::string& what : decision.left_alone) {
    result.left_alone += (result.left_alone.empty() ? "" : ",") + what;
  }
  for (const std::string& warning : warnings) {  // "unmark: why"
    result.warned += (result.warned.empty() ? "" : ",") + warning.substr(0, warning.find(':'));
  }
  return result;
}

}  // namespace

Result<std::unique_ptr<Performer>> Performer::make(const Surroundings& around) {
  std::unique_ptr<Performer> performer(new Performer(around));
  for (std::size_t i = 0; i < around.options.workers; ++i) {
    Hand hand;
    LET(hand.outline, connect_outline(around.outline, around.stop));
    LET(hand.assistant, connect_assistant(around.assistant, around.options.ai_model, around.stop));
    performer->hands_.push_back(std::move(hand));
  }
  return performer;
}

Result<Verdict<Ran>> Performer::perform(Piece& piece, engine::TaskContext& context) {
  context.note(piece.task.subject);
  // From an earlier process, which was to wait longer than it lived.
  const auto wait = piece.task.not_before - around_.clock.wall();
  if (wait > WallTime::duration::zero()) {
    return context.defer(std::chrono::ceil<std::chrono::milliseconds>(wait),
                         "waiting until it is due");
  }
  Hand& hand = hands_[context.worker()];
  if (piece.task.type == kCommandType) return command(piece, hand, context);
  if (piece.task.type == kDocumentType) return document(piece, hand);
  if (piece.task.type == kNoticeType) return notice(piece, hand, context);
  return unknown(piece);
}

Result<Verdict<Ran>> Performer::command(Piece& piece, Hand& hand, engine::TaskContext& context) {
  auto about = command_of(piece.task.subject);
  if (!about) return unknown(piece);
  const Errand errand{.document = std::move(about->document),
                      .command = std::move(about->command),
                      .key = task_key(around_.mark, piece.task.id),
                      .parts = {.outline = *hand.outline,
                                .assistant = *hand.assistant,
                                .taxonomy = around_.taxonomy,
                                .threshold = around_.options.threshold},
                      .decide = {},
                      .written = &around_.written};
  const bool is_last = context.attempt() >= around_.options.retry.max_attempts;
  auto report = plan_of(errand).run(context, around_.checkpoints, {}, is_last);
  if (!report) {
    if (is_taken_back(report.error())) return Skip{.reason = report.error().reason};
    if (is_no_persons(report.error())) return Skip{.reason = std::string(kNoPersons)};
    return std::unexpected(std::move(report).error());
  }
  LET(const Decision decision, decision_of(report->data));
  piece.warnings = std::move(report->warnings);
  return Ran{.result = docs::text_of(result_of(decision, piece.warnings))};
}

Result<Verdict<Ran>> Performer::document(const Piece& piece, Hand& hand) {
  const auto about = document_of(piece.task.subject);
  if (!about) return unknown(piece);
  TRY(hand.outline->begin("documents.info"));
  LET(const auto document, hand.outline->document(about->document));
  if (!document || document->is_gone)
    return Skip{.reason = "the document is missing, deleted or archived"};
  const auto& wanted = around_.options.collections;
  if (!wanted.empty() && std::ranges::find(wanted, document->collection) == wanted.end()) {
    return Skip{.reason = "the document is in another collection"};  // a webhook told of it
  }
  Ran ran;
  ran.sight = Sight{.document = document->id,
                    .revision = document->revision,
                    .updated_at = document->updated_at,
                    .commands = commands_in(document->text)};
  ran.result = std::to_string(ran.sight->commands.size()) + " commands";
  return ran;
}

// Its task lies with the letters already: a notice that cannot be posted needs no letter of its
// own.
Result<Verdict<Ran>> Performer::notice(const Piece& piece, Hand& hand,
                                       const engine::TaskContext& context) {
  const auto about = notice_of(piece.task.subject);
  if (!about) return unknown(piece);
  const std::string id = comment_id(task_key(around_.mark, about->task), "notice");
  auto posted = post_notice(about->document, id, about->text, *hand.outline);
  if (posted) return Ran{.result = "said"};
  const Failure& failure = posted.error();
  const bool is_over = !around_.options.retry.after(failure, context.attempt(), 0);
  if (is_over) return Skip{.reason = "not posted: " + tidemill::text_of(failure)};
  return std::unexpected(std::move(posted).error());
}

}  // namespace tidemill::docs
