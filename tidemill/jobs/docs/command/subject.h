// Subjects: what a task of this job is about, as its journal keeps it and as people read it in
// `show` and `letters`.
//
//   type      subject
//   command   <document> <the line as written>      do what the line says
//   document  <document> [<delivery>]               look which commands it holds
//   notice    <document> <task> <text>              say on the document that a task has failed
//
// A document is a uuid. Two lines with the same words in one document are one task.
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

// Why a command was skipped whose line an assistant wrote (written.h).
inline constexpr std::string_view kNoPersons = "an assistant wrote this line, not a person";

struct CommandSubject {
  std::string document{};
  Command command{};
};

struct DocumentSubject {
  std::string document{};
  std::string delivery{};  // of the webhook that told of it; empty: none did
};

struct NoticeSubject {
  std::string document{};
  engine::TaskId task = 0;  // the one that failed
  std::string text{};
};

[[nodiscard]] std::string subject_of(const CommandSubject& about);
[[nodiscard]] std::string subject_of(const DocumentSubject& about);
[[nodiscard]] std::string subject_of(const NoticeSubject& about);

// Nothing: the journal holds what no program of ours wrote.
[[nodiscard]] std::optional<CommandSubject> command_of(std::string_view subject);
[[nodiscard]] std::optional<DocumentSubject> document_of(std::string_view subject);
[[nodiscard]] std::optional<NoticeSubject> notice_of(std::string_view subject);

// The result of a command that is done: the revision that it left and when, whether its line is
// gone, what was left alone because a person had changed it, and what could not be done.
struct DoneResult {
  std::int64_t revision = 0;
  std::string updated_at{};  // empty: a program of before wrote it
  bool is_unmarked = false;
  std::string left_alone{};  // "title,summary"
  std::string warned{};      // the steps that were given up: "unmark,comment"

  [[nodiscard]] bool is_warning() const { return !left_alone.empty() || !warned.empty(); }
  bool operator==(const DoneResult&) const = default;
};
[[nodiscard]] std::string text_of(const DoneResult& result);  // "17 unmarked at:2026-… left:title"
[[nodiscard]] DoneResult done_result_of(std::string_view text);

}  // namespace tidemill::docs
