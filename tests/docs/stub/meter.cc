#include "tests/docs/stub/meter.h"

#include <algorithm>
#include <charconv>

namespace tidemill::docs_stub {
namespace {

constexpr std::int64_t kWindow = 60'000;

}  // namespace

Checked<Limits> limits_of(const std::string& text) {
  if (text == "none") return Limits{};
  if (text == "real") {
    return Limits{.own = {{"documents.list", 100},
                          {"documents.search", 100},
                          {"documents.move", 100},
                          {"documents.create", 25},
                          {"comments.create", 25}},
                  .others = 1000};
  }
  Limits limits;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const auto equals = part.find('=');
    int number = 0;
    if (equals != std::string::npos) {
      std::from_chars(part.data() + equals + 1, part.data() + part.size(), number);
    }
    if (number <= 0) return refuse(400, "--limits: ENDPOINT=N, not " + part);
    const std::string name = part.substr(0, equals);
    (name == "others" ? limits.others : limits.own[name]) = number;
    at = end + 1;
  }
  return limits;
}

void Meter::slide(const std::string& name, std::int64_t now) {
  auto& times = recent_[name];
  while (!times.empty() && times.front() <= now - kWindow) times.pop_front();
  times.push_back(now);
  most_[name] = std::max(most_[name], times.size());
}

void Meter::count(const std::string& endpoint, std::int64_t now) {
  ++requests_[endpoint];
  slide(endpoint, now);
}

Ruling Meter::arrive(const std::string& endpoint, std::int64_t now) {
  count(endpoint, now);
  const auto own = limits_.own.find(endpoint);
  const bool has_own = own != limits_.own.end();
  const std::string name = has_own ? endpoint : "others";
  if (!has_own) slide(name, now);
  const int limit = has_own ? own->second : limits_.others;
  if (limit == 0) return {};
  Window& window = windows_[name];
  if (now >= window.began + kWindow) window = {.began = now};
  if (++window.count <= limit) return {.limit = limit};
  ++limited_[endpoint];
  return {.is_allowed = false, .limit = limit, .ms_left = window.began + kWindow - now};
}

void Meter::arrive_while_down(std::int64_t now) { down_times_.push_back(now); }

void Meter::at_once(int requests) { at_once_ = std::max(at_once_, requests); }

Json Meter::counts() const {
  return {{"requests", requests_},       {"status", status_},   {"limited", limited_},
          {"most_in_a_minute", most_},   {"at_once", at_once_}, {"down", down_times_.size()},
          {"down_times_ms", down_times_}};
}

void Meter::forget() { *this = Meter(std::move(limits_)); }

}  // namespace tidemill::docs_stub
