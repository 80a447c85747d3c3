// Generates manual pages in the man(7) language from the description, one for the program and one
// per verb. The same description and date give the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/ui/command/verb.h"

namespace tidemill::command {

struct ManPage {
  std::string file{};  // "tidemill-each.1"
  std::string text{};
};

// `date` has the form 2026-01-31 and is inserted unchanged.
[[nodiscard]] ManPage man_page(const Program& program, const Verb* verb, std::string_view date);
[[nodiscard]] std::vector<ManPage> man_pages(const Program& program, std::string_view date);

// Escapes text for a line of a page: nothing in it is read as a request, an escape or a hyphen.
[[nodiscard]] std::string roff(std::string_view text);

}  // namespace tidemill::command
