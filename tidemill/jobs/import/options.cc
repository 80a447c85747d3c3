#include "tidemill/jobs/import/options.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/rows/languages.h"
#include "tidemill/jobs/import/rows/names.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::import {
namespace {

using command::in_quotes;
using command::misuse;

Result<void> read_mode(const command::Values& values, ImportOptions& options) {
  options.may_replace = values.is_on("replace");
  int chosen = options.may_replace ? 1 : 0;
  constexpr std::pair<const char*, Mode> kModes[] = {
      {"append", Mode::append}, {"upsert", Mode::upsert}, {"incremental", Mode::incremental}};
  for (const auto& [flag, mode] : kModes) {
    if (!values.is_on(flag)) continue;
    options.mode = mode;
    ++chosen;
  }
  if (chosen > 1)
    return misuse("--replace, --append, --upsert and --incremental cannot be used together",
                  "use one of them");
  const std::string writer = values.text("writer");
  if (writer == "pages" && options.mode != Mode::fresh) {
    return misuse("--writer pages needs a new database", "use --writer sql");
  }
  options.writing = writer == "sql" || options.mode != Mode::fresh ? Writing::sql : Writing::pages;
  if (options.mode == Mode::incremental && !options.table.empty()) {
    return misuse("--incremental cannot be used with --table",
                  "remove --table: a changed file replaces its rows, so it needs its own table");
  }
  return {};
}

// Splits "a,b"; the flag may also be given several times.
std::vector<std::string> list_of(const std::vector<std::string>& texts) {
  std::vector<std::string> list;
  for (std::string_view text : texts) {
    while (!text.empty()) {
      const std::size_t comma = std::min(text.find(','), text.size());
      if (comma > 0) list.emplace_back(text.substr(0, comma));
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
  }
  return list;
}

Result<void> read_types(const command::Values& values, ImportOptions& options) {
  for (const std::string& text : list_of(values.texts("types"))) {
    const std::size_t equals = text.rfind('=');
    const auto type = equals == std::string::npos
                          ? std::nullopt
                          : type_named(std::string_view(text).substr(equals + 1));
    if (!type) {
      return misuse("--types: invalid value " + in_quotes(text),
                    "use COLUMN=integer, COLUMN=real or COLUMN=text");
    }
    options.types.insert_or_assign(text.substr(0, equals), *type);
  }
  return {};
}

Result<RejectLimit> limit_of(std::string_view text) {
  RejectLimit limit;
  if (text.empty()) return limit;
  const bool is_share = text.back() == '%';
  double number = 0;
  const std::string_view digits = is_share ? text.substr(0, text.size() - 1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number,
                                            std::chars_format::fixed);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size() &&
                         !digits.empty() && number >= 0;
  constexpr double kAll = 100;
  if (is_number && is_share && number <= kAll) {
    limit.share = number / kAll;
    return limit;
  }
  std::uint64_t count = 0;
  const auto whole = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (is_share || whole.ec != std::errc{} || whole.ptr != digits.data() + digits.size()) {
    return misuse("--max-rejects: invalid value " + in_quotes(text),
                  "use a number, or a percentage such as 0.5%");
  }
  limit.count = count;
  return limit;
}

Result<void> read_shape(const command::Values& values, ImportOptions& options) {
  const std::string nested = values.text("nested");
  options.nested = nested == "flatten"  ? Nested::flatten
                   : nested == "tables" ? Nested::tables
                                        : Nested::json;
  options.languages = list_of(values.texts("languages"));
  for (const std::string& code : options.languages) {
    if (!is_language(code)) {
      return misuse("--languages: unknown language " + in_quotes(code),
                    "use de, en, es, fr, it, ja, ko, pt, ru or zh, with or without a region");
    }
  }
  options.key = values.text("key");
  options.has_key = !values.is_on("no-key");
  if (!options.has_key && !options.key.empty()) return misuse("--key cannot be used with --no-key");
  if (!options.has_key && options.mode == Mode::upsert) {
    return misuse("--upsert needs a key", "remove --no-key");
  }
  options.indices = list_of(values.texts("index"));
  return read_types(values, options);
}

}  // namespace

std::string_view name_of(Mode mode) {
  switch (mode) {
    case Mode::fresh:
      return "fresh";
    case Mode::append:
      return "append";
    case Mode::upsert:
      return "upsert";
    case Mode::incremental:
      return "incremental";
  }
  return "fresh";
}

Result<ImportOptions> options_of(const command::Values& values) {
  ImportOptions options;
  options.sources = values.argument("SOURCE");
  LET(options.list, jobs::list_source_of(values, options.sources));
  if (options.sources.empty() && !options.list.is_given()) {
    return misuse("nothing to import", "name files or folders, or use - for standard input");
  }
  if (std::ranges::count(options.sources, "-") > 1) return misuse("- can be given only once");
  options.into = values.text("into");
  if (options.into.empty())
    return misuse("--into DB is missing", "use --into to name the database");
  options.table = values.text("table");
  NameSet taken;
  (void)taken.take("_rejects");
  if (is_reserved(options.table) || taken.has(options.table)) {
    return misuse("--table: the name " + in_quotes(options.table) + " is reserved",
                  "use another name");
  }
  options.globs = values.texts("glob");
  options.excludes = values.texts("exclude");
  options.hidden = !values.is_on("no-hidden");
  options.allow_empty = values.is_on("allow-empty");
  TRY(read_mode(values, options));
  TRY(read_shape(values, options));
  LET(options.most_rejects, limit_of(values.text("max-rejects")));
  options.workers = values.count_of("jobs");
  const Bytes page = values.size_of("page-size");
  if (!std::has_single_bit(page.count)) {
    return misuse("--page-size is not a power of two", "use 4K, 8K, 16K, 32K or 64K");
  }
  options.page_size = static_cast<std::uint32_t>(page.count);
  options.longest_line = values.size_of("max-line");
  options.verify = !values.is_on("no-verify");
  options.dry_run = values.is_on("dry-run");
  options.report = values.is_on("json") ? ImportOutput::json : ImportOutput::text;
  return options;
}

}  // namespace tidemill::import
