// Man: manual pages in the man(7) language, one for the program and one a verb, from the
// description. The same description and date give the same bytes.
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

// `date` as 2026-01-31; it goes into the page as it is.
[[nodiscard]] ManPage man_page(const Program& program, const Verb* verb, std::string_view date);
[[nodiscard]] std::vector<ManPage> man_pages(const Program& program, std::string_view date);

// Text for a line of a page: nothing in it is taken for a request, an escape or a hyphen.
[[nodiscard]] std::string roff(std::string_view text);

}  // namespace tidemill::command
