#include "tidemill/ui/cli/run_text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <utility>

#include <fmt/core.h>

#include "tidemill/formats/text/columns.h"
#include "tidemill/formats/text/shell.h"
#include "tidemill/ui/command/lookup.h"

namespace tidemill::cli {
namespace {

std::string formatted(const std::tm& parts, const char* format) {
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

// Rounded down, also for times before 1970.
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

bool is_one_of(std::string_view word, std::span<const command::Flag> flags) {
  return std::ranges::any_of(flags, [&](const command::Flag& flag) {
    return word == "--" + flag.name || word.starts_with("--" + flag.name + "=");
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
  bool is_flag = true;  // until "--"
  for (const std::string& word : command::with_first_names(card.arguments, verb->flags)) {
    is_flag = is_flag && word != "--";
    if (is_flag && (is_default(word, verb->flags) || is_default(word, program.flags))) continue;
    chosen.push_back(word);
  }
  return chosen;
}

std::string command_text(const run::RunCard& card, const command::Program& program,
                         std::optional<std::size_t> width) {
  std::vector<std::string> words = {card.job};
  std::vector<std::string> without_flags = words;
  bool may_be_flag = true;  // until "--"
  for (std::string& word : chosen_arguments(card, program)) {
    may_be_flag = may_be_flag && word != "--";
    if (may_be_flag && is_one_of(word, program.flags)) continue;
    if (!may_be_flag || !word.starts_with("--")) without_flags.push_back(word);
    words.push_back(std::move(word));
  }
  std::string text = text::shell_line(words);
  if (!width || text::columns(text) <= *width) return text;
  text = text::shell_line(without_flags);
  if (words.size() > without_flags.size()) text += " …";
  return cut_text(text, *width);
}

std::string cut_text(std::string_view text, std::size_t width) {
  if (text::columns(text) <= width) return std::string(text);
  std::size_t kept = 0;
  for (std::size_t next = 0; next < text.size() && width > 0;) {
    ++next;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U) ++next;
    if (text::columns(text.substr(0, next)) >= width) break;
    kept = next;
  }
  return std::string(text.substr(0, kept)) + (width > 0 ? "…" : "");
}

std::string age_text(WallTime then, WallTime now) {
  using std::chrono::days;
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  const auto age = std::max(now - then, WallTime::duration::zero());
  if (age < minutes(1)) return fmt::format("{}s", age / seconds(1));
  if (age < hours(1)) return fmt::format("{}m", age / minutes(1));
  if (age < days(1)) return fmt::format("{}h", age / hours(1));
  if (age < days(2 * 365)) return fmt::format("{}d", age / days(1));
  return fmt::format("{}y", age / days(365));
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
