// Sources: which files are to be imported, in which order.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/read/source_file.h"

namespace tidemill::import {

struct FileFailure {
  std::string path{};
  Failure failure{};
};

// "path: step: reason", with the path once.
[[nodiscard]] std::string text_of(const FileFailure& failed);

struct Sources {
  std::vector<SourceFile> files{};      // without tables yet
  std::vector<FileFailure> failures{};  // folders that cannot be looked through, names of a list
};

// By which the database knows a source, wherever the program was started. "-" stays "-".
[[nodiscard]] std::string absolute_name(const std::string& path);

// Which files of a folder are wanted: --glob, or *.jsonl and *.ndjson, packed or not.
[[nodiscard]] std::vector<std::string> globs_of(const Options& options);

// A folder is walked for *.jsonl and *.ndjson, packed or not (or what --glob says), in the order of
// the bytes of their paths; a file is taken whatever its name is; "-" is standard input. What was
// found twice is taken once. Fails when a source is not there, or when no file was found at all. A
// name of a list that is not there, or is a folder's, is one of the failures.
[[nodiscard]] Result<Sources> find_sources(const Options& options, const std::stop_token& stop);

}  // namespace tidemill::import
