// Options: what `tidemill docs run` was asked to do, checked and typed; and the description of the
// verb that asks for it. Secrets are not among them: only where they are kept.
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

enum class Report : std::uint8_t { text, json, jsonl };

// The defaults of flags are not here: they stand in the descriptions of the flags.
struct Options {
  std::string url{};  // of the server, without /api and without a slash at its end
  std::string token_file{};
  std::vector<std::string> collections{};  // uuids; empty: all
  std::vector<std::string> documents{};    // uuids; not empty: these and no others
  bool dry_run = false;

  bool watch = false;
  std::chrono::milliseconds every{};
  std::string webhook{};  // an address; empty: none
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
  Report report = Report::text;
};

[[nodiscard]] command::Verb verb();
[[nodiscard]] Result<Options> options_of(const command::Values& values);

}  // namespace tidemill::docs
