#include "tidemill/jobs/batch/options.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "tidemill/base/try.h"
#include "tidemill/ui/command/nearest.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::batch {
namespace {

using command::in_quotes;
using command::misuse;

Result<std::optional<double>> margin_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, std::chars_format::fixed);
  if (error != std::errc{} || end != last || !(number > 0) || number > 1) {
    return misuse("--margin: invalid value " + in_quotes(text),
                  "use a number above 0 and up to 1; 0.98 keeps two percent free");
  }
  return number;
}

Result<void> read_limits(const command::Values& values, BatchOptions& options) {
  const auto max_tokens = values.count("max-tokens");
  if (!max_tokens) {
    return misuse("--max-tokens is missing",
                  "use -m N, TIDEMILL_MAX_TOKENS, or max-tokens in tidemill.toml");
  }
  options.max_tokens = *max_tokens;
  options.overhead = values.count_of("overhead");
  if (options.overhead >= options.max_tokens) {
    return misuse("--overhead is not smaller than --max-tokens",
                  "use a smaller --overhead or a larger --max-tokens");
  }
  LET(options.margin, margin_of(values.text("margin")));
  options.max_files = values.count_of("max-files");
  options.max_size = values.size_of("max-size");
  return {};
}

Result<void> read_sink(const command::Values& values, BatchOptions& options) {
  LET(options.sink, sink_of(values.text("to")));
  options.redis = values.text("redis");
  options.password_file = values.text("password-file");
  options.tls_authorities = values.text("tls-ca");
  options.tls_certificate = values.text("tls-cert");
  options.tls_key = values.text("tls-key");
  options.bull_prefix = values.text("bull-prefix");
  options.job = values.text("name");
  options.max_queued = values.count_of("max-queued");
  options.lease = values.duration_of("lease");
  options.patience = values.duration_of("redis-timeout");
  options.settle = values.duration_of("settle");
  const std::string held = values.text("if-held");
  options.if_held = held == "wait" ? IfHeld::wait : held == "fail" ? IfHeld::fail : IfHeld::leave;
  options.restart = values.is_on("restart");
  options.resend = values.is_on("resend");
  if (options.resend && options.sink.kind != Destination::Kind::bull) {
    return misuse("--resend needs --to bullmq:QUEUE",
                  "remove --resend: other sinks accept every batch again");
  }
  return {};
}

}  // namespace

Result<Destination> sink_of(std::string_view text) {
  if (text == "-") return Destination{};
  if (text.contains("://")) {  // not repeated: it may hold a password
    return misuse("--to takes the name of a queue, not a URL",
                  "use --to redis:STREAM --redis redis://HOST:PORT");
  }
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  std::string_view name = kDefaultQueue;
  if (colon != std::string_view::npos) name = text.substr(colon + 1);
  if (!name.empty() && kind == "redis") {
    return Destination{.kind = Destination::Kind::stream, .name = std::string(name)};
  }
  if (!name.empty() && kind == "bullmq") {
    return Destination{.kind = Destination::Kind::bull, .name = std::string(name)};
  }
  static const std::array<std::string, 2> kKinds = {"redis", "bullmq"};
  return misuse(
      "--to: unknown sink " + in_quotes(std::string(text)),
      (name.empty() ? "" : command::did_you_mean(command::nearest(std::string(kind), kKinds))) +
          "use - for JSON Lines (> FILE), redis:STREAM or bullmq:QUEUE");
}

Result<jobs::ListSource> list_of(const command::Values& values,
                                 const std::vector<std::string>& roots) {
  LET(auto list, jobs::list_source_of(values, roots));
  if (list.is_given() && values.is_on("ignore-files")) {
    return misuse("--files-from cannot be used with --ignore-files",
                  "filter the list before tidemill reads it");
  }
  return list;
}

Result<BatchOptions> options_of(const command::Values& values) {
  BatchOptions options{.roots = values.argument("DIR"),
                       .globs = values.texts("glob"),
                       .excludes = values.texts("exclude"),
                       .hidden = !values.is_on("no-hidden"),
                       .gitignore = values.is_on("ignore-files"),
                       .allow_empty = values.is_on("allow-empty"),
                       .tokenizer = values.text("tokenizer"),
                       .template_path = values.text("overhead-template"),
                       .is_inline = values.is_on("inline"),
                       .workers = values.count_of("jobs"),
                       .dry_run = values.is_on("dry-run"),
                       .report = values.is_on("json") ? BatchOutput::json : BatchOutput::text};
  LET(options.list, list_of(values, options.roots));
  options.list_name = options.list.files_from;
  if (options.roots.empty() && !options.list.is_given()) {
    return misuse("no folder given", "try tidemill batch DIR --max-tokens N");
  }
  TRY(read_limits(values, options));
  TRY(read_sink(values, options));
  if (values.text("paths") == "relative") options.paths = Paths::relative;
  if (options.report == BatchOutput::json && options.sink.kind == Destination::Kind::lines &&
      !options.dry_run) {
    return misuse("--json cannot be used with --to -: both write to standard output",
                  "use --json with another --to, or with --dry-run");
  }
  return options;
}

}  // namespace tidemill::batch
