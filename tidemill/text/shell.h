// Command lines as a person can read them and a shell can run them. Nothing can fail.
#pragma once

#include <span>
#include <string>

namespace tidemill::text {

// Words as a shell would need them. A word that could not be shown as it is (controls, bytes that
// are no UTF-8) is written as $'\x1b…', so the line is safe to show and can be typed again.
[[nodiscard]] std::string shell_line(std::span<const std::string> words);

}  // namespace tidemill::text
