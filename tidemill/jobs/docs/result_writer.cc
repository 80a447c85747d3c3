#include "tidemill/jobs/docs/result_writer.h"

#include <iterator>
#include <optional>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/docs/command/blocks.h"
#include "tidemill/jobs/docs/command/plan.h"

namespace tidemill::docs {
namespace {

using engine::Died;
using engine::Done;
using engine::Found;
using engine::Skipped;
using engine::TaskState;

constexpr std::size_t kMostReason = 300;  // of a failure, in a comment

// The notice for the document. Empty if the task is not a command.
std::optional<NoticeSubject> notice_for(const DocsPipeline::Item& item, const Failure& failure,
                                        const std::string& run) {
  const auto about = command_of(item.item.task.subject);
  if (!about) return std::nullopt;
  NoticeSubject notice;
  notice.document = about->document;
  notice.task = item.id;
  notice.text = "This command failed: " + line_of(about->command) + ". The step " + failure.step +
                " failed: " + tamed_line(failure.reason, kMostReason) + ". It is task " +
                std::to_string(item.id) + " of run " + run + "; `tidemill failures " + run +
                "` shows the details and can retry it.";
  return notice;
}

}  // namespace

Result<void> ResultWriter::settle(std::span<DocsPipeline::Item> batch) {
  Page page;
  for (const auto& item : batch) write(item, page);
  auto kept = patience_.retry_until_written([&] { return journal_.commit(page.entries); });
  if (!kept) {
    tasks_.cancel(page.found);
    return kept;
  }
  tasks_.confirm(page.found);
  for (const auto& item : batch) {
    update_register(item);
    TRY(on_settled_(item));
  }
  return {};
}

void ResultWriter::write(const DocsPipeline::Item& item, Page& page) {
  if (const Failure* failure = item.failed()) return write_failure(item, *failure, page);
  if (const auto* skip = item.skipped()) {
    page.entries.emplace_back(Skipped{.id = item.id, .reason = skip->reason});
    return;
  }
  const DocsResult& ran = *item.done();
  page.entries.emplace_back(Done{.id = item.id, .attempts = item.attempts, .result = ran.result});
  if (!ran.sight) return;
  for (Found& found : tasks_.reserve(*ran.sight)) {
    page.entries.emplace_back(found);
    page.found.push_back(std::move(found));
  }
}

void ResultWriter::write_failure(const DocsPipeline::Item& item, const Failure& failure,
                                 Page& page) {
  page.entries.emplace_back(
      Died{.id = item.id, .attempts = item.attempts, .failure = failure, .at = clock_.wall()});
  const auto notice = notice_for(item, failure, run_id_);
  if (!notice) return;
  auto found = tasks_.reserve(*notice);
  if (!found) return;
  page.entries.emplace_back(*found);
  page.found.push_back(*std::move(found));
}

void ResultWriter::update_register(const DocsPipeline::Item& item) {
  const engine::TaskRecord& task = item.item.task;
  if (const DocsResult* ran = item.done()) {
    return tasks_.settled(task.id, task.subject, TaskState::done, ran->result);
  }
  if (const auto* skip = item.skipped()) {
    return tasks_.settled(task.id, task.subject, TaskState::skipped, skip->reason);
  }
  tasks_.settled(task.id, task.subject, TaskState::dead, {});
}

}  // namespace tidemill::docs
