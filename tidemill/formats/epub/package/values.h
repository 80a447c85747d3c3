// Small values in a package document: names, dates, language tags, UUIDs, clock values. Each
// function says whether a text has the form; nothing here fails.
#pragma once

#include <optional>
#include <string_view>

namespace tidemill::epub {

// A well-formed BCP 47 tag: "en", "sr-Latn-RS", "x-klingon". White space around it is a fault.
[[nodiscard]] bool is_language_tag(std::string_view text);
// What XML Schema calls a language: up to eight letters, then groups of letters and digits.
[[nodiscard]] bool is_schema_language(std::string_view text);

// "2024", "2024-05", "2024-05-31", "2024-05-31T12:00Z" and finer.
[[nodiscard]] bool is_publication_date(std::string_view text);
// "2024-05-31T12:00:00Z", exactly so.
[[nodiscard]] bool is_modified_date(std::string_view text);

// Five groups of hexadecimal digits.
[[nodiscard]] bool is_uuid(std::string_view text);

// "1:02:03.5", "02:03", "10min", "5": milliseconds; nothing: not of that form.
[[nodiscard]] std::optional<double> clock_milliseconds(std::string_view text);

// type/subtype, whatever follows.
[[nodiscard]] bool is_media_type(std::string_view text);

}  // namespace tidemill::epub
