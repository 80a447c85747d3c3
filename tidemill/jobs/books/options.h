// Options: what `tidemill books check` was asked to do, checked and typed; and the description of
// the verb.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/jobs/books/judge/filter.h"
#include "tidemill/jobs/tasks/file_source.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::books {

enum class Checker : std::uint8_t { tidemill, epubcheck, both };
enum class Report : std::uint8_t { text, json, jsonl, markdown, html, junit, sarif };

// Which books, and how they are worked on: what check and repair have in common. The defaults of
// flags are not here: they stand in the descriptions of the flags.
struct WorkOptions {
  std::vector<std::string> roots{};
  std::string files_from{};  // a list of books instead of roots; "-": standard input
  bool is_nul_separated = false;
  std::vector<std::string> globs{};
  std::vector<std::string> excludes{};
  bool allow_empty = false;
  bool no_hidden = false;

  std::size_t workers = 1;
  std::size_t queue = 0;  // books found and not yet settled; 0: by the number of workers
  std::chrono::milliseconds timeout{};   // for one book
  Bytes memory{};                        // for one book
  std::chrono::milliseconds interval{};  // between two looks at the progress
  epub::Profile profile = epub::Profile::none;
};

struct CheckOptions {
  WorkOptions work{};
  Checker checker = Checker::tidemill;
  std::string epubcheck{};  // the jar; empty: where it is looked for
  Filter filter{};
  epub::Severity fail_on = epub::Severity::error;
  bool never_fail = false;
  Report report = Report::text;
  std::string output{};  // a file; empty: standard output
  bool by_rule = false;  // text: grouped by rule instead of by book
  bool again = false;    // check what is unchanged, too
  bool has_shelf = true;
  std::string shelf{};  // its file; empty: the usual place
};

// What check and repair have in common: which books and how, reports for machines, the shelf.
[[nodiscard]] std::vector<command::Flag> work_flags();
[[nodiscard]] std::vector<command::Flag> lines_flags(const std::string& group);
[[nodiscard]] std::vector<command::Flag> shelf_flags(const std::string& group,
                                                     const std::string& usual);
// Where names are read from when there is a list.
[[nodiscard]] jobs::FileSource list_of(const WorkOptions& options);
[[nodiscard]] Result<WorkOptions> work_options_of(const command::Values& values);

[[nodiscard]] command::Verb check_verb();
[[nodiscard]] Result<CheckOptions> check_options_of(const command::Values& values);

}  // namespace tidemill::books
