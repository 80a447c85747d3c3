// Prompts: what an assistant is asked, in plain English. What comes from documents stands between
// two equal lines that occur nowhere in it, and the assistant is told that all of it is data.
// Always valid UTF-8, and bounded: a document gives at most kMostText bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/jobs/docs/server/assistant.h"
#include "tidemill/jobs/docs/server/outline.h"

namespace tidemill::docs {

// Title and text of a document (and what else was found), between the two lines.
[[nodiscard]] std::string fenced(const Document& document, const std::vector<Hit>& hits = {});
// Said in every system text.
[[nodiscard]] std::string_view only_data();

[[nodiscard]] Prompt question_prompt(const std::string& question, const Document& document,
                                     const std::vector<Hit>& hits);
[[nodiscard]] Prompt summary_prompt(const Document& document);
[[nodiscard]] Prompt title_prompt(const Document& document);

}  // namespace tidemill::docs
