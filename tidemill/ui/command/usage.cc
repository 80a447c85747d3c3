#include "tidemill/ui/command/usage.h"

#include <utility>

#include "tidemill/formats/text/printable.h"

namespace tidemill::command {

std::string in_quotes(std::string_view text) { return "'" + text::printable(text) + "'"; }

std::unexpected<Failure> misuse(std::string reason, std::string hint) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .step = "usage",
                                 .reason = std::move(reason),
                                 .hint = std::move(hint)});
}

std::string did_you_mean(std::string_view name) {
  return name.empty() ? "" : "did you mean " + std::string(name) + "? ";
}

}  // namespace tidemill::command
