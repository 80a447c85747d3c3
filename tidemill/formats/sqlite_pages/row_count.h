// How many rows a table has, counted by its leaves: from the root down, as a reader would, but of a
// leaf only the header is read. A fraction of what SELECT count(*) costs, which reads whole pages.
//
// It trusts nothing it reads: a page that is no part of a table, a number beyond the file, or more
// pages than the file has are a Failure with step "count". Whether the tree is in order is for
// PRAGMA integrity_check to say.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/base/result.h"

namespace tidemill::sqlite_pages {

// Of a database in a file that nobody writes to and that has no log beside it.
[[nodiscard]] Result<std::uint64_t> count_rows(const std::string& path, std::uint32_t root);

}  // namespace tidemill::sqlite_pages
