// books rules: every rule by which books are judged, and every fixer that mends them, as a table,
// one whole, for machines, or as docs/rules.md. All of it comes from the tables in
// tidemill/formats/epub.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/desk.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::books {

[[nodiscard]] command::Verb describe_books_rules();
// Fails with kind usage when a rule is named that is not there.
[[nodiscard]] Result<int> run_books_rules(cli::Desk& desk);

}  // namespace tidemill::books
