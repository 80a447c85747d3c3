// BatchPrompt: the template of the text that a worker puts around the files of a batch, so that its
// tokens are counted instead of estimated. A text file:
//
//   Review these files.
//   {{#file}}
//   --- {{path}}
//   {{content}}
//   {{/file}}
//   Answer in JSON.
//
// Text outside {{#file}} … {{/file}} occurs once per batch, text inside once per file. A template
// without {{#file}} is all outside. The newline after {{#file}} and {{/file}} belongs to the tag.
//
// The parts are counted separately. Where two parts meet, the joined text may have a token or two
// more or less than the parts, so two tokens are added per seam: the sum is an upper bound.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/tokenizer.h"

namespace tidemill::batch {

// Immutable.
class BatchPrompt {
 public:
  BatchPrompt() = default;  // adds nothing
  // Fails (step "template") when a tag is missing, repeated or in the wrong place.
  [[nodiscard]] static Result<BatchPrompt> parse(std::string_view text);
  [[nodiscard]] static Result<BatchPrompt> read(const std::string& path);

  // Tokens per batch.
  [[nodiscard]] std::uint64_t overhead(tokens::TokenCounter& counter) const;
  // Tokens for a file with this path, without its contents.
  [[nodiscard]] std::uint64_t overhead(tokens::TokenCounter& counter, std::string_view path) const;

  [[nodiscard]] bool is_empty() const { return text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;  // the template
  std::string head_;
  std::string before_;  // the contents of a file
  std::string behind_;
  std::string tail_;
  bool has_file_ = false;  // false: the template is all head
};

}  // namespace tidemill::batch
