// --dry-run: lists the files that would be imported and the table of each. Changes nothing.
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
  std::vector<SourceFailure> failures{};
  std::uint64_t skipped = 0;  // already imported and unchanged
};

[[nodiscard]] Result<ShownImport> plan_import(const ImportOptions& options,
                                              const std::stop_token& stop);

[[nodiscard]] std::string table_of(const ShownImport& shown, std::optional<std::size_t> width);
[[nodiscard]] std::string text_of(const ShownImport& shown, const ImportOptions& options);
[[nodiscard]] std::string json_of(const ShownImport& shown, const ImportOptions& options);

}  // namespace tidemill::import
