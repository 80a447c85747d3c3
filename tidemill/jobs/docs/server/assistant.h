// Assistant: a language model behind an OpenAI-compatible chat endpoint. Its answers are data:
// instructions in an answer are never followed.
#pragma once

#include <string>

#include "tidemill/base/result.h"

namespace tidemill::docs {

struct Prompt {
  std::string system{};
  std::string user{};
  bool wants_json = false;  // asks for response_format json_object
};

// One thread. Fails like Outline; an answer without text is Cure::retry.
class Assistant {
 public:
  virtual ~Assistant() = default;
  // Acquires the rate limit for the next answer; see Outline::begin().
  [[nodiscard]] virtual Result<void> begin() { return {}; }
  [[nodiscard]] virtual Result<std::string> answer(const Prompt& prompt) = 0;
};

}  // namespace tidemill::docs
