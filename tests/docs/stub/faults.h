// Faults: what goes wrong with a request, by chance or by a script. A fault happens before the
// request has its effect or after it; which one is the difference between a request that may be
// sent again and one that must not.
//
// By chance, the n-th request of an endpoint meets the same fault in every run with the same seed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/docs/stub/refusal.h"

namespace tidemill::docs_stub {

struct Fault {
  enum class Kind : std::uint8_t {
    none,
    status,  // this status instead of the answer
    cut,     // the connection is closed without an answer
    half,    // the connection is closed in the middle of the answer
    slow,
    garble,  // an answer that is not as described: to see that somebody looks
  };
  Kind kind = Kind::none;
  bool is_after = false;  // the effect
  int status = 0;
  std::int64_t ms = 0;
};

// One thread: the stub's lock is held around every call.
class Faults {
 public:
  [[nodiscard]] Checked<void> set_chance(const Json& body);
  [[nodiscard]] Checked<void> set_script(const Json& body);
  [[nodiscard]] Fault next(const std::string& endpoint);

 private:
  struct Planned {
    std::string endpoint{};
    std::int64_t left = 0;  // requests until it happens
    Fault fault{};
  };

  [[nodiscard]] Fault by_chance(const std::string& endpoint, std::uint64_t n) const;

  std::vector<Planned> script_;
  std::map<std::string, std::uint64_t> seen_;  // since the chance was set
  std::set<std::string> endpoints_;            // empty: all of /api
  std::uint64_t seed_ = 0;
  double p5xx_ = 0;
  double p429_ = 0;
  double pcut_ = 0;
  double pslow_ = 0;
  std::int64_t slow_ms_ = 0;
};

}  // namespace tidemill::docs_stub
