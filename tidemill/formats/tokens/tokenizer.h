// Tokenizer: counts the tokens of a text for a model. It only counts: the tokens themselves are not
// needed here.
//
//   cl100k_base, o200k_base   exact; tables installed with the program
//   a tokenizer.json          exact for BPE files as published by Hugging Face
//   bytes/4                   an estimate
//
// A text is bytes. Invalid UTF-8 counts as U+FFFD, one for each maximal subpart, as if the file had
// been decoded before counting. Special tokens of models ("<|endoftext|>") are ordinary text here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::tokens {

// Counts one text after the other, each fed in any number of parts: the parts do not affect the
// count. Memory does not grow with the text, even if the text cannot be split; time is linear in
// its bytes, whatever they are. One thread.
class TokenCounter {
 public:
  virtual ~TokenCounter() = default;
  virtual void feed(std::string_view part) = 0;
  // Returns the tokens of everything fed, and resets the counter for the next text.
  [[nodiscard]] virtual std::uint64_t finish() = 0;

  [[nodiscard]] std::uint64_t count(std::string_view text) {
    feed(text);
    return finish();
  }
};

// Immutable: threads share one tokenizer, each with its own counter.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // "cl100k_base", "bytes/4", …, or the path of the file.
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Identifies everything that affects a count: tables, rules, Unicode version. Tokenizers with
  // equal fingerprints count the same, in every process and on every machine; it is a cache key for
  // counts.
  [[nodiscard]] virtual std::string_view fingerprint() const = 0;
  [[nodiscard]] virtual bool is_exact() const = 0;
  // A counter must not outlive its tokenizer.
  [[nodiscard]] virtual std::unique_ptr<TokenCounter> counter() const = 0;
};

// `name`: cl100k_base, o200k_base, bytes/4, or the path of a tokenizer.json (anything with a '/' or
// ending in ".json"). `folder`: where the installed tables are. Fails (step "tokenizer") if there
// is no such tokenizer, its table is missing or damaged, or a file needs an unsupported feature.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> open_tokenizer(const std::string& name,
                                                                const std::string& folder);

}  // namespace tidemill::tokens
