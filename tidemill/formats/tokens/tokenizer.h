// Tokenizer: how many tokens a text has for a model. Counting only: nobody here needs the tokens
// themselves.
//
//   cl100k_base, o200k_base   exact, to the token; tables installed with the program
//   a tokenizer.json          exact for BPE files as Hugging Face publishes them
//   bytes/4                   an estimate, for those who do not care
//
// A text is bytes. What is no UTF-8 counts as U+FFFD, one for each maximal subpart, as everybody
// who decodes a file before counting would have it. Words that models use as marks
// ("<|endoftext|>") are ordinary text here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"

namespace tidemill::tokens {

// Counts one text after the other, each in as many parts as it comes in: how it is cut makes no
// difference. Memory does not grow with the text, also when a text has no place to cut it; time is
// linear in its bytes, whatever they are. One thread.
class Counter {
 public:
  virtual ~Counter() = default;
  virtual void feed(std::string_view part) = 0;
  // The tokens of all that was fed, and is ready for the next text.
  [[nodiscard]] virtual std::uint64_t finish() = 0;

  [[nodiscard]] std::uint64_t count(std::string_view text) {
    feed(text);
    return finish();
  }
};

// Immutable: one for all threads, with a counter for each.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  // "cl100k_base", "bytes/4", or the path of the file.
  [[nodiscard]] virtual std::string_view name() const = 0;
  // Stands for everything that decides about a count: tables, rules, Unicode version. Two that are
  // equal count the same, in every process and on every machine; counts are remembered under it.
  [[nodiscard]] virtual std::string_view fingerprint() const = 0;
  [[nodiscard]] virtual bool is_exact() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Counter> counter() const = 0;  // must not outlive it
};

// `name`: cl100k_base, o200k_base, bytes/4, or the path of a tokenizer.json (anything with a '/' or
// ending in ".json"). `folder`: where the installed tables are. Fails (step "tokenizer") when there
// is no such tokenizer, its table is missing or damaged, or a file asks for what we do not have.
[[nodiscard]] Result<std::unique_ptr<Tokenizer>> open_tokenizer(const std::string& name,
                                                                const std::string& folder);

}  // namespace tidemill::tokens
