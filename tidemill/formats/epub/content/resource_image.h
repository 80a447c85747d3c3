// Formats of images, by their names and by their first bytes.
#pragma once

#include <cstdint>
#include <string_view>

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

}  // namespace tidemill::epub
