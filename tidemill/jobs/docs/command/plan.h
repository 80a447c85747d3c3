// The plan: the steps of a command task, as data, and the effect of each.
//
//   name     critical  idempotent by   effect
//   decide   yes       its checkpoint  none: documents.info, search, the assistant
//   update   yes       current text    documents.update: title, or the summary between its markers
//   terms    yes       current text    documents.update: search terms between their markers
//   move     yes       collection      documents.move
//   answer   yes       derived id      comments.create, when the comment is all that was asked for
//   unmark   no        current text    documents.update: removes the command's line, or asks back
//   comment  no        derived id      comments.create, when it describes another effect
//
// Every effect reads the document, checks whether it is already done or no longer allowed, and
// applies the change under the revision just read; after a conflict it reads again (up to
// kConflicts times, then retry). So a step that ran but was not recorded finds its own effect and
// changes nothing. Texts are changed by patches, which even a server without revisions applies to
// the current text (patch.h). documents.move has no revision: if a user moves the document between
// our read and our move, the user's move is lost. A title is not changed if the server does not
// check revisions: see decide.h.
//
// A command whose line could not be removed afterwards is not started: the next run would execute
// it again.
//
// Edits by users win: a title that was changed since the decision, a block whose markers are now
// missing or broken, a document that was moved. The step leaves it alone, notes that in the
// decision's left_alone, and is done. If the document is gone (404, archived, deleted), "decide",
// "update", "terms" and "move" fail the task with give_up; at "answer", "unmark" and "comment"
// nothing is left to do. A text that would exceed kLongestText also fails with give_up.
//
// What was left alone is appended to the comment, because its text was decided before.
//
// A step that is not critical is retried while the task has attempts; after the last one its
// failure is a warning.
//
// A comment's id is derived from the task key and the step, the task key from the run's mark and
// the task's id, so it is the same in every attempt and every process. It has the form of a version
// 4 UUID, as Outline requires.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/checkpoints.h"
#include "tidemill/engine/steps.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/docs/command/decide.h"
#include "tidemill/jobs/docs/command/decision.h"
#include "tidemill/jobs/docs/command/written.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

class StepTally;

inline constexpr int kConflicts = 4;
inline constexpr std::size_t kLongestText = 1'536'000;  // the server's limit, in UTF-16 units
inline constexpr std::size_t kLongestComment = 950;     // of 1,000; a longer one is shortened

enum class Once : std::uint8_t { record, look, place, derived_id };

struct PlanRow {
  std::string_view name;
  bool is_critical;
  Once once;
};
[[nodiscard]] std::span<const PlanRow> plan_rows();

// A command task and the servers it uses.
struct Errand {
  std::string document{};
  Command command{};
  std::string key{};  // the task key, a uuid
  DecideContext context;
  // Makes the decision; empty: decide().
  std::function<Result<Decision>(const Command&, const OutlineDocument&, const DecideContext&)>
      decide{};
  Written* written = nullptr;  // lines that assistants wrote into documents; null: not recorded
  StepTally* tally = nullptr;  // null: steps are not counted
};

// "decide" fails with give_up and kind withdrawn if the command is no longer in the document: a
// user has withdrawn it, and CommandExecutor turns the failure into a Skip.
[[nodiscard]] bool is_taken_back(const Failure& failure);
// The same with kind untrusted, for a line that an assistant wrote and that is now outside our
// markers.
[[nodiscard]] bool is_by_assistant(const Failure& failure);

// The steps for an errand, which must outlive them.
[[nodiscard]] engine::Steps plan_of(const Errand& errand);

// The text between the markers of the search terms.
[[nodiscard]] std::string terms_line(const std::vector<std::string>& terms);

// The effects; pure apart from calls to the server. Each returns the decision, updated with what
// was done. An effect that the decision does not contain makes no calls.
[[nodiscard]] Result<Decision> do_update(Decision decision, Outline& outline);
[[nodiscard]] Result<Decision> do_terms(Decision decision, Outline& outline);
[[nodiscard]] Result<Decision> do_move(Decision decision, Outline& outline);
[[nodiscard]] Result<Decision> do_answer(Decision decision, const std::string& comment_id,
                                         Outline& outline);
[[nodiscard]] Result<Decision> do_unmark(Decision decision, Outline& outline);
[[nodiscard]] Result<Decision> do_comment(Decision decision, const std::string& comment_id,
                                          Outline& outline);

// The failure if a patch cannot remove the command's line: its text also occurs earlier in the
// document.
[[nodiscard]] std::unexpected<Failure> cannot_remove_line();

// Posts the comment about a permanently failed task to its document, exactly once. Does nothing if
// the document is gone.
[[nodiscard]] Result<void> post_notice(const std::string& document, const std::string& comment_id,
                                       const std::string& text, Outline& outline);

[[nodiscard]] std::string task_key(std::string_view run_mark, engine::TaskId task);
[[nodiscard]] std::string comment_id(std::string_view task_key, std::string_view step);

}  // namespace tidemill::docs
