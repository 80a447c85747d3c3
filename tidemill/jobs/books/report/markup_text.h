// Escapes text for HTML, XML and Markdown. The text must be printable: pass bytes from books
// through text::printable() first. Cannot fail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::books {

// For an element or a quoted attribute. The result contains only characters allowed in XML 1.0.
[[nodiscard]] std::string for_markup(std::string_view text);

// For text inside a line or a table cell, not at the beginning of a line. Escapes only what would
// be markup there, so that the source stays readable.
[[nodiscard]] std::string for_markdown(std::string_view text);

// A name as a code span: nothing in it becomes markup, a link or a mention.
enum class Within : std::uint8_t { line, table };
[[nodiscard]] std::string code_span(std::string_view text, Within within);

}  // namespace tidemill::books
