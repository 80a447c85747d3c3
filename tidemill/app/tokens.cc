#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/app/verbs.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/batch/cut/count.h"
#include "tidemill/jobs/batch/job.h"
#include "tidemill/jobs/tasks/list_source.h"
#include "tidemill/ui/cli/exit_code.h"
#include "tidemill/ui/cli/nothing_matched.h"
#include "tidemill/ui/cli/recorded.h"
#include "tidemill/ui/cli/share_folder.h"
#include "tidemill/ui/cli/signal_scope.h"
#include "tidemill/ui/command/usage.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::app {
namespace {

using batch::Counted;
using command::ValueKind;
using text::count_text;

std::string json_of(const Counted& file) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).bytes("path", file.path);
  if (file.failure) {
    json.bytes("reason", tidemill::text_of(*file.failure));
  } else if (!file.skipped.empty()) {
    json.key("skipped").value(file.skipped);
  } else {
    json.key("tokens").value(file.tokens).key("bytes").value(file.bytes);
  }
  json.end_object();
  return line + "\n";
}

struct Sums {
  std::uint64_t files = 0;
  std::uint64_t tokens = 0;
  std::uint64_t bytes = 0;
  std::uint64_t skipped = 0;
  std::uint64_t failed = 0;

  [[nodiscard]] std::uint64_t found() const { return files + skipped + failed; }
  [[nodiscard]] bool has_matched_nothing() const { return found() == 0; }
};

void add(Sums& sums, const Counted& file) {
  if (file.failure) {
    ++sums.failed;
  } else if (!file.skipped.empty()) {
    ++sums.skipped;
  } else {
    ++sums.files;
    sums.tokens += file.tokens;
    sums.bytes += file.bytes;
  }
}

std::string row_text(const Counted& file) {
  if (file.failure) return "failed";
  return file.skipped.empty() ? count_text(file.tokens) : file.skipped;
}

std::string json_of(const Sums& sums, const std::string& tokenizer) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("summary").key("job").value("tokens");
  json.key("tokenizer").value(tokenizer);
  json.key("found").value(sums.found()).key("done").value(sums.files);
  json.key("skipped").value(sums.skipped).key("failed").value(sums.failed);
  json.key("tokens").value(sums.tokens).key("bytes").value(sums.bytes);
  if (sums.has_matched_nothing()) json.key("nothingMatched").value(true);
  json.end_object();
  return line + "\n";
}

// Aligns rows page by page, so that a million files are not held in memory.
class Rows {
 public:
  explicit Rows(cli::CliContext& cli) : cli_(cli) {}
  [[nodiscard]] Result<void> add(const Counted& file) {
    table_.add({row_text(file), file.failure || !file.skipped.empty() ? "" : count_text(file.bytes),
                file.path});
    return table_.size() < kPage ? Result<void>() : flush();
  }
  [[nodiscard]] Result<void> flush() {
    if (table_.size() == 0) return {};
    std::string text = table_.text(cli::columns_of(1));
    if (!std::exchange(is_first_, false)) text.erase(0, text.find('\n') + 1);
    table_ = fresh();
    return cli_.console->out(text);
  }

 private:
  static constexpr std::size_t kPage = 1'000;
  static term::Table fresh() {
    return term::Table({{.heading = "TOKENS", .align = term::Align::right},
                        {.heading = "BYTES", .align = term::Align::right},
                        {.heading = "FILE"}});
  }
  cli::CliContext& cli_;
  term::Table table_ = fresh();
  bool is_first_ = true;
};

std::string total_text(const Sums& sums, const std::string& tokenizer) {
  std::string text = count_text(sums.tokens) + " tokens (" + text::printable(tokenizer) + ") in " +
                     text::counted(sums.files, "file") + ", " + text::bytes_text({sums.bytes});
  if (sums.skipped > 0) text += "; skipped: " + count_text(sums.skipped);
  if (sums.failed > 0) text += "; failed: " + count_text(sums.failed);
  return text + "\n";
}

Result<void> check(const std::vector<std::string>& files, const jobs::ListSource& list) {
  if (files.empty() && !list.is_given()) {
    return command::misuse("no files given", "name files or folders, or use - for standard input");
  }
  if (files.size() > 1 && std::ranges::find(files, "-") != files.end()) {
    return command::misuse("- cannot be used with other files", "use ./- for a file named -");
  }
  return {};
}

}  // namespace

