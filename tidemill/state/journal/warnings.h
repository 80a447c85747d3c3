// Packs the warnings of a checkpoint into one blob of netstrings: the length in decimal, a colon,
// the bytes, a comma ("5:hello,"). Any bytes survive, and the blob is readable in the sqlite3
// shell.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::journal {

[[nodiscard]] std::string packed(std::span<const std::string> warnings);

// nullopt when packed() cannot have made these bytes.
[[nodiscard]] std::optional<std::vector<std::string>> unpacked(std::string_view bytes);

}  // namespace tidemill::journal
