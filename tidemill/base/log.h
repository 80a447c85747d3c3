// Log: where the libraries report what happened. They never print: the program passes a Log in, and
// without one nothing is written.
#pragma once

#include <cstdint>
#include <string_view>

namespace tidemill {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

[[nodiscard]] constexpr std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "unknown";
}

// Thread-safe: any worker may write at any time. An implementation must not throw.
class Log {
 public:
  virtual ~Log() = default;
  virtual void write(LogLevel level, std::string_view text) = 0;
};

// Discards everything. Immutable: all callers may share one.
class SilentLog final : public Log {
 public:
  void write(LogLevel /*level*/, std::string_view /*text*/) override {}
};

}  // namespace tidemill
