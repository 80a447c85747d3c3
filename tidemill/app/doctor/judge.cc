#include "tidemill/app/doctor/judge.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::app {
namespace {

using namespace std::chrono_literals;
using text::count_text;
using text::printable;

// The producer pipelines its requests, so latency costs little below this.
constexpr std::chrono::nanoseconds kFarAway = 50ms;

constexpr std::size_t kMostNamed = 3;

bool is_utf8(std::string_view locale) {
  std::string lower;
  for (const char c : locale) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower.ends_with("utf-8") || lower.ends_with("utf8") || lower.contains("utf-8@") ||
         lower.contains("utf8@");
}

// "7.0.15" as {7, 0}.
std::pair<int, int> version_of(std::string_view text) {
  std::pair<int, int> version;
  const auto* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.first);
  if (major.ptr != end && *major.ptr == '.') {
    std::from_chars(major.ptr + 1, end, version.second);
  }
  return version;
}

DoctorFinding judge_version(const RedisFacts& redis) {
  DoctorFinding finding{.check = "redis", .facts = {{"server", redis.server}}};
  finding.found = fmt::format("{}, version {}, answers in {}", printable(redis.server),
                              redis.version.empty() ? "unknown" : printable(redis.version),
                              latency_text(redis.latency));
  finding.facts.emplace_back("latencySeconds",
                             std::chrono::duration<double>(redis.latency).count());
  if (!redis.version.empty()) finding.facts.emplace_back("version", redis.version);
  const auto version = version_of(redis.version);
  if (redis.version.empty()) {
    finding.level = CheckLevel::note;
    finding.advice = "use version 6.2 or later; tested with 7.0";
  } else if (version < std::pair(6, 2)) {
    finding.level = CheckLevel::error;
    finding.found += ": too old, 6.2 or later is needed";
    finding.advice = "upgrade the server, to 7.0 or later if you can";
  } else if (version < std::pair(7, 0)) {
    finding.level = CheckLevel::note;
    finding.found += ": older than the versions that are tested";
    finding.advice = "use 7.0 or later if you can";
  }
  if (redis.latency >= kFarAway && finding.level != CheckLevel::error) {
    finding.level = CheckLevel::warning;
    finding.found += ": slow network or busy server";
    finding.advice =
        "run tidemill closer to the server, or check what is keeping it busy (SLOWLOG GET)";
  }
  return finding;
}

bool is_eviction(std::string_view worry) { return worry.starts_with("maxmemory-policy"); }

DoctorFinding judge_problem(const RedisFacts& redis, const Failure& problem) {
  DoctorFinding finding{.check = "redis",
                        .level = CheckLevel::error,
                        .found = printable(problem.reason),  // names the server if there is one
                        .advice = problem.hint,
                        .facts = {{"server", redis.server}}};
  if (redis.server.empty()) {
    finding.advice = "fix REDIS_URL, or unset it";
  } else if (finding.advice.empty()) {
    finding.advice =
        "check that it is running and reachable; --redis URL or REDIS_URL select the server";
  }
  return finding;
}

DoctorFinding judge_worry(const std::string& worry, bool is_for_fleet) {
  const bool is_policy = is_eviction(worry);
  return {.check = "redis",
          .level = CheckLevel::warning,
          .found = is_policy && is_for_fleet
                       ? printable(worry.substr(0, worry.find(':'))) +
                             ": when its memory is full, the server removes parcels, and their "
                             "tasks run again"
                       : printable(worry),
          .advice = is_policy
                        ? "run CONFIG SET maxmemory-policy noeviction, and set it in redis.conf"
                        : "set appendonly yes and appendfsync everysec in redis.conf"};
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (i > 0 ? ", " : "") + printable(names[i]);
  }
  if (names.size() > kMostNamed) text += ", …";
  return text;
}

std::string latency_text(std::chrono::nanoseconds time) {
  if (time < 1us) return "below 1 us";
  return time < 1ms ? fmt::format("{} us", time / 1us)
                    : fmt::format("{:.1f} ms", static_cast<double>(time.count()) / 1e6);
}

