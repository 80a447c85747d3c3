#include "tidemill/jobs/docs/command_executor.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/docs/command/plan.h"
#include "tidemill/jobs/docs/command/subject.h"

namespace tidemill::docs {
namespace {

using engine::Skip;
using engine::Verdict;

std::unexpected<Failure> unknown(const DocsItem& item) {
  return fail(Cure::give_up, "task",
              "this version does not know this type of task: " + item.task.type);
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

Result<std::unique_ptr<CommandExecutor>> CommandExecutor::make(const Context& context) {
  std::unique_ptr<CommandExecutor> executor(new CommandExecutor(context));
  for (std::size_t i = 0; i < context.options.workers; ++i) {
    Clients clients;
    LET(clients.outline, connect_outline(context.outline, context.stop));
    LET(clients.assistant,
        connect_assistant(context.assistant, context.options.ai_model, context.stop));
    executor->clients_.push_back(std::move(clients));
  }
  return executor;
}

Result<Verdict<DocsResult>> CommandExecutor::perform(DocsItem& item, engine::TaskContext& context) {
  context.note(item.task.subject);
  // A delay set by an earlier process that ended before it was over.
  const auto wait = item.task.not_before - context_.clock.wall();
  if (wait > WallTime::duration::zero()) {
    return context.defer(std::chrono::ceil<std::chrono::milliseconds>(wait),
                         "waiting until it is due");
  }
  Clients& clients = clients_[context.worker()];
  if (item.task.type == kCommandType) return command(item, clients, context);
  if (item.task.type == kDocumentType) return document(item, clients);
  if (item.task.type == kNoticeType) return notice(item, clients, context);
  return unknown(item);
}

Result<Verdict<DocsResult>> CommandExecutor::command(DocsItem& item, Clients& clients,
                                                     engine::TaskContext& context) {
  auto about = command_of(item.task.subject);
  if (!about) return unknown(item);
  const Errand errand{.document = std::move(about->document),
                      .command = std::move(about->command),
                      .key = task_key(context_.mark, item.task.id),
                      .context = {.outline = *clients.outline,
                                  .assistant = *clients.assistant,
                                  .taxonomy = context_.taxonomy,
                                  .threshold = context_.options.threshold},
                      .decide = {},
                      .written = &context_.written,
                      .tally = &context_.tally};
  const bool is_last = context.attempt() >= context_.options.retry.max_attempts;
  auto report = plan_of(errand).run(context, context_.checkpoints, {}, is_last);
  if (!report) {
    if (is_taken_back(report.error())) return Skip{.reason = report.error().reason};
    if (is_by_assistant(report.error())) return Skip{.reason = std::string(kByAssistant)};
    return std::unexpected(std::move(report).error());
  }
  LET(const Decision decision, decision_of(report->data));
  item.warnings = std::move(report->warnings);
  return DocsResult{.result = docs::text_of(result_of(decision, item.warnings))};
}

Result<Verdict<DocsResult>> CommandExecutor::document(const DocsItem& item, Clients& clients) {
  const auto about = document_of(item.task.subject);
  if (!about) return unknown(item);
  TRY(clients.outline->begin("documents.info"));
  LET(const auto document, clients.outline->document(about->document));
  if (!document || document->is_gone)
    return Skip{.reason = "the document is missing, deleted or archived"};
  const auto& wanted = context_.options.collections;
  if (!wanted.empty() && std::ranges::find(wanted, document->collection) == wanted.end()) {
    return Skip{.reason = "the document is in another collection"};  // a webhook may name any
  }
  DocsResult ran;
  ran.sight = DocumentSighting{.document = document->id,
                               .revision = document->revision,
                               .updated_at = document->updated_at,
                               .commands = commands_in(document->text)};
  ran.result = std::to_string(ran.sight->commands.size()) + " commands";
  return ran;
}

// The failed command is a dead letter already: a notice that cannot be posted is skipped, so that
// it does not become a second one.
Result<Verdict<DocsResult>> CommandExecutor::notice(const DocsItem& item, Clients& clients,
                                                    const engine::TaskContext& context) {
  const auto about = notice_of(item.task.subject);
  if (!about) return unknown(item);
  const std::string id = comment_id(task_key(context_.mark, about->task), "notice");
  auto posted = post_notice(about->document, id, about->text, *clients.outline);
  if (posted) return DocsResult{.result = "said"};
  const Failure& failure = posted.error();
  const bool is_over = !context_.options.retry.after(failure, context.attempt(), 0);
  if (is_over) return Skip{.reason = "not posted: " + tidemill::text_of(failure)};
  return std::unexpected(std::move(posted).error());
}

}  // namespace tidemill::docs
