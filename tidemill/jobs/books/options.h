// CheckOptions: the validated, typed options of `tidemill books check`, and the description of the
// verb. WorkOptions and its flags are shared with `books repair`.
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

enum class CheckerChoice : std::uint8_t { tidemill, epubcheck, both };
enum class BooksOutput : std::uint8_t { text, json, jsonl, markdown, html, junit, sarif };

// Which books to process and how: the options that check and repair share. The defaults of the
// flags are in the flag descriptions, not here.
struct WorkOptions {
  std::vector<std::string> roots{};
  std::string files_from{};  // a list of books instead of roots; "-": standard input
  bool is_nul_separated = false;
  std::vector<std::string> globs{};
  std::vector<std::string> excludes{};
  bool allow_empty = false;
  bool no_hidden = false;

  std::size_t workers = 1;
  std::size_t queue = 0;  // limit of books found but not settled; 0: by the number of workers
  std::chrono::milliseconds timeout{};   // for one book
  Bytes memory{};                        // for one book
  std::chrono::milliseconds interval{};  // between two progress updates
  epub::Profile profile = epub::Profile::none;
};

struct CheckOptions {
  WorkOptions work{};
  CheckerChoice checker = CheckerChoice::tidemill;
  std::string epubcheck{};  // path of the jar; empty: search the usual places
  Filter filter{};
  epub::Severity fail_on = epub::Severity::error;
  bool never_fail = false;
  BooksOutput report = BooksOutput::text;
  std::string output{};  // a file; empty: standard output
  bool by_rule = false;  // text: grouped by rule instead of by book
  bool again = false;    // check unchanged books, too
  bool has_cache = true;
  std::string cache{};  // path of the cache file; empty: the default
};

// The flags that check and repair share: which books and how, machine-readable reports, the cache.
[[nodiscard]] std::vector<command::Flag> work_flags();
[[nodiscard]] std::vector<command::Flag> lines_flags(const std::string& group);
[[nodiscard]] std::vector<command::Flag> cache_flags(const std::string& group,
                                                     const std::string& usual);
// Where the names of a list (--files-from) are read from.
[[nodiscard]] jobs::FileSource list_of(const WorkOptions& options);
[[nodiscard]] Result<WorkOptions> work_options_of(const command::Values& values);

[[nodiscard]] command::Verb check_verb();
[[nodiscard]] Result<CheckOptions> check_options_of(const command::Values& values);

}  // namespace tidemill::books