std::vector<DoctorFinding> judge(const MachineFacts& facts) {
  std::vector<DoctorFinding> findings = {judge_state(facts.state),
                                         judge_file_system(facts.state),
                                         judge_syncs(facts.state),
                                         judge_space(facts.state),
                                         judge_temporary(facts.temporary),
                                         judge_open_files(facts.limits),
                                         judge_processes(facts.limits),
                                         judge_file_size(facts.limits),
                                         judge_memory(facts.memory, facts.limits.cpus),
                                         judge_sandbox(facts.sandbox),
                                         judge_tokens(facts.parts),
                                         judge_epubcheck(facts.parts),
                                         judge_terminal(facts.screen),
                                         judge_locale(facts.screen),
                                         judge_config(facts.config),
                                         judge_runs(facts.runs)};
  if (facts.redis) {
    std::ranges::move(judge_redis(*facts.redis, facts.fleet.has_value()),
                      std::back_inserter(findings));
  }
  if (facts.fleet) std::ranges::move(judge_fleet(*facts.fleet), std::back_inserter(findings));
  return findings;
}

DoctorFinding judge_sandbox(const SandboxFacts& sandbox) {
  DoctorFinding finding{.check = "sandbox"};
  if (!sandbox) {
    finding.level = CheckLevel::error;
    finding.found = "books cannot sandbox its workers: " + printable(text_of(sandbox.error()));
    finding.advice = "allow seccomp filters and new processes; containers may forbid both";
    return finding;
  }
  finding.facts = {{"landlock", sandbox->has_landlock},
                   {"callList", sandbox->has_call_list},
                   {"memoryLimit", sandbox->has_memory_limit}};
  finding.found = "books reads files in sandboxed processes: seccomp";
  if (sandbox->has_landlock) finding.found += ", Landlock";
  if (!sandbox->has_call_list || !sandbox->has_memory_limit) {
    finding.level = CheckLevel::note;
    finding.found += "; built with a sanitizer, so the sandbox is weaker";
    finding.advice = "do not use this build for untrusted books";
  } else if (!sandbox->has_landlock) {
    finding.level = CheckLevel::note;
    finding.found +=
        "; this kernel does not have or allow Landlock, so seccomp alone blocks access to the "
        "file system";
  }
  return finding;
}

DoctorFinding judge_tokens(const PartFacts& parts) {
  DoctorFinding finding{
      .check = "tokens", .found = printable(parts.tables), .facts = {{"path", parts.tables}}};
  if (parts.missing.empty()) return finding;
  finding.level = CheckLevel::warning;
  finding.found += ": missing or unreadable: " + listed(parts.missing) +
                   "; without them tokens and batch can use bytes/4 or a tokenizer.json";
  finding.advice =
      "install the program with its share folder, or set TIDEMILL_TOKENS to the folder of the "
      "tables";
  return finding;
}

DoctorFinding judge_epubcheck(const PartFacts& parts) {
  if (parts.epubcheck) {
    return {.check = "epubcheck",
            .found = printable(*parts.epubcheck),
            .facts = {{"jar", *parts.epubcheck}}};
  }
  const Failure& problem = parts.epubcheck.error();
  return {
      .check = "epubcheck",
      .level = CheckLevel::note,
      .found = printable(problem.reason) + "; needed only for books --checker epubcheck or both",
      .advice = problem.hint};
}

