#include "tidemill/formats/epub/content/resource_check.h"

#include <string>
#include <string_view>

#include "tidemill/formats/epub/content/document_check.h"
#include "tidemill/formats/epub/content/resource_image.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// Most images say their size in the first bytes; some have a preview or a profile before it.
constexpr std::size_t kFirst = 1024;
constexpr std::size_t kHead = std::size_t{64} << 10U;

// The name, the bytes, and what can be read of both.
void check_name(const Document& document, std::string_view head, bool is_whole) {
  const std::string_view path = document.path;
  const auto dot = path.rfind('.');
  const auto slash = path.rfind('/');
  if (dot != std::string_view::npos && slash != std::string_view::npos && dot < slash) return;
  const std::string extension =
      dot == std::string_view::npos ? std::string() : lowered(path.substr(dot + 1));
  if (extension == "svg") return;
  if (head.starts_with(std::string_view("\0\0", 2))) return;  // perhaps a WBMP: nobody can say
  const ImageFormat by_name = format_of_extension(extension);
  const ImageFormat by_bytes = format_of_bytes(head);
  if (by_name == ImageFormat::unknown || by_bytes == ImageFormat::unknown) {
    document.report("PKG-021", {}, "not an image that is known by name and content");
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
  const zip::Entry* entry = document.book->entry_at(document.path);
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
