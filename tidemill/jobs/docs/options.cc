#include "tidemill/jobs/docs/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <thread>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/hash/uuid.h"
#include "tidemill/ui/command/kinds.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::docs {
namespace {

using command::in_quotes;
using command::misuse;

constexpr int kLooks = 3;  // attempts with --dry-run

// Rounds, so that a rate given as 25/m is 25 again and not 24.999999999999996.
double per_minute(double per_second) { return std::round(per_second * 60 * 1e6) / 1e6; }

Result<std::string> url_of(const command::Values& values, const std::string& flag) {
  std::string url = values.text(flag);
  while (url.ends_with('/')) url.pop_back();
  const bool has_scheme = url.starts_with("http://") || url.starts_with("https://");
  if (!url.empty() && !has_scheme) {
    return misuse("--" + flag + " is not an address: " + in_quotes(url),
                  "start it with http:// or https://");
  }
  return url;
}

Result<std::vector<std::string>> uuids_of(const command::Values& values, const std::string& flag) {
  for (const std::string& id : values.texts(flag)) {
    if (hash::is_uuid(id)) continue;
    return misuse("--" + flag + " is not an id: " + in_quotes(id),
                  "use an id like 01234567-89ab-cdef-0123-456789abcdef");
  }
  return values.texts(flag);
}

Result<void> read_server(const command::Values& values, DocsOptions& options) {
  LET(options.url, url_of(values, "url"));
  if (options.url.ends_with("/api")) options.url.resize(options.url.size() - 4);
  if (options.url.empty()) {
    return misuse("no server given", "use --url, as in --url https://wiki.example.org");
  }
  options.token_file = values.text("token-file");
  LET(options.collections, uuids_of(values, "collection"));
  LET(options.documents, uuids_of(values, "document"));
  if (!options.collections.empty() && !options.documents.empty()) {
    return misuse("--collection cannot be used with --document");
  }
  options.ca_file = values.text("ca-file");
  options.proxy = values.text("proxy");
  options.insecure_http = values.is_on("insecure-http");
  return {};
}

// Validates the address here, before a run is created that would store it.
Result<std::string> listener_of(const command::Values& values) {
  std::string address = values.text("webhook");
  if (address.empty()) return address;
  const std::size_t colon = address.rfind(':');
  const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
  std::uint16_t number = 0;
  const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_port = read.ec == std::errc{} && read.ptr == port.data() + port.size();
  if (colon == 0 || !is_port || address.contains('/')) {
    return misuse("--webhook is not an address to listen on: " + in_quotes(address),
                  "use host:port, as in 127.0.0.1:8089");
  }
  return address;
}

Result<void> read_watching(const command::Values& values, DocsOptions& options) {
  LET(options.webhook, listener_of(values));
  options.webhook_secret_file = values.text("webhook-secret-file");
  options.watch = values.is_on("watch") || !options.webhook.empty();
  options.every = values.duration_of("every");
  options.dry_run = values.is_on("dry-run");
  if (options.watch && options.dry_run) return misuse("--watch cannot be used with --dry-run");
  if (options.watch && !options.documents.empty()) {
    return misuse("--watch cannot be used with --document", "use --collection instead");
  }
  return {};
}

Result<void> read_assistant(const command::Values& values, DocsOptions& options) {
  LET(options.ai_url, url_of(values, "ai-url"));
  options.ai_model = values.text("ai-model");
  options.ai_token_file = values.text("ai-token-file");
  options.ai_per_minute = per_minute(values.rate_of("ai-rate"));
  if (!(options.ai_per_minute > 0)) return misuse("--ai-rate must be more than 0");
  const std::string text = values.text("threshold");
  const auto read = std::from_chars(text.data(), text.data() + text.size(), options.threshold);
  const bool is_whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  if (!is_whole || !(options.threshold >= 0) || options.threshold > 1) {
    return misuse("--threshold must be a number from 0 to 1, not " + in_quotes(text));
  }
  if (options.dry_run) return {};
  if (options.ai_url.empty() || options.ai_model.empty()) {
    return misuse("no assistant given", "use --ai-url URL --ai-model NAME");
  }
  return {};
}

Result<void> read_rates(const command::Values& values, DocsOptions& options) {
  for (const std::string& text : values.texts("api-rate")) {
    const std::size_t equals = text.find('=');
    const auto rate =
        command::parse_rate(equals == std::string::npos ? "" : text.substr(equals + 1));
    if (equals == 0 || !rate || !(*rate > 0)) {
      return misuse("--api-rate must be an endpoint and a limit, not " + in_quotes(text),
                    "use ENDPOINT=N/m, as in --api-rate comments.create=25/m");
    }
    options.per_minute[text.substr(0, equals)] = per_minute(*rate);
  }
  return {};
}

Result<void> read_working(const command::Values& values, DocsOptions& options) {
  options.workers = static_cast<std::size_t>(values.count_of("jobs"));
  if (options.workers == 0) options.workers = std::max(1U, std::thread::hardware_concurrency());
  options.retry.max_attempts = static_cast<int>(values.count_of("attempts"));
  // A user is waiting for the output, and nothing is lost if it fails.
  if (options.dry_run) options.retry.max_attempts = std::min(options.retry.max_attempts, kLooks);
  options.retry.first_delay = values.duration_of("backoff");
  options.retry.max_delay = std::chrono::minutes(5);
  options.timeout = values.duration_of("timeout");
  options.breaker.failures_to_open = static_cast<int>(values.count_of("breaker-failures"));
  options.breaker.open_for = values.duration_of("breaker-wait");
  return read_rates(values, options);
}

}  // namespace

Result<DocsOptions> options_of(const command::Values& values) {
  DocsOptions options;
  TRY(read_server(values, options));
  TRY(read_watching(values, options));
  TRY(read_assistant(values, options));
  TRY(read_working(values, options));
  if (values.is_on("json") && values.is_on("jsonl")) {
    return misuse("--json cannot be used with --jsonl",
                  "use --jsonl alone; its last line is the summary");
  }
  if (values.is_on("json")) options.report = DocsOutput::json;
  if (values.is_on("jsonl")) options.report = DocsOutput::jsonl;
  return options;
}

}  // namespace tidemill::docs
