#include "tidemill/ui/cli/run_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

#include <fmt/core.h>

#include "tidemill/formats/text/printable.h"

namespace tidemill::cli {
namespace {

std::string formatted(const std::tm& parts, const char* format) {
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

// Of the second before, also for times before 1970.
std::time_t seconds_of(WallTime time) {
  return std::chrono::system_clock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
}

std::string local(WallTime time, const char* format) {
  const std::time_t seconds = seconds_of(time);
  std::tm parts{};
  return ::localtime_r(&seconds, &parts) == nullptr ? "?" : formatted(parts, format);
}

std::string utc(WallTime time, const char* format) {
  const std::time_t seconds = seconds_of(time);
  std::tm parts{};
  return ::gmtime_r(&seconds, &parts) == nullptr ? "?" : formatted(parts, format);
}

bool is_default(std::string_view word, std::span<const command::Flag> flags) {
  return std::ranges::any_of(flags, [&](const command::Flag& flag) {
    return !flag.fallback.empty() && word == "--" + flag.name + "=" + flag.fallback;
  });
}

}  // namespace

std::string state_of(std::string_view ending, bool is_held, bool has_work_left) {
  if (ending == run::kRunning && !is_held) return std::string(kCrashed);
  if (ending == run::kComplete && has_work_left) return std::string(kIncomplete);
  return std::string(ending);
}

std::string state_text(const std::string& state, const std::optional<run::LockHolder>& holder) {
  if (state != run::kRunning || !holder || holder->process <= 0) return state;
  return fmt::format("{} (pid {})", state, holder->process);
}

std::vector<std::string> chosen_arguments(const run::RunCard& card,
                                          const command::Program& program) {
  const auto job = std::ranges::find(program.verbs, card.job, &command::Verb::name);
  if (job == program.verbs.end()) return card.arguments;
  const command::Verb* verb = &*job;
  for (const command::Verb& below : job->below) {
    const bool is_it = !card.arguments.empty() && below.name == card.job + " " + card.arguments[0];
    if (is_it) verb = &below;
  }
  std::vector<std::string> chosen;
  bool is_flag = true;  // until the dashes
  for (const std::string& word : card.arguments) {
    is_flag = is_flag && word != "--";
    if (is_flag && (is_default(word, verb->flags) || is_default(word, program.flags))) continue;
    chosen.push_back(word);
  }
  return chosen;
}

std::string local_minute(WallTime time) { return local(time, "%Y-%m-%d %H:%M"); }
std::string local_second(WallTime time) { return local(time, "%Y-%m-%d %H:%M:%S"); }
std::string utc_date(WallTime time) { return utc(time, "%Y-%m-%d"); }

std::string rfc3339(WallTime time) {
  const auto past = time - std::chrono::floor<std::chrono::seconds>(time);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(past).count();
  return utc(time, "%Y-%m-%dT%H:%M:%S") + fmt::format(".{:03}Z", millis);
}

}  // namespace tidemill::cli
