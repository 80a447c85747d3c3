// RunLinks: where the other pages of a run are. A report is one file and has no others: without a
// base, nothing is a link. Immutable, once made.
#pragma once

#include <cstdint>
#include <string>

#include "tidemill/engine/task.h"
#include "tidemill/formats/html/html.h"
#include "tidemill/formats/html/parts.h"

namespace tidemill::pages {

struct RunLinks {
  std::string base{};        // "/run/20261116-0431-each"; empty: no links
  std::string comparison{};  // with the run before; empty: there is none

  [[nodiscard]] bool exist() const { return !base.empty(); }
  [[nodiscard]] std::string failures() const { return base + "/failures"; }
  [[nodiscard]] std::string failures_of(std::int64_t reason) const {
    return failures() + "/" + std::to_string(reason);
  }
  [[nodiscard]] std::string tasks() const { return base + "/tasks"; }
  [[nodiscard]] std::string task(engine::TaskId id) const {
    return base + "/task/" + std::to_string(id);
  }

  // The text as a link, if there are any.
  [[nodiscard]] html::SafeHtml to(const std::string& url, const html::SafeHtml& text) const {
    return exist() ? html::link(url, text) : text;
  }
};

}  // namespace tidemill::pages