DoctorFinding judge_terminal(const ScreenFacts& screen) {
  DoctorFinding finding{.check = "terminal",
                        .facts = {{"standardOutput", screen.is_out_tty},
                                  {"standardError", screen.is_err_tty},
                                  {"colour", screen.has_colour},
                                  {"term", screen.term}}};
  if (!screen.is_out_tty && !screen.is_err_tty) {
    finding.found = "none: plain text, one line per progress report";
    return finding;
  }
  finding.found = fmt::format(
      "{}, {}x{}, {}", screen.term.empty() ? "TERM is not set" : printable(screen.term),
      screen.size.width, screen.size.height, screen.has_colour ? "colours" : "no colours");
  finding.facts.emplace_back("width", std::uint64_t{screen.size.width});
  finding.facts.emplace_back("height", std::uint64_t{screen.size.height});
  if (!screen.is_out_tty) finding.found += ", standard output is redirected";
  if (!screen.is_err_tty) finding.found += ", standard error is redirected: no progress bar";
  if (screen.term.empty() || screen.term == "dumb") {
    finding.level = CheckLevel::note;
    finding.found += "; no progress bar and no --screen";
    finding.advice = "set TERM to the type of the terminal, such as xterm-256color";
  } else if (!screen.no_screen.empty()) {
    finding.level = CheckLevel::note;
    finding.found += "; " + printable(screen.no_screen);
    finding.advice = "install its terminfo entry (ncurses-term), or set TERM to a known type";
  }
  return finding;
}

DoctorFinding judge_locale(const ScreenFacts& screen) {
  DoctorFinding finding{.check = "locale",
                        .found = screen.locale.empty() ? "none" : printable(screen.locale),
                        .facts = {{"locale", screen.locale}, {"utf8", is_utf8(screen.locale)}}};
  if (is_utf8(screen.locale)) return finding;
  finding.level = screen.is_out_tty || screen.is_err_tty ? CheckLevel::note : CheckLevel::ok;
  finding.found += "; tidemill writes UTF-8 in every locale";
  if (finding.level == CheckLevel::note) {
    finding.advice = "if names look wrong, set LC_ALL=C.UTF-8 and use a UTF-8 terminal";
  }
  return finding;
}

DoctorFinding judge_config(const ConfigFacts& config) {
  DoctorFinding finding{.check = "config"};
  if (config.found.empty()) {
    finding.found = "none; searched " + listed(config.looked);
    return finding;
  }
  finding.found = "valid: " + listed(config.found);
  finding.facts = {{"files", std::uint64_t{config.found.size()}}, {"path", config.found.back()}};
  return finding;
}

DoctorFinding judge_runs(const RunFacts& runs) {
  DoctorFinding finding{.check = "runs"};
  if (runs.problem) {
    finding.level = CheckLevel::error;
    finding.found = printable(text_of(*runs.problem));
    finding.advice = "make the state folder readable for this user";
    return finding;
  }
  finding.found = runs.all == 0 ? "none yet" : count_text(runs.all) + " stored";
  finding.facts = {{"runs", runs.all},
                   {"looked", runs.seen},
                   {"unfinished", std::uint64_t{runs.unfinished.size()}},
                   {"unreadable", std::uint64_t{runs.unreadable.size()}}};
  if (runs.seen < runs.all) {
    finding.found += runs.seen == 0
                         ? ", not checked: the limit on file size is too low (see file-size)"
                         : fmt::format(", newest {} checked", count_text(runs.seen));
  }
  if (!runs.unfinished.empty()) {
    finding.level = CheckLevel::note;
    finding.found += fmt::format("; {} unfinished: {}", count_text(runs.unfinished.size()),
                                 listed(runs.unfinished));
    finding.advice = "list them with tidemill runs, continue one with tidemill resume RUN";
  }
  if (!runs.unreadable.empty()) {
    finding.level = CheckLevel::warning;
    finding.found += fmt::format("; {} unreadable: {}", count_text(runs.unreadable.size()),
                                 listed(runs.unreadable));
    finding.advice = "find out why with tidemill check RUN, remove one with tidemill forget RUN";
  }
  return finding;
}

std::vector<DoctorFinding> judge_redis(const RedisFacts& redis, bool is_for_fleet) {
  if (redis.problem) return {judge_problem(redis, *redis.problem)};
  std::vector<DoctorFinding> findings = {judge_version(redis)};
  for (const std::string& worry : redis.worries) {
    if (is_for_fleet && !is_eviction(worry)) continue;
    findings.push_back(judge_worry(worry, is_for_fleet));
  }
  return findings;
}

}  // namespace tidemill::app
