#include "tidemill/formats/epub/content/resource_check.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/formats/epub/content/document_check.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1A\n"sv;

// 0 past the end.
unsigned byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

bool is_broken_png(std::string_view head) {
  constexpr std::size_t kHeader = 29;  // signature, length, name, and the 13 bytes of IHDR
  if (head.size() < kHeader) return true;
  return head.substr(16, 4) == "\0\0\0\0"sv || head.substr(20, 4) == "\0\0\0\0"sv;
}

// Reads the blocks up to the first image.
bool is_broken_gif(std::string_view head, bool is_whole) {
  if (head.size() < 13) return true;
  const unsigned flags = byte_at(head, 10);
  std::size_t at = 13;
  if ((flags & 0x80U) != 0) at += std::size_t{3} << ((flags & 7U) + 1);
  while (at < head.size()) {
    if (head[at] == ',') return is_whole && at + 10 > head.size();
    if (head[at] != '!') return true;
    at += 2;
    while (at < head.size() && head[at] != 0) at += 1 + byte_at(head, at);
    ++at;
  }
  return is_whole;
}

// Reads the segments up to the first frame.
bool is_broken_jpeg(std::string_view head, bool is_whole) {
  std::size_t at = 2;
  while (at + 4 <= head.size()) {
    if (byte_at(head, at) != 0xFF) return true;
    const unsigned kind = byte_at(head, at + 1);
    if (kind == 0xFF) {  // fill byte
      ++at;
      continue;
    }
    const bool is_frame =
        kind >= 0xC0 && kind <= 0xCF && kind != 0xC4 && kind != 0xC8 && kind != 0xCC;
    if (is_frame) return false;
    if (kind == 0xD9) return true;
    if (kind == 0x01 || (kind >= 0xD0 && kind <= 0xD7)) {
      at += 2;
      continue;
    }
    const std::size_t length = byte_at(head, at + 2) << 8U | byte_at(head, at + 3);
    if (length < 2) return true;
    at += 2 + length;
  }
  return is_whole;
}

}  // namespace

std::string_view name_of(ImageFormat format) {
  constexpr std::array<std::string_view, 7> kNames = {"unknown", "JPEG", "PNG", "GIF",
                                                      "BMP",     "TIFF", "WBMP"};
  return kNames.at(static_cast<std::size_t>(format));
}

ImageFormat format_of_media_type(std::string_view media_type) {
  if (media_type == "image/jpeg") return ImageFormat::jpeg;
  if (media_type == "image/png") return ImageFormat::png;
  if (media_type == "image/gif") return ImageFormat::gif;
  return ImageFormat::unknown;
}

ImageFormat format_of_extension(std::string_view lowered) {
  using Pair = std::pair<std::string_view, ImageFormat>;
  constexpr std::array kExtensions = {
      Pair{"jpg", ImageFormat::jpeg},  Pair{"jpeg", ImageFormat::jpeg},
      Pair{"png", ImageFormat::png},   Pair{"gif", ImageFormat::gif},
      Pair{"bmp", ImageFormat::bmp},   Pair{"tif", ImageFormat::tiff},
      Pair{"tiff", ImageFormat::tiff}, Pair{"wbmp", ImageFormat::wbmp},
  };
  for (const auto& [extension, format] : kExtensions) {
    if (extension == lowered) return format;
  }
  return ImageFormat::unknown;
}

ImageFormat format_of_bytes(std::string_view head) {
  using Pair = std::pair<std::string_view, ImageFormat>;
  constexpr std::array kSignatures = {
      Pair{"\xFF\xD8"sv, ImageFormat::jpeg}, Pair{kPngSignature, ImageFormat::png},
      Pair{"GIF87a"sv, ImageFormat::gif},    Pair{"GIF89a"sv, ImageFormat::gif},
      Pair{"BM"sv, ImageFormat::bmp},        Pair{"II*\0"sv, ImageFormat::tiff},
      Pair{"MM\0*"sv, ImageFormat::tiff},
  };
  for (const auto& [signature, format] : kSignatures) {
    if (head.starts_with(signature)) return format;
  }
  return ImageFormat::unknown;
}

bool begins_as(std::string_view head, ImageFormat format) {
  if (format == ImageFormat::jpeg) return head.starts_with("\xFF\xD8"sv);
  if (format == ImageFormat::gif) return head.starts_with("GIF8"sv);
  if (format == ImageFormat::png) return head.starts_with("\x89PNG"sv);
  return true;
}

bool is_broken_image(std::string_view head, ImageFormat format, bool is_whole) {
  if (format == ImageFormat::png) return is_broken_png(head);
  if (format == ImageFormat::gif) return is_broken_gif(head, is_whole);
  if (format == ImageFormat::jpeg) return is_broken_jpeg(head, is_whole);
  return false;
}

namespace {

// Most images have their size in the first bytes; some have a preview or a profile before it.
constexpr std::size_t kFirst = 1024;
constexpr std::size_t kHead = std::size_t{64} << 10U;

// Compares the extension with the bytes.
void check_name(const Document& document, std::string_view head, bool is_whole) {
  const std::string_view path = document.path;
  const auto dot = path.rfind('.');
  const auto slash = path.rfind('/');
  if (dot != std::string_view::npos && slash != std::string_view::npos && dot < slash) return;
  const std::string extension =
      dot == std::string_view::npos ? std::string() : lowered(path.substr(dot + 1));
  if (extension == "svg") return;
  if (head.starts_with(std::string_view("\0\0", 2))) return;  // possibly WBMP: not certain
  const ImageFormat by_name = format_of_extension(extension);
  const ImageFormat by_bytes = format_of_bytes(head);
  if (by_name == ImageFormat::unknown || by_bytes == ImageFormat::unknown) {
    document.report("PKG-021", {},
                    "the extension or the contents are not those of a known image format");
  } else if (by_name != by_bytes) {
    document.report("PKG-022", {},
                    std::string(name_of(by_bytes)) + " in a file named ." + extension);
  } else if (is_broken_image(head, by_bytes, is_whole)) {
    document.report("PKG-021", {}, "its size cannot be read");
  }
}

}  // namespace

void check_resource(Document& document) {
  if (document.book->archive == nullptr || document.item == nullptr) return;
  const ImageFormat declared = format_of_media_type(document.item->media_type);
  if (declared == ImageFormat::unknown) return;
  const zip::Archive& archive = *document.book->archive;
  const zip::ZipEntry* entry = document.book->entry_at(document.path);
  if (entry == nullptr) return;
  std::size_t asked = kFirst;
  auto head = archive.read_head(*entry, asked);
  if (head && head->size() == asked && is_broken_image(*head, format_of_bytes(*head), true)) {
    asked = kHead;
    head = archive.read_head(*entry, asked);
  }
  if (!head) return report_unread(document, head.error());
  if (head->size() < 4) {
    document.report("MED-004", {});
  } else if (!begins_as(*head, declared)) {
    document.report("OPF-029", {}, document.item->media_type);
  }
  check_name(document, *head, head->size() < asked);
}

}  // namespace tidemill::epub
