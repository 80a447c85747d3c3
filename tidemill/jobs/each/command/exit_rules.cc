#include "tidemill/jobs/each/command/exit_rules.h"

#include <cctype>
#include <csignal>
#include <cstring>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/core.h>

namespace tidemill::each {
namespace {

constexpr int kTempFail = 75;  // EX_TEMPFAIL of sysexits.h

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> signal_named(std::string_view text) {
  std::string name(text);
  std::ranges::transform(name, name.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  if (name.starts_with("SIG")) name.erase(0, 3);
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    const char* known = ::sigabbrev_np(signal);
    if (known != nullptr && name == known) return signal;
  }
  return std::nullopt;
}

std::optional<ExitRule> rule(std::string_view text) {
  using Kind = ExitRule::Kind;
  if (text == "any") return ExitRule{.kind = Kind::any};
  if (text == "timeout") return ExitRule{.kind = Kind::timeout};
  const auto dash = text.find('-');
  const auto first = number(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(text.substr(dash + 1));
  if (first && last) {
    if (*first < 1 || *first > *last || *last > 255) return std::nullopt;
    return ExitRule{.kind = Kind::status, .first = *first, .last = *last};
  }
  if (const auto signal = signal_named(text)) {
    return ExitRule{.kind = Kind::signal, .first = *signal, .last = *signal};
  }
  return std::nullopt;
}

bool fits_one(const std::vector<ExitRule>& rules, const ProcessEnd& ending) {
  return std::ranges::any_of(rules, [&](const ExitRule& rule) { return rule.fits(ending); });
}

std::string words_of(const ProcessEnd& ending, std::chrono::milliseconds timeout) {
  if (ending.timed_out) {
    return fmt::format("timed out after {} s", static_cast<double>(timeout.count()) / 1'000.0);
  }
  if (ending.signal != 0) return "killed by signal " + name_of_signal(ending.signal);
  return fmt::format("exit status {}", ending.status);
}

}  // namespace

bool ExitRule::fits(const ProcessEnd& ending) const {
  switch (kind) {
    case Kind::any:
      return true;
    case Kind::timeout:
      return ending.timed_out;
    case Kind::signal:
      return !ending.timed_out && ending.signal == first;
    case Kind::status:
      return !ending.timed_out && ending.signal == 0 && ending.status >= first &&
             ending.status <= last;
  }
  return false;
}

Result<std::vector<ExitRule>> ending_rules(std::string_view text) {
  std::vector<ExitRule> rules;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const auto one = rule(word);
    if (!one) {
      return std::unexpected(Failure{
          .cure = Cure::give_up,
          .kind = FailureKind::usage,
          .step = "usage",
          .reason = fmt::format("'{}' is not an exit status, a range or a signal", word),
          .hint = "use a status from 1 to 255, a range like 100-110, KILL, timeout or any"});
    }
    rules.push_back(*one);
  }
  return rules;
}

Result<void> judge(const ProcessEnd& ending, const ExitRules& rules) {
  if (!ending.timed_out && ending.signal == 0 && ending.status == 0) return {};
  const bool is_transient = !fits_one(rules.permanent_on, ending) &&
                            (ending.timed_out || fits_one(rules.retry_on, ending) ||
                             (ending.signal == 0 && ending.status == kTempFail));
  return fail(is_transient ? Cure::retry : Cure::give_up, "command",
              words_of(ending, rules.timeout));
}

std::string name_of_signal(int signal) {
  const char* known = ::sigabbrev_np(signal);
  return known != nullptr ? known : std::to_string(signal);
}

}  // namespace tidemill::each
