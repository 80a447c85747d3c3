#include "tidemill/state/journal/warnings.h"

#include <charconv>
#include <cstddef>
#include <system_error>

namespace tidemill::journal {

std::string packed(std::span<const std::string> warnings) {
  std::string bytes;
  for (const std::string& warning : warnings) {
    bytes += std::to_string(warning.size()) + ':' + warning + ',';
  }
  return bytes;
}

std::optional<std::vector<std::string>> unpacked(std::string_view bytes) {
  std::vector<std::string> warnings;
  while (!bytes.empty()) {
    std::size_t size = 0;
    const char* end = bytes.data() + bytes.size();
    const auto [colon, error] = std::from_chars(bytes.data(), end, size);
    if (error != std::errc{} || colon == end || *colon != ':') return std::nullopt;
    const auto room = static_cast<std::size_t>(end - colon) - 1;
    if (size >= room || colon[1 + size] != ',') return std::nullopt;
    warnings.emplace_back(colon + 1, size);
    bytes = std::string_view(colon + size + 2, room - size - 1);
  }
  return warnings;
}

}  // namespace tidemill::journal
