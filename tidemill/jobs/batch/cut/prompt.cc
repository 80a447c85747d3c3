#include "tidemill/jobs/batch/cut/prompt.h"

#include <cerrno>
#include <fstream>
#include <sstream>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::batch {
namespace {

constexpr std::string_view kBegin = "{{#file}}";
constexpr std::string_view kEnd = "{{/file}}";
constexpr std::string_view kPath = "{{path}}";
constexpr std::string_view kContent = "{{content}}";
constexpr std::size_t kMost = std::size_t{4} << 20U;
constexpr std::uint64_t kSeam = 2;  // the most tokens that joining two texts may add

std::unexpected<Failure> wrong(std::string reason) {
  return std::unexpected(
      Failure{.cure = Cure::give_up,
              .step = "template",
              .reason = std::move(reason),
              .hint = "use the form {{#file}} … {{path}} … {{content}} … {{/file}}"});
}

std::string_view without_line_end(std::string_view text) {
  if (text.starts_with("\r\n")) return text.substr(2);
  return text.starts_with('\n') ? text.substr(1) : text;
}

std::uint64_t count_with(tokens::TokenCounter& counter, std::string_view text,
                         std::string_view path) {
  if (text.empty()) return 0;
  while (true) {
    const std::size_t mark = text.find(kPath);
    counter.feed(text.substr(0, mark));
    if (mark == std::string_view::npos) return counter.finish();
    counter.feed(path);
    text.remove_prefix(mark + kPath.size());
  }
}

}  // namespace

Result<BatchPrompt> BatchPrompt::parse(std::string_view text) {
  BatchPrompt prompt;
  prompt.text_ = text;
  const std::size_t begin = text.find(kBegin);
  const std::size_t end = text.find(kEnd);
  if (begin == std::string_view::npos && end == std::string_view::npos) {
    if (text.contains(kContent) || text.contains(kPath)) {
      return wrong("{{path}} and {{content}} must be between {{#file}} and {{/file}}");
    }
    prompt.head_ = text;
    return prompt;
  }
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
    return wrong("{{#file}} needs a {{/file}} after it");
  }
  const std::string_view head = text.substr(0, begin);
  const std::string_view tail = without_line_end(text.substr(end + kEnd.size()));
  const std::string_view file =
      without_line_end(text.substr(begin + kBegin.size(), end - begin - kBegin.size()));
  for (const std::string_view mark : {kBegin, kEnd, kPath, kContent}) {
    if (head.contains(mark) || tail.contains(mark)) {
      return wrong(std::string(mark) + " is in the wrong place or given twice");
    }
  }
  if (file.contains(kBegin)) return wrong("{{#file}} is given twice");
  const std::size_t content = file.find(kContent);
  if (content == std::string_view::npos || file.rfind(kContent) != content) {
    return wrong("{{content}} must occur once between {{#file}} and {{/file}}");
  }
  prompt.has_file_ = true;
  prompt.head_ = head;
  prompt.before_ = file.substr(0, content);
  prompt.behind_ = file.substr(content + kContent.size());
  prompt.tail_ = tail;
  return prompt;
}

Result<BatchPrompt> BatchPrompt::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMost + 1, '\0');
  if (!file || (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && file.bad())) {
    return fail(Cure::give_up, "template", path + ": " + system_text(errno != 0 ? errno : EIO));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMost)
    return fail(Cure::give_up, "template", path + " is too large for a template");
  return parse(text);
}

std::uint64_t BatchPrompt::overhead(tokens::TokenCounter& counter) const {
  return counter.count(head_) + counter.count(tail_) + (has_file_ ? kSeam : 0);
}

std::uint64_t BatchPrompt::overhead(tokens::TokenCounter& counter, std::string_view path) const {
  if (!has_file_) return 0;
  constexpr std::uint64_t kSeams = 3;  // before and after the contents, and to the next file
  return count_with(counter, before_, path) + count_with(counter, behind_, path) + kSeams * kSeam;
}

}  // namespace tidemill::batch
