// Syntax of simple values in a package document: language tags, dates, UUIDs, clock values, media
// types. Nothing here fails.
#pragma once

#include <optional>
#include <string_view>

namespace tidemill::epub {

// A well-formed BCP 47 tag: "en", "sr-Latn-RS", "x-klingon". White space around it is invalid.
[[nodiscard]] bool is_language_tag(std::string_view text);
// The type xs:language of XML Schema: up to eight letters, then groups of letters and digits.
[[nodiscard]] bool is_schema_language(std::string_view text);

// "2024", "2024-05", "2024-05-31", "2024-05-31T12:00Z" and more precise.
[[nodiscard]] bool is_publication_date(std::string_view text);
// Exactly the form "2024-05-31T12:00:00Z".
[[nodiscard]] bool is_modified_date(std::string_view text);

// Five groups of hexadecimal digits.
[[nodiscard]] bool is_uuid(std::string_view text);

// "1:02:03.5", "02:03", "10min" or "5" in milliseconds; nullopt: not a clock value.
[[nodiscard]] std::optional<double> clock_milliseconds(std::string_view text);

// Begins with type/subtype; anything may follow.
[[nodiscard]] bool is_media_type(std::string_view text);

}  // namespace tidemill::epub
