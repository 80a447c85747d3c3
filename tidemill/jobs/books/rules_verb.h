// `books rules`: lists every rule and every fixer as a table, shows one in full, or prints them as
// JSON or as docs/rules.md. Everything comes from the tables in tidemill/formats/epub.
#pragma once

#include "tidemill/base/result.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::books {

[[nodiscard]] command::Verb describe_books_rules();
// Fails with kind usage when a named rule does not exist.
[[nodiscard]] Result<int> run_books_rules(cli::CliContext& cli);

}  // namespace tidemill::books
