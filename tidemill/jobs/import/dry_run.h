// --dry-run: which files would be imported, and into which tables. Changes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/jobs/import/options.h"
#include "tidemill/jobs/import/read/sources.h"

namespace tidemill::import {

struct ShownImport {
  std::vector<std::pair<std::string, std::string>> files{};  // path, table
  std::vector<FileFailure> failures{};
  std::uint64_t skipped = 0;  // they are in the database as they are
};

[[nodiscard]] Result<ShownImport> plan_import(const Options& options, const std::stop_token& stop);

[[nodiscard]] std::string table_of(const ShownImport& shown, std::optional<std::size_t> width);
[[nodiscard]] std::string text_of(const ShownImport& shown, const Options& options);
[[nodiscard]] std::string json_of(const ShownImport& shown, const Options& options);

}  // namespace tidemill::import
