#include "tests/docs/stub/faults.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "tests/docs/stub/world.h"
#include "tidemill/base/try.h"

namespace tidemill::docs_stub {
namespace {

constexpr std::int64_t kSlow = 2000;

Checked<double> chance_field(const Json& body, const char* name) {
  const Json field = body.value(name, Json(0));
  if (!field.is_number()) return refuse(400, std::string(name) + ": expected a number");
  return field.get<double>();
}

// "503", "cut", "slow", and each with "-after"; "half" and "garble", which are after anyway.
Checked<Fault> fault_named(std::string name) {
  Fault fault;
  if (name.ends_with("-after")) {
    fault.is_after = true;
    name.resize(name.size() - std::string("-after").size());
  }
  using Kind = Fault::Kind;
  if (name == "cut") {
    fault.kind = Kind::cut;
  } else if (name == "half" || name == "cut-half") {
    fault.kind = Kind::half;
    fault.is_after = true;
  } else if (name == "garble") {
    fault.kind = Kind::garble;
    fault.is_after = true;
  } else if (name == "slow") {
    fault.kind = Kind::slow;
    fault.ms = kSlow;
  } else {
    fault.kind = Kind::status;
    std::from_chars(name.data(), name.data() + name.size(), fault.status);
    if (fault.status < 400 || fault.status > 599) return refuse(400, "do: not known: " + name);
  }
  return fault;
}

double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1p-53; }

}  // namespace

Checked<void> Faults::set_chance(const Json& body) {
  LET(const double p5xx, chance_field(body, "p5xx"));
  LET(const double p429, chance_field(body, "p429"));
  LET(const double pcut, chance_field(body, "pcut"));
  LET(const double pslow, chance_field(body, "pslow"));
  LET(const auto seed, count_field(body, "seed"));
  LET(const auto slow_ms, count_field(body, "slow_ms"));
  const Json endpoints = body.value("endpoints", Json());
  if (!endpoints.is_null() && !endpoints.is_array()) return refuse(400, "endpoints: an array");
  std::set<std::string> names;
  for (const auto& name : endpoints) {
    if (!name.is_string()) return refuse(400, "endpoints: strings");
    names.insert(name.get<std::string>());
  }
  p5xx_ = p5xx;
  p429_ = p429;
  pcut_ = pcut;
  pslow_ = pslow;
  seed_ = static_cast<std::uint64_t>(seed.value_or(0));
  slow_ms_ = slow_ms.value_or(kSlow);
  endpoints_ = std::move(names);
  seen_.clear();
  return {};
}

Checked<void> Faults::set_script(const Json& body) {
  std::vector<Planned> script;
  const Json faults = body.value("faults", Json::array());
  if (!faults.is_array()) return refuse(400, "faults: an array");
  for (const auto& item : faults) {
    if (!item.is_object()) return refuse(400, "faults: objects");
    LET(const auto endpoint, text_field(item, "endpoint"));
    LET(const auto when, count_field(item, "when"));
    LET(const auto what, text_field(item, "do"));
    LET(const auto ms, count_field(item, "ms"));
    LET(auto fault, fault_named(what.value_or("")));
    if (ms) fault.ms = *ms;
    if (!endpoint || when.value_or(1) < 1) return refuse(400, "endpoint, and when from 1 on");
    script.push_back({.endpoint = *endpoint, .left = when.value_or(1), .fault = fault});
  }
  script_ = std::move(script);
  return {};
}

Fault Faults::next(const std::string& endpoint) {
  const std::uint64_t n = ++seen_[endpoint];
  Fault result;
  bool is_planned = false;
  for (auto& planned : script_) {
    if (planned.endpoint != endpoint && planned.endpoint != "*") continue;
    if (--planned.left == 0 && !is_planned) {
      result = planned.fault;
      is_planned = true;
    }
  }
  std::erase_if(script_, [](const Planned& planned) { return planned.left <= 0; });
  return is_planned ? result : by_chance(endpoint, n);
}

Fault Faults::by_chance(const std::string& endpoint, std::uint64_t n) const {
  const bool is_meant = endpoints_.empty() ? endpoint != "chat" : endpoints_.contains(endpoint);
  if (!is_meant) return {};
  const std::uint64_t bits = scramble(seed_ ^ hash_of(endpoint + "#" + std::to_string(n)));
  const std::uint64_t more = scramble(bits);
  const bool is_after = (more & 1U) != 0;
  using Kind = Fault::Kind;
  double at = fraction(bits);
  if (at < p5xx_) {
    constexpr std::array kStatus = {500, 502, 503};
    return {.kind = Kind::status, .is_after = is_after, .status = kStatus[(more >> 1U) % 3]};
  }
  at -= p5xx_;
  if (at < p429_) return {.kind = Kind::status, .status = 429};
  at -= p429_;
  if (at < pcut_) return {.kind = Kind::cut, .is_after = is_after};
  at -= pcut_;
  if (at < pslow_) return {.kind = Kind::slow, .is_after = is_after, .ms = slow_ms_};
  return {};
}

}  // namespace tidemill::docs_stub
