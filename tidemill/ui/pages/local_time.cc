#include "tidemill/ui/pages/local_time.h"

#include <array>
#include <chrono>
#include <ctime>

namespace tidemill::pages {
namespace {

std::string local_text(WallTime at, const char* format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  std::array<char, 64> text{};
  if (::localtime_r(&seconds, &parts) == nullptr) return "?";
  if (std::strftime(text.data(), text.size(), format, &parts) == 0) return "?";
  return text.data();
}

}  // namespace

std::string local_time_text(WallTime at, html::TimeDetail detail) {
  switch (detail) {
    case html::TimeDetail::date:
      return local_text(at, "%-d %b");
    case html::TimeDetail::date_and_minute:
      return local_text(at, "%-d %b %H:%M");
    case html::TimeDetail::minute:
      return local_text(at, "%H:%M");
    case html::TimeDetail::second:
      break;
  }
  return local_text(at, "%H:%M:%S");
}

std::string local_time_with_zone(WallTime at) { return local_text(at, "%Y-%m-%d %H:%M:%S %Z"); }

}  // namespace tidemill::pages
