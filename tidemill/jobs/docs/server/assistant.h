// Assistant: a language model behind an OpenAI-compatible chat endpoint. It is asked, and what it
// answers is data: nothing in an answer is ever obeyed.
#pragma once

#include <string>

#include "tidemill/base/result.h"

namespace tidemill::docs {

struct Prompt {
  std::string system{};
  std::string user{};
  bool wants_json = false;  // asks for response_format json_object
};

// One thread. Failures as those of Outline; an answer without text is retry.
class Assistant {
 public:
  virtual ~Assistant() = default;
  // Takes the turn for the next answer; see Outline::begin().
  [[nodiscard]] virtual Result<void> begin() { return {}; }
  [[nodiscard]] virtual Result<std::string> answer(const Prompt& prompt) = 0;
};

}  // namespace tidemill::docs
