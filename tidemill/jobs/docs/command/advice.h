// Advice: what an assistant is asked about filing a document, and what its answer says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/docs/server/assistant.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

// A collection, and a few titles out of it that show what it is for.
struct Shelf {
  Collection collection{};
  std::vector<std::string> titles{};
};
using Taxonomy = std::vector<Shelf>;

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

[[nodiscard]] Prompt filing_prompt(const Document& document, const std::string& guidance,
                                   const Taxonomy& taxonomy);

// Reads the JSON object in an answer, also out of a ```json fence. A collection that is not in the
// taxonomy, a confidence that is no number from 0 to 1, no JSON: Cure::retry, step "answer", with
// the beginning of the answer in the hint. Alternatives and terms that make no sense are left
// out.
[[nodiscard]] Result<Advice> advice_of(std::string_view answer, const Taxonomy& taxonomy);

}  // namespace tidemill::docs
