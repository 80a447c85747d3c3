#include "tidemill/jobs/each/halt.h"

#include <charconv>
#include <cmath>
#include <string>

namespace tidemill::each {
namespace {

std::unexpected<Failure> wrong(std::string_view text) {
  return std::unexpected(Failure{.cure = Cure::give_up,
                                 .kind = FailureKind::usage,
                                 .step = "usage",
                                 .reason = "--halt: '" + std::string(text) + "' is not a rule",
                                 .hint = "use never, soon, now, soon,fail=3 or now,fail=10%",
                                 .subject = "halt"});
}

}  // namespace

Result<HaltRule> HaltRule::parse(std::string_view text) {
  HaltRule rule;
  const auto comma = text.find(',');
  const std::string_view manner = text.substr(0, comma);
  if (manner == "soon") {
    rule.manner = Manner::soon;
  } else if (manner == "now") {
    rule.manner = Manner::now;
  } else if (manner != "never") {
    return wrong(text);
  }
  if (comma == std::string_view::npos) return rule;
  std::string_view limit = text.substr(comma + 1);
  if (rule.manner == Manner::never || !limit.starts_with("fail=")) return wrong(text);
  limit.remove_prefix(5);
  const bool is_percent = limit.ends_with('%');
  if (is_percent) limit.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), value);
  if (error != std::errc() || end != limit.data() + limit.size()) return wrong(text);
  if (is_percent) {
    const bool is_share = value > 0 && value <= 100;  // false for NaN too
    if (!is_share) return wrong(text);
    rule.percent = value;
    return rule;
  }
  const bool is_count = value >= 1 && value <= 1e15 && value == std::floor(value);
  if (!is_count) return wrong(text);
  rule.failures = static_cast<std::uint64_t>(value);
  return rule;
}

HaltRule::Manner HaltRule::decide(std::uint64_t failed, std::uint64_t settled,
                                  std::uint64_t letters) const {
  const bool is_due =
      percent > 0 ? failed >= kFewestForPercent &&
                        static_cast<double>(failed) * 100 > percent * static_cast<double>(settled)
                  : failed >= failures;
  if (manner != Manner::never && is_due) return manner;
  return max_letters > 0 && letters >= max_letters ? Manner::soon : Manner::never;
}

}  // namespace tidemill::each
