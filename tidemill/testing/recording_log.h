// RecordingLog: a Log that records its lines for a test.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/log.h"

namespace tidemill::testing {

// Thread-safe.
class RecordingLog final : public Log {
 public:
  void write(LogLevel level, std::string_view text) override {
    lines_.lock()->push_back(std::string(name_of(level)) + ": " + std::string(text));
  }

  [[nodiscard]] std::vector<std::string> lines() { return *lines_.lock(); }

  [[nodiscard]] bool has(std::string_view part) {
    return std::ranges::any_of(lines(), [&](const auto& line) { return line.contains(part); });
  }

 private:
  Guarded<std::vector<std::string>> lines_;
};

}  // namespace tidemill::testing
