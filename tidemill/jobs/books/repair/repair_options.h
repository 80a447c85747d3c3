// RepairOptions: what `tidemill books repair` was asked to do, and the description of the verb.
#pragma once

#include <set>
#include <string>

#include "tidemill/formats/epub/rules/rules.h"
#include "tidemill/jobs/books/options.h"

namespace tidemill::books {

struct RepairOptions {
  WorkOptions work{};
  epub::Mend tier = epub::Mend::safe;
  std::set<std::string> asked{};    // fixers that act only when they are named
  std::set<std::string> refused{};  // fixers that must not act
  bool apply = false;
  std::string output{};   // a folder for the mended books; empty: in place
  std::string backups{};  // a folder for the old ones; empty: beside them
  bool has_backup = true;
  bool has_json = false;
  bool has_lines = false;
  bool has_diffs = true;
  bool shows_declined = false;
  bool has_shelf = true;
  std::string shelf{};
  bool again = false;
};

[[nodiscard]] command::Verb repair_verb();
[[nodiscard]] Result<RepairOptions> repair_options_of(const command::Values& values);

}  // namespace tidemill::books
