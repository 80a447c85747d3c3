// Media types as the EPUB specifications define them: core media types, kinds, and preferred names.
// Nothing here fails.
#pragma once

#include <string_view>

#include "tidemill/formats/epub/package/package.h"

namespace tidemill::epub {

inline constexpr std::string_view kPackageType = "application/oebps-package+xml";
inline constexpr std::string_view kXhtmlType = "application/xhtml+xml";
inline constexpr std::string_view kSvgType = "image/svg+xml";
inline constexpr std::string_view kXmlType = "application/xml";
inline constexpr std::string_view kNcxType = "application/x-dtbncx+xml";
inline constexpr std::string_view kDtbookType = "application/x-dtbook+xml";
inline constexpr std::string_view kOverlayType = "application/smil+xml";
inline constexpr std::string_view kCssType = "text/css";
inline constexpr std::string_view kSearchKeyType = "application/vnd.epub.search-key-map+xml";

// Kinds; they include types that are not core.
[[nodiscard]] bool is_audio_type(std::string_view media_type);
[[nodiscard]] bool is_video_type(std::string_view media_type);
[[nodiscard]] bool is_font_type(std::string_view media_type);
[[nodiscard]] bool is_script_type(std::string_view media_type);  // ignores case

// Core media types: every reading system supports them.
[[nodiscard]] bool is_core_media_type(std::string_view media_type, Edition edition);
[[nodiscard]] bool is_core_image_type(std::string_view media_type, Edition edition);
[[nodiscard]] bool is_core_audio_type(std::string_view media_type);
[[nodiscard]] bool is_core_font_type(std::string_view media_type);

// XHTML, SVG (EPUB 2: DTBook): allowed in the spine without a fallback.
[[nodiscard]] bool is_content_document(std::string_view media_type, Edition edition);
// Types from before EPUB 2: still accepted, with a warning.
[[nodiscard]] bool is_old_content_document(std::string_view media_type);
[[nodiscard]] bool is_style_type(std::string_view media_type);  // CSS, including the old name

// The media type to use instead; empty: this one is fine. The path's extension tells fonts apart.
[[nodiscard]] std::string_view preferred_media_type(std::string_view media_type,
                                                    std::string_view path);

}  // namespace tidemill::epub
