// Dates and times as attribute values: those of XML Schema, of HTML's <time>, and SMIL clocks.
#pragma once

#include <string_view>

namespace tidemill::epub {

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

}  // namespace tidemill::epub
