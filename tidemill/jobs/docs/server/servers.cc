#include "tidemill/jobs/docs/server/servers.h"

#include <algorithm>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/io/http/address.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::docs {
namespace {

using command::Tone;

http::SessionOptions session_options(const DocsOptions& options) {
  http::SessionOptions session;
  session.timeout = options.timeout;
  session.connect_timeout = std::min(options.timeout, session.connect_timeout);
  session.ca_file = options.ca_file;
  session.proxy = options.proxy;
  return session;
}

}  // namespace

http::GateObserver observer_for(const std::string& host, command::Console& console) {
  return {
      .on_open =
          [&console, host](Instant::duration wait) {
            console.say(Tone::warning,
                        text::printable(host) + " keeps failing. Requests are paused for " +
                            text::duration_text(wait) + ", then one request tries again.");
          },
      .on_close = [&console,
                   host] { console.say(Tone::good, text::printable(host) + " responds again."); }};
}

DocsServer::Options outline_options(const DocsOptions& options, const Secrets& secrets) {
  DocsServer::Options server{
      .url = options.url, .key = secrets.outline, .session = session_options(options)};
  server.gate = outline_gate();
  server.gate.host = options.url;
  server.gate.breaker = options.breaker;
  for (const auto& [endpoint, rate] : options.per_minute) {
    server.gate.endpoints.insert_or_assign(endpoint, rate);
  }
  return server;
}

DocsServer::Options assistant_options(const DocsOptions& options, const Secrets& secrets) {
  DocsServer::Options server{
      .url = options.ai_url, .key = secrets.assistant, .session = session_options(options)};
  server.gate.host = options.ai_url;
  server.gate.breaker = options.breaker;
  server.gate.per_minute = options.ai_per_minute;
  return server;
}

std::vector<std::string> exposed_keys(const DocsOptions& options, const Secrets& secrets) {
  std::vector<std::string> exposed;
  const auto look = [&](const std::string& what, const std::string& url, bool has_key) {
    const auto address = http::address_of(url);
    if (!address || !(has_key || address->has_user)) return;
    if (!http::is_exposed(url, options.proxy)) return;
    exposed.push_back(what + " to " + text::printable(address->place()));
  };
  look("the API key", options.url, true);
  if (!options.dry_run) {
    look("the assistant's key", options.ai_url, !secrets.assistant.is_empty());
  }
  return exposed;
}

void warn_of_exposed(const DocsOptions& options, const Secrets& secrets,
                     command::Console& console) {
  for (const std::string& key : exposed_keys(options, secrets)) {
    console.say(Tone::warning, "warning: sending " + key + " unencrypted (--insecure-http)");
  }
}

namespace {

Result<void> demand_encryption(const DocsOptions& options, const Secrets& secrets) {
  const auto exposed = exposed_keys(options, secrets);
  if (exposed.empty() || options.insecure_http) return {};
  return command::misuse("plain http:// would send " + exposed.front() + " unencrypted",
                         "use https://, or docs run --insecure-http if you trust the network");
}

Result<void> read_webhook_secret(const DocsOptions& options, Secrets& secrets) {
  if (options.webhook.empty()) return {};
  LET(secrets.webhook,
      http::read_secret(options.webhook_secret_file, "TIDEMILL_DOCS_WEBHOOK_SECRET"));
  if (!secrets.webhook.is_empty()) return {};
  return std::unexpected(Failure{
      .cure = Cure::give_up,
      .step = "secret",
      .reason = "no secret to verify webhooks",
      .hint =
          "save the signing secret that Outline shows to a file, and use --webhook-secret-file"});
}

}  // namespace

Result<Secrets> read_secrets(const DocsOptions& options) {
  Secrets secrets;
  LET(secrets.outline, http::read_secret(options.token_file, "TIDEMILL_DOCS_TOKEN"));
  if (secrets.outline.is_empty()) {
    return std::unexpected(
        Failure{.cure = Cure::give_up,
                .step = "secret",
                .reason = "no API key given",
                .hint = "save it to a file and use --token-file, or set TIDEMILL_DOCS_TOKEN"});
  }
  LET(secrets.assistant, http::read_secret(options.ai_token_file, "TIDEMILL_DOCS_AI_TOKEN"));
  TRY(demand_encryption(options, secrets));
  TRY(read_webhook_secret(options, secrets));
  return secrets;
}

}  // namespace tidemill::docs
