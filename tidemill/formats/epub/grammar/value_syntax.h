// Attribute values with a syntax of their own: dates and times, lengths and colours of MathML,
// URIs. datatypes.cc gives them their names.
#pragma once

#include <string_view>

namespace tidemill::epub {

// Dates and times: those of XML Schema, of HTML's <time>, and SMIL clocks.
[[nodiscard]] bool is_xsd_date(std::string_view value);
[[nodiscard]] bool is_xsd_datetime(std::string_view value);
[[nodiscard]] bool is_xsd_date_or_datetime(std::string_view value);
[[nodiscard]] bool is_html_date(std::string_view value);
[[nodiscard]] bool is_html_time(std::string_view value);
[[nodiscard]] bool is_html_month(std::string_view value);
[[nodiscard]] bool is_html_week(std::string_view value);
[[nodiscard]] bool is_html_local(std::string_view value);   // a date and a time
[[nodiscard]] bool is_html_global(std::string_view value);  // … and perhaps a zone
[[nodiscard]] bool is_html_moment(std::string_view value);  // whatever time@datetime may be
[[nodiscard]] bool is_clock(std::string_view value);        // "1:02:03.5", "02:03", "12.5s"

// Lengths of MathML: "2em", "-.5", "50%", "thinmathspace", "negativeverythickmathspace".
[[nodiscard]] bool is_math_length(std::string_view value);
// Those of mpadded: also with a plus, and by another measure: "+20% height", "2 width".
[[nodiscard]] bool is_math_padding(std::string_view value);
// Colours: "#a0c", "#aa00cc", or one of the sixteen colours of HTML in any case.
[[nodiscard]] bool is_math_color(std::string_view value);

// Whether a text is an anyURI as the schemas of EPUB 2 mean it: nearly everything is (spaces, any
// letters, braces), for what a URI may not hold is taken as if it were escaped. What is left to be
// wrong: a % without two hex digits, a second #, something before the first colon that is no
// scheme, nothing after it, no authority after //, square brackets that hold no address.
[[nodiscard]] bool is_any_uri(std::string_view value);

}  // namespace tidemill::epub
