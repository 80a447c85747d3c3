#include "tidemill/formats/epub/package/media_types.h"

#include <algorithm>
#include <array>

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

template <std::size_t N>
bool is_one_of(std::string_view type, const std::array<std::string_view, N>& types) {
  return std::ranges::find(types, type) != types.end();
}

// "audio/ogg; codecs=opus", with or without spaces around the semicolon.
bool is_opus(std::string_view type) {
  constexpr std::string_view kType = "audio/ogg";
  constexpr std::string_view kCodec = "codecs=opus";
  if (!type.starts_with(kType) || !type.ends_with(kCodec)) return false;
  if (type.size() < kType.size() + kCodec.size()) return false;
  type.remove_prefix(kType.size());
  type.remove_suffix(kCodec.size());
  return std::ranges::count(type, ';') == 1 &&
         type.find_first_not_of(" \t\r\n;") == std::string_view::npos;
}

}  // namespace

bool is_audio_type(std::string_view type) { return type.starts_with("audio/"); }
bool is_video_type(std::string_view type) { return type.starts_with("video/"); }

bool is_font_type(std::string_view type) {
  return type.starts_with("font/") || type.starts_with("application/font-") ||
         type.starts_with("application/x-font") || type == "application/vnd.ms-opentype";
}

bool is_script_type(std::string_view type) {
  static constexpr auto kTypes = std::to_array<std::string_view>(
      {"application/javascript", "text/javascript", "application/ecmascript",
       "application/x-ecmascript", "application/x-javascript", "text/ecmascript",
       "text/javascript1.0", "text/javascript1.1", "text/javascript1.2", "text/javascript1.3",
       "text/javascript1.4", "text/javascript1.5", "text/jscript", "text/livescript",
       "text/x-ecmascript", "text/x-javascript"});
  return is_one_of(lowered(type), kTypes);
}

bool is_core_image_type(std::string_view type, Edition edition) {
  static constexpr auto kTypes =
      std::to_array<std::string_view>({"image/gif", "image/png", "image/jpeg", kSvgType});
  return is_one_of(type, kTypes) || (edition == Edition::epub3 && type == "image/webp");
}

bool is_core_audio_type(std::string_view type) {
  return type == "audio/mpeg" || type == "audio/mp4" || is_opus(type);
}

bool is_core_font_type(std::string_view type) {
  static constexpr auto kTypes = std::to_array<std::string_view>(
      {"font/otf", "font/ttf", "font/woff", "font/woff2", "application/font-sfnt",
       "application/font-woff", "application/vnd.ms-opentype", "application/x-font-ttf"});
  return is_one_of(type, kTypes);
}

bool is_old_content_document(std::string_view type) {
  return type == "text/x-oeb1-document" || type == "text/html";
}

bool is_style_type(std::string_view type) { return type == kCssType || type == "text/x-oeb1-css"; }

bool is_content_document(std::string_view type, Edition edition) {
  if (type == kXhtmlType) return true;
  return edition == Edition::epub2 ? type == kDtbookType : type == kSvgType;
}

bool is_core_media_type(std::string_view type, Edition edition) {
  static constexpr auto kOthers = std::to_array<std::string_view>(
      {kXhtmlType, kCssType, kOverlayType, "application/pls+xml", "text/javascript",
       "application/javascript", "application/ecmascript"});
  if (is_core_image_type(type, edition) || is_one_of(type, kOthers)) return true;
  if (edition == Edition::epub2 && (is_content_document(type, edition) || type == kNcxType ||
                                    is_old_content_document(type) || is_style_type(type))) {
    return true;
  }
  // Reading systems choose their video formats, so all of them count as core.
  return is_core_audio_type(type) || is_video_type(type) || is_core_font_type(type) ||
         type == "image/webp";
}

std::string_view preferred_media_type(std::string_view type, std::string_view path) {
  if (type == "application/font-sfnt") {
    if (path.ends_with(".ttf")) return "font/ttf";
    return path.ends_with(".otf") ? "font/otf" : "font/ttf or font/otf";
  }
  if (type == "application/vnd.ms-opentype") return "font/otf";
  if (type == "application/font-woff") return "font/woff";
  if (type == "application/x-font-ttf") return "font/ttf";
  if (type == "text/javascript" || type == "application/ecmascript") {
    return "application/javascript";
  }
  return {};
}

}  // namespace tidemill::epub
