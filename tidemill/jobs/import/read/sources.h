// Sources: finds the files to import, in the order of reading.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/read/source_file.h"

namespace tidemill::import {

struct SourceFailure {
  std::string path{};
  Failure failure{};
};

// "path: step: reason", with the path once.
[[nodiscard]] std::string text_of(const SourceFailure& failed);

struct SourceList {
  std::vector<SourceFile> files{};        // without tables yet
  std::vector<SourceFailure> failures{};  // unreadable folders, unusable names of a list
};

// The name of a source in the database, independent of the working directory. "-" stays "-".
[[nodiscard]] std::string absolute_name(const std::string& path);

// The files of a folder to import: --glob, or *.jsonl and *.ndjson, compressed or not.
[[nodiscard]] std::vector<std::string> globs_of(const ImportOptions& options);

// A folder is searched for the files of globs_of(), in the byte order of their paths; a named file
// is taken whatever its name; "-" is standard input. A file that is found twice is taken once.
// Fails if a source does not exist, or if no file was found at all. In a list, a name that does not
// exist or is a folder is one of the failures.
[[nodiscard]] Result<SourceList> find_sources(const ImportOptions& options,
                                              const std::stop_token& stop);

}  // namespace tidemill::import
