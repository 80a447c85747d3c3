#include "tidemill/jobs/batch/cut/payload.h"

#include <charconv>

#include "tidemill/formats/text/json.h"

namespace tidemill::batch {
namespace {

// Consumes a number and the `mark` after it.
std::optional<std::uint64_t> take_number(std::string_view& text, char mark) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto used = static_cast<std::size_t>(end - text.data());
  if (error != std::errc{} || used >= text.size() || text[used] != mark) return std::nullopt;
  text.remove_prefix(used + 1);
  return number;
}

}  // namespace

std::string payload_of(const Batch& batch, const BatchRoots& roots, Paths how, bool has_contents) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("id").value(batch.id).key("files").begin_array();
  for (const Weighed& file : batch.files) {
    json.begin_object().bytes("path", roots.path(file.root, file.path, how));
    json.key("tokens").value(file.tokens);
    if (has_contents) json.bytes("content", file.content);
    json.end_object();
  }
  json.end_array().key("totalTokens").value(batch.tokens);
  if (batch.is_oversize) json.key("oversize").value(true);
  json.end_object();
  return line;
}

// "<id> <files> <tokens> <bytes of the cursor>:<cursor><payload>"
std::string subject_of(const Stored& stored) {
  std::string subject(stored.id);
  subject += ' ';
  subject += std::to_string(stored.files);
  subject += ' ';
  subject += std::to_string(stored.tokens);
  subject += ' ';
  subject += std::to_string(stored.cursor.size());
  subject += ':';
  subject += stored.cursor;
  subject += stored.payload;
  return subject;
}

std::optional<Stored> stored_of(std::string_view subject) {
  Stored stored;
  const std::size_t blank = subject.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  stored.id = subject.substr(0, blank);
  subject.remove_prefix(blank + 1);
  const auto files = take_number(subject, ' ');
  if (!files) return std::nullopt;
  const auto tokens = take_number(subject, ' ');
  if (!tokens) return std::nullopt;
  const auto cursor = take_number(subject, ':');
  if (!cursor || *cursor > subject.size()) return std::nullopt;
  stored.files = *files;
  stored.tokens = *tokens;
  stored.cursor = subject.substr(0, *cursor);
  stored.payload = subject.substr(*cursor);
  return stored;
}

}  // namespace tidemill::batch
