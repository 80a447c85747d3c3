// Counts the rows of a table by walking its B-tree from the root and reading only the header of
// each leaf. Costs a fraction of SELECT count(*), which reads complete pages.
//
// The file is not trusted: a page that does not belong to a table, a page number beyond the file,
// or more pages than the file has are a Failure with step "count". The order of the tree is not
// checked: use PRAGMA integrity_check for that.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/result.h"

namespace tidemill::sqlite_pages {

// The database must not be written to meanwhile, and must not have a WAL or journal file.
[[nodiscard]] Result<std::uint64_t> count_rows(const std::string& path, std::uint32_t root);

}  // namespace tidemill::sqlite_pages
