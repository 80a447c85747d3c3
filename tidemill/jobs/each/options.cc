#include "tidemill/jobs/each/options.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::each {
namespace {

using command::misuse;

Result<std::vector<ExitRule>> rules_of(const command::Values& values, std::string_view flag) {
  std::vector<ExitRule> all;
  for (const std::string& text : values.texts(flag)) {
    auto rules = ending_rules(text);
    if (!rules) {
      Failure wrong = std::move(rules).error();
      wrong.reason = "--" + std::string(flag) + ": " + wrong.reason;
      wrong.subject = flag;
      return std::unexpected(std::move(wrong));
    }
    all.insert(all.end(), rules->begin(), rules->end());
  }
  return all;
}

// The flags about failures: when to retry, when to stop the run.
Result<void> read_failing(const command::Values& values, EachOptions& options) {
  options.timeout = values.duration("timeout").value_or(std::chrono::milliseconds(0));
  options.grace = values.duration_of("grace");
  LET(options.verdict.retry_on, rules_of(values, "retry-on"));
  LET(options.verdict.permanent_on, rules_of(values, "permanent-on"));
  options.verdict.timeout = options.timeout;
  options.retry.max_attempts = static_cast<int>(values.count_of("attempts"));
  options.retry.first_delay = values.duration_of("backoff");
  LET(options.halt, HaltRule::parse(values.text("halt")));
  options.halt.max_letters = values.count_of("max-failures");
  return {};
}

Result<void> read_command(const command::Values& values, EachOptions& options) {
  options.command = values.argument("COMMAND");
  options.shell = values.is_on("shell");
  options.dry_run = values.is_on("dry-run");
  for (const std::string report : {"json", "jsonl"}) {
    if (!options.dry_run || !values.is_on(report)) continue;
    return misuse("--dry-run cannot be used with --" + report, "omit --" + report);
  }
  if (options.command.empty() || options.command.front().empty()) {
    return misuse("no command given",
                  "write the command after --, as in: tidemill each photos -- md5sum {}");
  }
  if (options.shell && options.command.size() != 1) {
    return misuse("--shell takes one argument: the script",
                  "quote the script: --shell -- 'gzip -k \"$1\" && touch done'");
  }
  return {};
}

}  // namespace

Result<EachOptions> options_of(const command::Values& values) {
  EachOptions options;
  LET(options.files, jobs::source_of(values));
  TRY(read_command(values, options));
  const auto cpus = std::max(1U, std::thread::hardware_concurrency());
  const auto jobs = values.count_of("jobs");
  options.workers = static_cast<std::size_t>(jobs > 0 ? jobs : cpus);
  options.rate = values.rate("rate");
  TRY(read_failing(values, options));
  options.keep_order = values.is_on("keep-order");
  options.tag = values.is_on("tag");
  options.results = values.text("results");
  options.keep_output = values.size_of("keep-output");
  if (values.is_on("json") && values.is_on("jsonl")) {
    return misuse("--json cannot be used with --jsonl",
                  "use --jsonl; its last line is the summary");
  }
  if (values.is_on("json")) options.report = EachOutput::json;
  if (values.is_on("jsonl")) options.report = EachOutput::jsonl;
  return options;
}

}  // namespace tidemill::each
