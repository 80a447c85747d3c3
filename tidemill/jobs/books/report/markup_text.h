// Text inside HTML, XML and Markdown: the signs of the markup are escaped. The text must be fit to
// be shown already: bytes from books go through text::printable() first. Nothing can fail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::books {

// In an element or in a quoted attribute. What comes out is allowed in XML 1.0.
[[nodiscard]] std::string for_markup(std::string_view text);

// Inside a line or a cell of a table, not at the beginning of a line: only what would be taken for
// markup there is escaped, so that the source stays readable.
[[nodiscard]] std::string for_markdown(std::string_view text);

// A name as a code span: nothing in it is markup, a link, or a person who is called.
enum class Within : std::uint8_t { line, table };
[[nodiscard]] std::string code_span(std::string_view text, Within within);

}  // namespace tidemill::books
