#include "tests/docs/stub/rows.h"

#include <algorithm>
#include <array>

namespace tidemill::docs_stub {
namespace {

struct Row {
  const char* name;
  bool Rows::* on;
  bool is_old_only = false;  // 1.9.2 has it, next does not
};

constexpr std::array kRows = {
    Row{.name = "ids", .on = &Rows::ids},
    Row{.name = "joins", .on = &Rows::joins},
    Row{.name = "escapes", .on = &Rows::escapes},
    Row{.name = "revision", .on = &Rows::revision, .is_old_only = true},
    Row{.name = "live", .on = &Rows::live, .is_old_only = true},
    Row{.name = "filters", .on = &Rows::filters, .is_old_only = true},
    Row{.name = "whole", .on = &Rows::whole},
    Row{.name = "breaks", .on = &Rows::breaks},
    Row{.name = "drafts", .on = &Rows::drafts},
    Row{.name = "limits", .on = &Rows::limits},
    Row{.name = "sizes", .on = &Rows::sizes},
    Row{.name = "created", .on = &Rows::created},
};

}  // namespace

Checked<Rows> rows_of(const std::string& version, const std::string& rows) {
  if (version != "1.9.2" && version != "next") return refuse(400, "--as: no version " + version);
  Rows result;
  result.is_next = version == "next";
  if (rows == "none") return result;
  if (rows == "all") {
    for (const Row& row : kRows) result.*row.on = !row.is_old_only || !result.is_next;
    return result;
  }
  for (std::size_t at = 0; at <= rows.size();) {
    const auto end = std::min(rows.find(',', at), rows.size());
    const std::string name = rows.substr(at, end - at);
    const auto* const row = std::ranges::find(kRows, name, &Row::name);
    if (row == kRows.end()) return refuse(400, "--rows: no row " + name);
    if (row->is_old_only && result.is_next) {
      return refuse(400, "--rows: " + name + " needs --as 1.9.2");
    }
    result.*row->on = true;
    at = end + 1;
  }
  return result;
}

}  // namespace tidemill::docs_stub
