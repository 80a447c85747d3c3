#include "tidemill/jobs/docs/command/subject.h"

#include <algorithm>
#include <charconv>

#include "tidemill/io/hash/uuid.h"

namespace tidemill::docs {
namespace {

constexpr std::size_t kUuid = 36;
constexpr std::string_view kAt = "at:";
constexpr std::string_view kLeft = "left:";
constexpr std::string_view kWarned = "warned:";

// Removes the first word from `rest` and returns it.
std::string_view next_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(' '), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// Removes the document's id from the front of `rest`.
std::optional<std::string> cut_document(std::string_view& rest) {
  const std::string_view word = next_word(rest);
  if (word.size() != kUuid || !hash::is_uuid(word)) return std::nullopt;
  return std::string(word);
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::string subject_of(const CommandSubject& about) {
  return about.document + " " + line_of(about.command);
}

std::string subject_of(const DocumentSubject& about) {
  return about.delivery.empty() ? about.document : about.document + " " + about.delivery;
}

std::string subject_of(const NoticeSubject& about) {
  return about.document + " " + std::to_string(about.task) + " " + about.text;
}

std::optional<CommandSubject> command_of(std::string_view subject) {
  auto document = cut_document(subject);
  auto command = parse_command(subject);
  if (!document || !command) return std::nullopt;
  CommandSubject about;
  about.document = *std::move(document);
  about.command = *std::move(command);
  return about;
}

std::optional<DocumentSubject> document_of(std::string_view subject) {
  auto document = cut_document(subject);
  if (!document) return std::nullopt;
  DocumentSubject about;
  about.document = *std::move(document);
  about.delivery = subject;
  return about;
}

std::optional<NoticeSubject> notice_of(std::string_view subject) {
  auto document = cut_document(subject);
  const auto task = number_of<engine::TaskId>(next_word(subject));
  if (!document || !task) return std::nullopt;
  NoticeSubject about;
  about.document = *std::move(document);
  about.task = *task;
  about.text = subject;
  return about;
}

std::string text_of(const DoneResult& result) {
  std::string text =
      std::to_string(result.revision) + (result.is_unmarked ? " unmarked" : " marked");
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text.append(" ").append(name).append(value);
  };
  add(kAt, result.updated_at);
  add(kLeft, result.left_alone);
  add(kWarned, result.warned);
  return text;
}

DoneResult done_result_of(std::string_view text) {
  DoneResult result;
  result.revision = number_of<std::int64_t>(next_word(text)).value_or(0);
  result.is_unmarked = next_word(text) == "unmarked";
  while (!text.empty()) {
    const std::string_view word = next_word(text);
    if (word.starts_with(kAt)) result.updated_at = word.substr(kAt.size());
    if (word.starts_with(kLeft)) result.left_alone = word.substr(kLeft.size());
    if (word.starts_with(kWarned)) result.warned = word.substr(kWarned.size());
  }
  return result;
}

}  // namespace tidemill::docs
