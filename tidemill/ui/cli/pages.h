// Reads the tasks or dead letters of a journal page by page: a run may have millions of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/engine/task.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::cli {

inline constexpr std::size_t kPage = 1'000;

// `read(after, limit)` returns a page like Journal::letters(); `visit(page)` may fail and never
// gets an empty page.
template <class Read, class Visit>
[[nodiscard]] Result<void> each_page(const Read& read, const Visit& visit) {
  engine::TaskId after = 0;
  while (true) {
    auto page = read(after, kPage);
    if (!page) return std::unexpected(std::move(page).error());
    if (page->empty()) return {};
    after = page->back().id;
    if (auto visited = visit(*page); !visited) return visited;
    if (page->size() < kPage) return {};
  }
}

// One page of a longer list: only the first has headings, so that they are printed once.
[[nodiscard]] inline std::string rows_of(const term::Table& table, bool is_first) {
  std::string text = table.text(columns_of(1));
  if (!is_first) text.erase(0, text.find('\n') + 1);
  return text;
}

}  // namespace tidemill::cli
