// Meter: counts requests, and says which are too many. As in Outline a window of 60 s begins with
// its first request; an endpoint with a limit of its own has a window of its own, all the others
// share one ("others").
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tests/docs/stub/refusal.h"

namespace tidemill::docs_stub {

struct Limits {
  std::map<std::string, int> own{};
  int others = 0;  // 0: none
};

// "real", "none", or "ENDPOINT=N,..." (what is not named has no limit; "others=N" may be).
[[nodiscard]] Checked<Limits> limits_of(const std::string& text);

struct Ruling {
  bool is_allowed = true;
  int limit = 0;
  std::int64_t ms_left = 0;  // until the window ends
};

// One thread: the stub's lock is held around every call.
class Meter {
 public:
  explicit Meter(Limits limits) : limits_(std::move(limits)) {}

  void count(const std::string& endpoint, std::int64_t now);
  // Counts it, and rules.
  [[nodiscard]] Ruling arrive(const std::string& endpoint, std::int64_t now);
  void arrive_while_down(std::int64_t now);
  void answered(int status) { ++status_[std::to_string(status)]; }
  void at_once(int requests);  // are inside now

  [[nodiscard]] Json counts() const;
  void forget();

 private:
  struct Window {
    std::int64_t began = 0;
    int count = 0;
  };

  void slide(const std::string& name, std::int64_t now);

  Limits limits_;
  std::map<std::string, Window> windows_;
  std::map<std::string, std::deque<std::int64_t>> recent_;  // the last 60 s
  std::map<std::string, std::size_t> most_;
  std::map<std::string, int> requests_;
  std::map<std::string, int> status_;
  std::map<std::string, int> limited_;
  std::vector<std::int64_t> down_times_;
  int at_once_ = 0;
};

}  // namespace tidemill::docs_stub
