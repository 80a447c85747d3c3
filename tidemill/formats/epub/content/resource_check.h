// Compares the first bytes of an image with its media type in the manifest and with its name. Other
// resources (fonts, audio, video) are not opened. Repair uses the detection of image formats too.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

enum class ImageFormat : std::uint8_t { unknown, jpeg, png, gif, bmp, tiff, wbmp };

[[nodiscard]] std::string_view name_of(ImageFormat format);
// Only JPEG, PNG and GIF: the image types of EPUB whose bytes are checked.
[[nodiscard]] ImageFormat format_of_media_type(std::string_view media_type);
[[nodiscard]] ImageFormat format_of_extension(std::string_view lowered);
[[nodiscard]] ImageFormat format_of_bytes(std::string_view head);

// The first four bytes match the format.
[[nodiscard]] bool begins_as(std::string_view head, ImageFormat format);

// Width and height cannot be read. True only if that is certain; `is_whole`: head is the complete
// file.
[[nodiscard]] bool is_broken_image(std::string_view head, ImageFormat format, bool is_whole);

// OPF-029 (not the declared format), MED-004 and PKG-021 (damaged), PKG-022 (not the format of the
// extension). Does nothing without an archive. An entry that cannot be read is reported like any
// other.
void check_resource(Document& document);

}  // namespace tidemill::epub
