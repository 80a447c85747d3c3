// Prompt: what a worker puts around the files of a batch, so that its tokens are counted and not
// guessed. A text file:
//
//   Review these files.
//   {{#file}}
//   --- {{path}}
//   {{content}}
//   {{/file}}
//   Answer in JSON.
//
// What is outside of {{#file}} … {{/file}} is there once in a batch, what is inside once for each
// file. A template without {{#file}} is all outside. The line end behind {{#file}} and {{/file}}
// belongs to the mark.
//
// The parts are counted one by one. Where two of them meet, the text may have a token or two more
// or less than its parts, so two are added for each seam: the sum is what a batch costs at most.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/formats/tokens/tokenizer.h"

namespace tidemill::batch {

// Immutable.
class Prompt {
 public:
  Prompt() = default;  // adds nothing
  // Fails (step "template") when a mark is missing, twice or in the wrong place.
  [[nodiscard]] static Result<Prompt> parse(std::string_view text);
  [[nodiscard]] static Result<Prompt> read(const std::string& path);

  // Of every batch.
  [[nodiscard]] std::uint64_t overhead(tokens::Counter& counter) const;
  // Of a file of this name, without its contents.
  [[nodiscard]] std::uint64_t overhead(tokens::Counter& counter, std::string_view path) const;

  [[nodiscard]] bool is_empty() const { return text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;  // the template
  std::string head_;
  std::string before_;  // the contents of a file
  std::string behind_;
  std::string tail_;
  bool has_file_ = false;  // else it is all head
};

}  // namespace tidemill::batch
