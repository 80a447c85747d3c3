// Subjects: identify the tasks of this job, in the journal and in the output of `show` and
// `failures`.
//
//   type      subject
//   command   <document> <the line as written>      execute the command
//   document  <document> [<delivery>]               find the commands in the document
//   notice    <document> <task> <text>              post a comment that a task has failed
//
// A document is a UUID. Two equal lines in one document are one task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/jobs/docs/command/commands.h"

namespace tidemill::docs {

inline constexpr std::string_view kCommandType = "command";
inline constexpr std::string_view kDocumentType = "document";
inline constexpr std::string_view kNoticeType = "notice";

// Why a command is skipped if an assistant wrote its line (written.h).
inline constexpr std::string_view kByAssistant = "an assistant wrote this line, not a person";

struct CommandSubject {
  std::string document{};
  Command command{};
};

struct DocumentSubject {
  std::string document{};
  std::string delivery{};  // of the webhook event; empty: not from a webhook
};

struct NoticeSubject {
  std::string document{};
  engine::TaskId task = 0;  // the one that failed
  std::string text{};
};

[[nodiscard]] std::string subject_of(const CommandSubject& about);
[[nodiscard]] std::string subject_of(const DocumentSubject& about);
[[nodiscard]] std::string subject_of(const NoticeSubject& about);

// Empty if the subject is invalid: no version of this program wrote it.
[[nodiscard]] std::optional<CommandSubject> command_of(std::string_view subject);
[[nodiscard]] std::optional<DocumentSubject> document_of(std::string_view subject);
[[nodiscard]] std::optional<NoticeSubject> notice_of(std::string_view subject);

// The result of a finished command: the document's revision and time afterwards, whether its line
// is removed, what was left alone because a user had changed it, and which steps were given up.
struct DoneResult {
  std::int64_t revision = 0;
  std::string updated_at{};  // empty: written by an earlier version
  bool is_unmarked = false;
  std::string left_alone{};  // "title,summary"
  std::string warned{};      // steps that were given up: "unmark,comment"

  [[nodiscard]] bool is_warning() const { return !left_alone.empty() || !warned.empty(); }
  bool operator==(const DoneResult&) const = default;
};
[[nodiscard]] std::string text_of(const DoneResult& result);  // "17 unmarked at:2026-… left:title"
[[nodiscard]] DoneResult done_result_of(std::string_view text);

}  // namespace tidemill::docs
