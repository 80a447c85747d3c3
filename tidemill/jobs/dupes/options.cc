#include "tidemill/jobs/dupes/options.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::dupes {
namespace {

using command::did_you_mean;
using command::in_quotes;
using command::misuse;
using command::nearest;

// The time that is this long ago.
std::optional<std::int64_t> moment(const command::Values& values, std::string_view flag,
                                   WallTime now) {
  const auto age = values.duration(flag);
  if (!age) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::nanoseconds>((now - *age).time_since_epoch())
      .count();
}

// Refuses ranges that no file can match.
Result<void> check_ranges(const DupesOptions& options) {
  if (options.least_size > options.most_size) {
    return misuse("--min-size is larger than --max-size",
                  "use a --min-size that is not larger than --max-size");
  }
  if (options.newer_than_ns && options.older_than_ns &&
      *options.newer_than_ns >= *options.older_than_ns) {
    return misuse("no file can match both --newer-than and --older-than",
                  "use a longer time for --newer-than: --newer-than 30d --older-than 1d");
  }
  return {};
}

// Options for folders, or for the catalogue of a folder, cannot be used with a list of files.
Result<void> check_list(const command::Values& values, const DupesOptions& options) {
  if (options.files_from.empty()) {
    if (!options.is_nul_separated) return {};
    return misuse("-0 needs --files-from", "add --files-from FILE");
  }
  std::string other = options.roots.empty() ? "" : "ROOT";
  for (const char* flag : {"ignore-files", "one-file-system", "hash-all", "between", "folders"}) {
    if (other.empty() && values.is_on(flag)) other = std::string("--") + flag;
  }
  for (const char* flag : {"reference", "memory", "with"}) {
    if (other.empty() && !values.texts(flag).empty()) other = std::string("--") + flag;
  }
  if (!other.empty()) {
    return misuse("--files-from cannot be used with " + other, "remove one of them");
  }
  std::error_code ignored;
  if (!std::filesystem::is_directory(options.files_from, ignored)) return {};
  return misuse("--files-from: " + in_quotes(options.files_from) + " is a folder, not a list",
                "remove --files-from to search the folder");
}

Result<void> read_input(const command::Values& values, WallTime now, DupesOptions& options) {
  options.roots = values.argument("ROOT");
  options.files_from = values.text("files-from");
  options.is_nul_separated = values.is_on("null");
  TRY(check_list(values, options));
  options.references = values.texts("reference");
  options.globs = values.texts("glob");
  options.excludes = values.texts("exclude");
  options.no_hidden = values.is_on("no-hidden");
  options.allow_empty = values.is_on("allow-empty");
  options.ignore_rules = values.is_on("ignore-files");
  options.follow = values.is_on("follow");
  options.one_device = values.is_on("one-file-system");
  options.least_size = values.size_of("min-size").count;
  if (const auto most = values.size("max-size")) options.most_size = most->count;
  options.newer_than_ns = moment(values, "newer-than", now);
  options.older_than_ns = moment(values, "older-than", now);
  TRY(check_ranges(options));
  options.with = values.texts("with");
  options.wanted = values.text("wanted");
  if (!options.wanted.empty() && options.with.empty()) {
    return misuse("--wanted needs the catalogue of another host", "add --with FILE");
  }
  const bool has_none = options.roots.empty() && options.references.empty() &&
                        options.with.empty() && options.files_from.empty();
  if (has_none) {
    options.roots = {"."};
  }
  return {};
}

Result<KeepRule> keep_rule(const std::string& text) {
  constexpr std::string_view kPath = "path:";
  if (text.starts_with(kPath) && text.size() > kPath.size()) {
    return KeepRule{.by = KeepBy::path, .glob = text.substr(kPath.size())};
  }
  constexpr std::pair<std::string_view, KeepBy> kRules[] = {{"oldest", KeepBy::oldest},
                                                            {"newest", KeepBy::newest},
                                                            {"first-root", KeepBy::first_root},
                                                            {"shortest", KeepBy::shortest}};
  for (const auto& [name, by] : kRules) {
    if (text == name) return KeepRule{.by = by};
  }
  static const std::array<std::string, 5> kNames = {"oldest", "newest", "first-root", "shortest",
                                                    "path:GLOB"};
  return misuse("--keep: no such rule: " + in_quotes(text),
                did_you_mean(nearest(text, kNames)) +
                    "use oldest, newest, first-root, shortest or path:GLOB");
}

Result<void> read_action(const std::string& text, DupesOptions& options) {
  constexpr std::string_view kMove = "move:";
  if (text.starts_with(kMove) && text.size() > kMove.size()) {
    options.action = Action::move;
    options.move_to = text.substr(kMove.size());
    return {};
  }
  constexpr std::pair<std::string_view, Action> kActions[] = {{"", Action::none},
                                                              {"hardlink", Action::hardlink},
                                                              {"reflink", Action::reflink},
                                                              {"delete", Action::remove},
                                                              {"script", Action::script}};
  for (const auto& [name, action] : kActions) {
    if (text != name) continue;
    options.action = action;
    return {};
  }
  if (text == "move" || text == kMove) {
    return misuse("--action move needs a folder", "use --action move:DIR");
  }
  static const std::array<std::string, 5> kNames = {"hardlink", "reflink", "delete", "move:DIR",
                                                    "script"};
  return misuse(
      "--action: no such action: " + in_quotes(text),
      did_you_mean(nearest(text, kNames)) + "use hardlink, reflink, delete, move:DIR or script");
}

Result<void> read_acting(const command::Values& values, DupesOptions& options) {
  for (const std::string& text : values.texts("keep")) {
    LET(options.keep.emplace_back(), keep_rule(text));
  }
  TRY(read_action(values.text("action"), options));
  options.apply = values.is_on("apply");
  if (options.apply && values.is_on("dry-run"))
    return misuse("--apply cannot be used with --dry-run", "remove one of them");
  if (options.apply && options.action == Action::none) {
    return misuse("--apply needs --action", "add --action hardlink, reflink, delete or move:DIR");
  }
  if (options.apply && options.action == Action::script) {
    return misuse("--apply cannot be used with --action script",
                  "remove --apply and run the printed script");
  }
  if (options.action != Action::none && options.follow) {
    return misuse("--action cannot be used with --follow",
                  "remove --follow; files found through symlinks are never changed");
  }
  if (options.action != Action::none && (options.uniques || options.folders)) {
    return misuse("--action cannot be used with --unique or --folders",
                  "remove --action for the report");
  }
  const bool is_json = options.report == DupesOutput::json || options.report == DupesOutput::jsonl;
  if (options.action != Action::none && options.report != DupesOutput::text &&
      !(is_json && options.apply)) {
    return misuse("the plan of an action is plain text only",
                  "remove --action for the report, or add --apply for a summary in JSON");
  }
  const auto& differences = values.texts("ignore-difference");
  const auto ignores = [&](std::string_view what) {
    return std::ranges::find(differences, what) != differences.end();
  };
  options.lenience = {.mtime = ignores("mtime"),
                      .mode = ignores("mode"),
                      .owner = ignores("owner"),
                      .xattrs = ignores("xattrs"),
                      .folder = ignores("folder")};
  return {};
}

Result<void> read_report(const command::Values& values, DupesOptions& options) {
  options.least_copies = values.count_of("min-copies");
  options.between_roots = values.is_on("between");
  options.uniques = values.is_on("unique");
  options.folders = values.is_on("folders");
  options.least_overlap = static_cast<double>(values.count_of("overlap")) / 100;
  options.top = values.count_of("top");
  int chosen = 0;
  constexpr std::pair<const char*, DupesOutput> kReports[] = {{"json", DupesOutput::json},
                                                              {"jsonl", DupesOutput::jsonl},
                                                              {"csv", DupesOutput::csv},
                                                              {"fdupes", DupesOutput::fdupes}};
  for (const auto& [flag, report] : kReports) {
    if (!values.is_on(flag)) continue;
    options.report = report;
    ++chosen;
  }
  if (chosen > 1)
    return misuse("--json, --jsonl, --csv and --fdupes cannot be combined", "use one of them");
  return {};
}

std::size_t all_cores() { return std::max(1U, std::thread::hardware_concurrency()); }

// With --memory, data is kept in the folder of the catalogue, and there is no table of all files.
Result<void> check_memory(const DupesOptions& options) {
  if (!options.memory) return {};
  if (!options.has_catalogue)
    return misuse("--memory cannot be used with --no-catalogue", "remove --no-catalogue");
  const char* other = !options.with.empty() ? "--with"
                      : options.uniques     ? "--unique"
                      : options.folders     ? "--folders"
                                            : nullptr;
  if (other == nullptr) return {};
  return misuse(std::string("--memory cannot be used with ") + other,
                std::string("remove --memory; ") + other + " needs all files in memory");
}

}  // namespace

Result<DupesOptions> options_of(const command::Values& values, WallTime now) {
  DupesOptions options;
  TRY(read_input(values, now, options));
  options.algorithm = hash::algorithm_named(values.text("hash")).value_or(hash::Algorithm::xxh3);
  options.verify = values.is_on("verify");
  options.hash_all = values.is_on("hash-all");
  if (const auto jobs = values.count("jobs")) options.threads = *jobs > 0 ? *jobs : all_cores();
  options.memory = values.size("memory");
  options.catalogue = values.text("catalogue");
  options.has_catalogue = !values.is_on("no-catalogue");
  if (!options.has_catalogue && !options.catalogue.empty()) {
    return misuse("--catalogue cannot be used with --no-catalogue", "remove one of them");
  }
  TRY(read_report(values, options));
  TRY(check_memory(options));
  TRY(read_acting(values, options));
  return options;
}

}  // namespace tidemill::dupes
