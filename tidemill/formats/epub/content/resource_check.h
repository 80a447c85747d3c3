// What the first bytes of an image say against what the manifest says of it. Everything else that
// is no document (fonts, sound, films) is not looked into. The formats of images, by their names
// and by their first bytes, are for repair too.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

enum class ImageFormat : std::uint8_t { unknown, jpeg, png, gif, bmp, tiff, wbmp };

[[nodiscard]] std::string_view name_of(ImageFormat format);
// Only JPEG, PNG and GIF: the images that EPUB knows and whose bytes are looked at.
[[nodiscard]] ImageFormat format_of_media_type(std::string_view media_type);
[[nodiscard]] ImageFormat format_of_extension(std::string_view lowered);
[[nodiscard]] ImageFormat format_of_bytes(std::string_view head);

// The first four bytes are those of the format.
[[nodiscard]] bool begins_as(std::string_view head, ImageFormat format);

// Width and height cannot be read. Only when it is certain: `is_whole` says that head is all there
// is.
[[nodiscard]] bool is_broken_image(std::string_view head, ImageFormat format, bool is_whole);

// OPF-029 (another format than declared), MED-004 and PKG-021 (damaged), PKG-022 (another format
// than the name says). Without an archive there is nothing to look at. An entry that cannot be read
// is reported as any other.
void check_resource(Document& document);

}  // namespace tidemill::epub
