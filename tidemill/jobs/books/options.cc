#include "tidemill/jobs/books/options.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::books {
namespace {

using command::misuse;
using epub::Profile;
using epub::Severity;

template <class Value, std::size_t N>
Value chosen(const std::array<std::pair<std::string_view, Value>, N>& table,
             const std::string& name) {
  const auto* found = std::ranges::find(table, name, &std::pair<std::string_view, Value>::first);
  return found == table.end() ? table.front().second : found->second;
}

Profile profile_named(const std::string& name) {
  using Row = std::pair<std::string_view, Profile>;
  static constexpr std::array kTable = {
      Row("default", Profile::none), Row("dict", Profile::dictionary),
      Row("edupub", Profile::education), Row("idx", Profile::index),
      Row("preview", Profile::preview)};
  return chosen(kTable, name);
}

Severity severity_named(const std::string& name) {
  using Row = std::pair<std::string_view, Severity>;
  static constexpr std::array kTable = {
      Row("usage", Severity::usage), Row("info", Severity::info), Row("warning", Severity::warning),
      Row("error", Severity::error), Row("fatal", Severity::fatal)};
  return chosen(kTable, name);
}

CheckerChoice checker_named(const std::string& name) {
  using Row = std::pair<std::string_view, CheckerChoice>;
  static constexpr std::array kTable = {Row("tidemill", CheckerChoice::tidemill),
                                        Row("epubcheck", CheckerChoice::epubcheck),
                                        Row("both", CheckerChoice::both)};
  return chosen(kTable, name);
}

Result<BooksOutput> report_of(const command::Values& values) {
  using Row = std::pair<std::string_view, BooksOutput>;
  static constexpr std::array kTable = {
      Row("text", BooksOutput::text), Row("markdown", BooksOutput::markdown),
      Row("html", BooksOutput::html), Row("junit", BooksOutput::junit),
      Row("sarif", BooksOutput::sarif)};
  const BooksOutput format = chosen(kTable, values.text("format"));
  const bool is_json = values.is_on("json");
  const bool is_jsonl = values.is_on("jsonl");
  if ((is_json ? 1 : 0) + (is_jsonl ? 1 : 0) + (format != BooksOutput::text ? 1 : 0) > 1) {
    return misuse("only one of --json, --jsonl and --format can be used");
  }
  if (is_json) return BooksOutput::json;
  return is_jsonl ? BooksOutput::jsonl : format;
}

Result<Filter> filter_of(const command::Values& values, BooksOutput report) {
  Filter filter;
  for (const std::string& text : values.texts("severity")) TRY(filter.regrade(text));
  for (const std::string& text : values.texts("ignore")) TRY(filter.ignore(text));
  const bool is_for_people =
      report == BooksOutput::text || report == BooksOutput::markdown || report == BooksOutput::html;
  const Severity least = is_for_people ? Severity::warning : Severity::usage;
  filter.show_from(values.has("min-severity") ? severity_named(values.text("min-severity"))
                                              : least);
  return filter;
}

// Books come from folders or from a list.
Result<void> check_list(const WorkOptions& options) {
  if (options.files_from.empty()) {
    if (options.is_nul_separated) return misuse("-0 needs --files-from", "add --files-from -");
    if (!options.roots.empty()) return {};
    return misuse("missing PATH: folders to search, or single books",
                  "name a folder, or use --files-from FILE");
  }
  if (!options.roots.empty()) {
    return misuse("--files-from cannot be used with PATH", "use one of them");
  }
  if (!options.globs.empty() || !options.excludes.empty() || options.no_hidden) {
    return misuse("--files-from cannot be used with --glob, --exclude or --no-hidden",
                  "filter the list itself");
  }
  return {};
}

}  // namespace

Result<WorkOptions> work_options_of(const command::Values& values) {
  WorkOptions options;
  options.roots = values.argument("PATH");
  options.files_from = values.text("files-from");
  options.is_nul_separated = values.is_on("null");
  options.globs = values.texts("glob");
  options.excludes = values.texts("exclude");
  options.no_hidden = values.is_on("no-hidden");
  options.allow_empty = values.is_on("allow-empty");
  options.workers = values.count_of("jobs");
  if (options.workers == 0) options.workers = std::max(1U, std::thread::hardware_concurrency());
  options.queue = values.count("queue").value_or(0);
  options.timeout = values.duration_of("timeout");
  options.memory = values.size_of("memory");
  options.interval = values.duration_of("progress-interval");
  options.profile = profile_named(values.text("profile"));
  TRY(check_list(options));
  return options;
}

jobs::FileSource list_of(const WorkOptions& options) {
  return {.files_from = options.files_from, .is_nul_separated = options.is_nul_separated};
}

Result<CheckOptions> check_options_of(const command::Values& values) {
  CheckOptions options;
  LET(options.work, work_options_of(values));
  LET(options.report, report_of(values));
  LET(options.filter, filter_of(values, options.report));
  options.checker = checker_named(values.text("checker"));
  options.epubcheck = values.text("epubcheck");
  options.never_fail = values.text("fail-on") == "never";
  options.fail_on = severity_named(options.never_fail ? "fatal" : values.text("fail-on"));
  options.output = values.text("output");
  options.by_rule = values.is_on("by-rule");
  options.again = values.is_on("again");
  options.has_cache = !values.is_on("no-cache");
  options.cache = values.text("cache");
  if (!options.has_cache && !options.cache.empty()) {
    return misuse("--cache cannot be used with --no-cache");
  }
  // EPUBCheck may read books below the roots only.
  if (options.checker != CheckerChoice::tidemill && !options.work.files_from.empty()) {
    return misuse("--files-from cannot be used with --checker " + values.text("checker"),
                  "name the folders or the books instead");
  }
  if (options.by_rule && options.report != BooksOutput::text) {
    return misuse("--by-rule is only for the text report");
  }
  return options;
}

}  // namespace tidemill::books