command::Verb describe_tokens() {
  command::Verb verb{
      .name = "tokens",
      .summary = "count the tokens of files",
      .usage = {"tidemill tokens FILE... [OPTIONS]",
                "tidemill tokens --files-from FILE|- [-0] [OPTIONS]"},
      .examples = {{"tidemill tokens README.md src", "one line per file, then the total"},
                   {"tidemill tokens --tokenizer cl100k_base --total src", "only the total"},
                   {"git ls-files -z | tidemill tokens --files-from - -0",
                    "count the files of a list"},
                   {"tidemill tokens --jsonl src | jq -s 'sort_by(-.tokens)[:10]'",
                    "the ten largest files"}},
      .description =
          {"Counts are exact: o200k_base (GPT-4o and later) and cl100k_base (GPT-4) count like "
           "tiktoken, a BPE tokenizer.json, given by its path, counts like Hugging Face's library. "
           "bytes/4 is an "
           "estimate. Text that is not UTF-8 is counted as if it had been decoded first. Binary "
           "files (a NUL in the first 8 KiB) are skipped."},
      .arguments = {{.name = "FILE",
                     .help = "files or folders, or - for standard input",
                     .is_list = true}},
      .flags = {{.name = "tokenizer",
                 .kind = ValueKind::text,
                 .metavar = "NAME",
                 .help = "o200k_base, cl100k_base, bytes/4 or a path",
                 .fallback = "o200k_base",
                 .is_basic = true},
                {.name = "total", .help = "print only the total", .is_basic = true},
                {.name = "jobs",
                 .letter = 'j',
                 .aliases = {"workers", "w"},
                 .kind = ValueKind::count,
                 .metavar = "N",
                 .help = "threads that read and count; 0 = all cores",
                 .fallback = "0",
                 .most = "256",
                 .is_basic = true},
                {.name = "json", .help = "print the total as one JSON object", .is_basic = true},
                {.name = "jsonl", .help = "print one JSON object per file", .is_basic = true}}};
  for (command::Flag& flag : jobs::list_source_flags("Files")) {
    verb.flags.push_back(std::move(flag));
  }
  verb.flags.push_back({.name = "ignore-files",
                        .aliases = {"gitignore"},
                        .help = "respect .gitignore and .ignore files",
                        .group = "Files",
                        .is_basic = true});
  verb.works = true;
  return verb;
}

namespace {

bool is_input(const batch::BatchOptions& options) {
  return options.roots == std::vector<std::string>{"-"};
}

Result<int> count_on(const batch::BatchOptions& options, const command::Context& context,
                     cli::CliContext& cli, const cli::SignalScope& signal_scope) {
  const command::Values& values = cli.values;
  Sums sums;
  Rows rows(cli);
  const bool is_json = values.is_on("json");
  const bool is_quiet = is_json || values.is_on("total");
  const auto count = is_input(options) ? &batch::count_input : &batch::count_files;
  const auto counted = count(
      options, cli::token_tables(),
      [&](const Counted& file) -> Result<void> {
        add(sums, file);
        if (file.failure) {
          const std::string line =
              text::printable(file.path) + ": " + tidemill::text_of(*file.failure);
          context.log.write(LogLevel::warning, line);
          cli.console->say(command::Tone::warning, line);
        }
        if (values.is_on("jsonl")) return cli.console->out(json_of(file));
        return is_quiet ? Result<void>() : rows.add(file);
      },
      context);
  if (!counted && signal_scope.signals.first() != 0)
    return cli::exit_code_of(signal_scope.signals.first());
  TRY(counted);
  TRY(rows.flush());
  if (is_json) TRY(cli.console->out(json_of(sums, options.tokenizer)));
  if (sums.has_matched_nothing())
    return cli::nothing_matched(selection_of(options), cli, context.stop);
  const bool is_total = values.is_on("total") && !is_json && !values.is_on("jsonl");
  if (is_total) {
    TRY(cli.console->out(count_text(sums.tokens) + "\n"));
  } else if (!is_json) {
    cli.console->say(command::Tone::good, total_text(sums, options.tokenizer));
  }
  return sums.failed > 0 ? cli::kSomeFailed : cli::kDone;
}

}  // namespace

Result<int> run_tokens(cli::CliContext& cli) {
  const command::Values& values = cli.values;
  LET(const auto list, batch::list_of(values, values.argument("FILE")));
  TRY(check(values.argument("FILE"), list));
  const batch::BatchOptions options{.roots = values.argument("FILE"),
                                    .list = list,
                                    .globs = values.texts("glob"),
                                    .excludes = values.texts("exclude"),
                                    .hidden = !values.is_on("no-hidden"),
                                    .gitignore = values.is_on("ignore-files"),
                                    .allow_empty = values.is_on("allow-empty"),
                                    .tokenizer = values.text("tokenizer"),
                                    .workers = values.count_of("jobs")};
  cli::SignalScope signal_scope(cli);
  LET(const auto log, cli::log_for(cli));
  const command::Context context = signal_scope.context(cli, *log);
  return cli::recorded(cli, signal_scope.console, "tokens", [&](const cli::Recording&) {
    return count_on(options, context, cli, signal_scope);
  });
}

}  // namespace tidemill::app
