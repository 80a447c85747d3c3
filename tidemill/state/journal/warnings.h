// The warnings of a checkpoint as one blob: each as its length in decimal, a colon, its bytes, a
// comma ("5:hello,"). Any bytes survive, and a person can read it in the sqlite3 shell.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::journal {

[[nodiscard]] std::string packed(std::span<const std::string> warnings);

// Nothing when the bytes are not what packed() makes.
[[nodiscard]] std::optional<std::vector<std::string>> unpacked(std::string_view bytes);

}  // namespace tidemill::journal
