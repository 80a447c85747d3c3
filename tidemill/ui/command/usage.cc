#include "tidemill/ui/command/usage.h"

#include <utility>

#include "tidemill/formats/text/printable.h"

namespace tidemill::command {

namespace {

// "jobs" of "--jobs: …"; empty if the message does not begin with a flag.
std::string flag_in_front(std::string_view message) {
  if (!message.starts_with("--")) return {};
  message.remove_prefix(2);
  return std::string(message.substr(0, message.find_first_of(" :")));
}

}  // namespace

std::string in_quotes(std::string_view text) { return "'" + text::printable(text) + "'"; }

std::unexpected<Failure> misuse(std::string reason, std::string hint) {
  std::string flag = flag_in_front(reason);
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .kind = FailureKind::usage,
                                 .step = "usage",
                                 .reason = std::move(reason),
                                 .hint = std::move(hint),
                                 .subject = std::move(flag)});
}

std::string did_you_mean(std::string_view name) {
  return name.empty() ? "" : "did you mean " + std::string(name) + "? ";
}

}  // namespace tidemill::command
