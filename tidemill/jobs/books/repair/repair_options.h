// RepairOptions: the validated, typed options of `tidemill books repair`, and the description of
// the verb.
#pragma once

#include <set>
#include <string>

#include "tidemill/formats/epub/rules/rules.h"
#include "tidemill/jobs/books/options.h"

namespace tidemill::books {

struct RepairOptions {
  WorkOptions work{};
  epub::Repairability tier = epub::Repairability::safe;
  std::set<std::string> asked{};    // fixers of the tier `ask` that are enabled (--fix)
  std::set<std::string> refused{};  // fixers that are disabled (--no-fix)
  bool apply = false;
  std::string output{};   // a folder for the repaired books; empty: in place
  std::string backups{};  // a folder for the old ones; empty: beside them
  bool has_backup = true;
  bool has_json = false;
  bool has_lines = false;
  bool has_diffs = true;
  bool shows_declined = false;
  bool has_cache = true;
  std::string cache{};
  bool again = false;
};

[[nodiscard]] command::Verb repair_verb();
[[nodiscard]] Result<RepairOptions> repair_options_of(const command::Values& values);

}  // namespace tidemill::books
