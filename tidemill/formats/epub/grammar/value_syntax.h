// Attribute values with their own syntax: dates and times, lengths and colours of MathML, URIs.
// datatypes.cc maps datatype names to these functions.
#pragma once

#include <string_view>

namespace tidemill::epub {

// Dates and times of XML Schema, of HTML's <time>, and SMIL clock values.
[[nodiscard]] bool is_xsd_date(std::string_view value);
[[nodiscard]] bool is_xsd_datetime(std::string_view value);
[[nodiscard]] bool is_xsd_date_or_datetime(std::string_view value);
[[nodiscard]] bool is_html_date(std::string_view value);
[[nodiscard]] bool is_html_time(std::string_view value);
[[nodiscard]] bool is_html_month(std::string_view value);
[[nodiscard]] bool is_html_week(std::string_view value);
[[nodiscard]] bool is_html_local(std::string_view value);   // a date and a time
[[nodiscard]] bool is_html_global(std::string_view value);  // … and an optional time zone
[[nodiscard]] bool is_html_moment(std::string_view value);  // any value of time@datetime
[[nodiscard]] bool is_clock(std::string_view value);        // "1:02:03.5", "02:03", "12.5s"

// Lengths of MathML: "2em", "-.5", "50%", "thinmathspace", "negativeverythickmathspace".
[[nodiscard]] bool is_math_length(std::string_view value);
// Lengths of mpadded: also with a plus, or relative to another dimension: "+20% height", "2 width".
[[nodiscard]] bool is_math_padding(std::string_view value);
// Colours: "#a0c", "#aa00cc", or one of the sixteen colours of HTML, ignoring case.
[[nodiscard]] bool is_math_color(std::string_view value);

// An anyURI as the schemas of EPUB 2 define it. Nearly every text is valid (spaces, any letters,
// braces), because forbidden characters count as escaped. Invalid: a % without two hex digits, a
// second #, text before the first colon that is not a scheme, nothing after that colon, no
// authority after //, square brackets without an address in them.
[[nodiscard]] bool is_any_uri(std::string_view value);

}  // namespace tidemill::epub
