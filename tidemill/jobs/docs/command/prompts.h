// Makes the prompts for the assistant, in plain English. Text from documents is enclosed in two
// equal lines that do not occur in it, and the prompt says that all of it is data. Prompts are
// valid UTF-8 and bounded: a document contributes at most kMostText bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/docs/server/assistant.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

// Title and text of a document (and search hits), between the two lines.
[[nodiscard]] std::string fenced(const OutlineDocument& document,
                                 const std::vector<Hit>& hits = {});
// The sentence in every system text that says so.
[[nodiscard]] std::string_view only_data();

[[nodiscard]] Prompt question_prompt(const std::string& question, const OutlineDocument& document,
                                     const std::vector<Hit>& hits);
[[nodiscard]] Prompt summary_prompt(const OutlineDocument& document);
[[nodiscard]] Prompt title_prompt(const OutlineDocument& document);

}  // namespace tidemill::docs
