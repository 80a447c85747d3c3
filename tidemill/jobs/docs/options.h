// DocsOptions: the validated, typed options of `tidemill docs run`, and the description of the
// verb. They contain no secrets, only where these are stored.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/breaker.h"
#include "tidemill/engine/retry_policy.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::docs {

enum class DocsOutput : std::uint8_t { text, json, jsonl };

// The defaults of the flags are in the flag descriptions, not here.
struct DocsOptions {
  std::string url{};  // of the server, without /api and without a trailing slash
  std::string token_file{};
  std::vector<std::string> collections{};  // uuids; empty: all
  std::vector<std::string> documents{};    // uuids; not empty: only these
  bool dry_run = false;

  bool watch = false;
  std::chrono::milliseconds every{};
  std::string webhook{};  // the address to listen on; empty: no webhooks
  std::string webhook_secret_file{};

  std::string ai_url{};
  std::string ai_model{};
  std::string ai_token_file{};
  double ai_per_minute = 0;
  double threshold = 0;

  std::size_t workers = 0;
  engine::RetryPolicy retry{};
  std::chrono::milliseconds timeout{};
  std::map<std::string, double, std::less<>> per_minute{};  // by endpoint
  engine::BreakerOptions breaker{};
  std::string ca_file{};
  std::string proxy{};
  bool insecure_http = false;  // keys may go over plain HTTP to another machine
  DocsOutput report = DocsOutput::text;
};

[[nodiscard]] command::Verb verb();
[[nodiscard]] Result<DocsOptions> options_of(const command::Values& values);

}  // namespace tidemill::docs
