// The plan: the steps of a command task, as data, and what each does.
//
//   name     critical  once by         effect
//   decide   yes       its record      none: documents.info, search, the assistant
//   update   yes       what is there   documents.update: title, or the summary between its markers
//   terms    yes       what is there   documents.update: search terms between their markers
//   move     yes       where it is     documents.move
//   answer   yes       derived id      comments.create, when the comment is all that was asked for
//   unmark   no        what is there   documents.update: the command's line goes, or asks back
//   comment  no        derived id      comments.create, when it tells of another effect
//
// Every effect is: read the document, see whether it is done already or no longer ours to do, do it
// under the revision just read; a conflict reads again (up to kConflicts times, then retry). So a
// step that ran and was not recorded finds its own effect and changes nothing. A text is changed by
// patches, which also a server without revisions applies to what is there in that moment (patch.h).
// (documents.move takes no revision: who moves the document in the moment between our look and our
// move loses. A title is left to people where revisions are not guarded: see decide.h.)
//
// A command whose line could not be taken out again is not begun: the next run would do it once
// more.
//
// Hands off: a title that a person changed since the decision, a block whose markers were there and
// are gone or broken, a document that somebody moved: the step leaves it alone, says so in the
// decision's left_alone, and is done. A document that is gone (404, archived, deleted) fails the
// task with give_up at "decide", "update", "terms" and "move"; at "unmark" and "comment" there is
// nothing left to do. A text that would grow beyond kLongestText fails with give_up too.
//
// A comment says what was left alone, for it was written before that was known.
//
// What is not critical insists: it is tried again while the task has attempts, and is a warning
// after the last.
//
// A comment's id is derived from the task key and the step, the task key from the run's mark and
// the task's id: the same in every attempt and every process. Its form is that of version 4, which
// is what Outline takes.
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

inline constexpr int kConflicts = 4;
inline constexpr std::size_t kLongestText = 1'536'000;  // what the server takes, in UTF-16 units
inline constexpr std::size_t kLongestComment = 950;     // of 1,000; a longer one is cut

enum class Once : std::uint8_t { record, look, place, derived_id };

struct PlanRow {
  std::string_view name;
  bool is_critical;
  Once once;
};
[[nodiscard]] std::span<const PlanRow> plan_rows();

// What a command task is about, and who may be asked.
struct Errand {
  std::string document{};
  Command command{};
  std::string key{};  // the task key, a uuid
  DecideParts parts;
  // Who decides; none: decide().
  std::function<Result<Decision>(const Command&, const Document&, const DecideParts&)> decide{};
  Written* written = nullptr;  // what assistants wrote into documents; none: nobody remembers
};

// "decide" fails with give_up and kind withdrawn when the command is no longer in the
// document: somebody took it back, and the performer turns that into a Skip.
[[nodiscard]] bool is_taken_back(const Failure& failure);
// The same, as kind untrusted, of a line that an assistant wrote, and a document now holds
// outside our markers.
[[nodiscard]] bool is_no_persons(const Failure& failure);

// The steps for one errand, which must outlive them.
[[nodiscard]] engine::Steps plan_of(const Errand& errand);

// What stands between the markers of the search terms.
[[nodiscard]] std::string terms_line(const std::vector<std::string>& terms);

// The single effects; pure but for the server. Each answers the decision with what it has done.
// What the decision does not ask for costs no call.
[[nodiscard]] Result<Decision> do_update(Decision decision, Outline& outline);
[[nodiscard]] Result<Decision> do_terms(Decision decision, Outline& outline);
[[nodiscard]] Result<Decision> do_move(Decision decision, Outline& outline);
[[nodiscard]] Result<Decision> do_answer(Decision decision, const std::string& comment_id,
                                         Outline& outline);
[[nodiscard]] Result<Decision> do_unmark(Decision decision, Outline& outline);
[[nodiscard]] Result<Decision> do_comment(Decision decision, const std::string& comment_id,
                                          Outline& outline);

// The line of a command stands where the server would not find it.
[[nodiscard]] std::unexpected<Failure> not_to_be_removed();

// The comment on the document of a task that failed for good: once, whatever happens. Gone
// documents need none.
[[nodiscard]] Result<void> post_notice(const std::string& document, const std::string& comment_id,
                                       const std::string& text, Outline& outline);

[[nodiscard]] std::string task_key(std::string_view run_mark, engine::TaskId task);
[[nodiscard]] std::string comment_id(std::string_view task_key, std::string_view step);

}  // namespace tidemill::docs
