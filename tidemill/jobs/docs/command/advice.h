// Advice: the prompt for filing a document, and the assistant's parsed answer.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/server/assistant.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

// A collection, and a few of its titles that show what it is for.
struct CollectionSample {
  OutlineCollection collection{};
  std::vector<std::string> titles{};
};
using Taxonomy = std::vector<CollectionSample>;

struct Alternative {
  std::string collection{};  // a uuid of the taxonomy
  std::string why{};
};

struct Advice {
  std::string collection{};  // a uuid of the taxonomy
  double confidence = 0;     // 0 to 1
  std::string reasoning{};
  std::vector<Alternative> alternatives{};  // at most 5
  std::vector<std::string> terms{};         // at most 20, each on one line, at most 60 bytes
};

[[nodiscard]] Prompt filing_prompt(const OutlineDocument& document, const std::string& guidance,
                                   const Taxonomy& taxonomy);

// Parses the JSON object in an answer, also inside a ```json fence. Fails with Cure::retry, step
// "answer" and the beginning of the answer in the hint, if there is no JSON, the collection is not
// in the taxonomy, or the confidence is not a number from 0 to 1. Invalid alternatives and terms
// are dropped.
[[nodiscard]] Result<Advice> advice_of(std::string_view answer, const Taxonomy& taxonomy);

}  // namespace tidemill::docs
