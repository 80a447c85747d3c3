#include "tidemill/formats/epub/repair/fixers/kinds.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/fixers/documents.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

struct Kind {
  std::string_view extension{};
  std::size_t at = 0;        // offset of the magic
  std::string_view magic{};  // empty: the extension suffices
  std::string_view type{};
  std::string_view type_of_epub2{};
};

constexpr Kind kind(std::string_view extension, std::string_view magic, std::string_view type,
                    std::string_view type_of_epub2) {
  return {.extension = extension, .magic = magic, .type = type, .type_of_epub2 = type_of_epub2};
}

constexpr std::array kKinds = {
    kind(".css", "", "text/css", "text/css"),
    kind(".jpg", "\xff\xd8\xff", "image/jpeg", "image/jpeg"),
    kind(".jpeg", "\xff\xd8\xff", "image/jpeg", "image/jpeg"),
    kind(".png", "\x89PNG", "image/png", "image/png"),
    kind(".gif", "GIF8", "image/gif", "image/gif"),
    kind(".otf", "OTTO", "font/otf", "application/vnd.ms-opentype"),
    kind(".ttf", std::string_view("\0\1\0\0", 4), "font/ttf", "application/x-font-ttf"),
    kind(".woff", "wOFF", "font/woff", ""),
    kind(".woff2", "wOF2", "font/woff2", ""),
    kind(".mp3", "ID3", "audio/mpeg", ""),
    kind(".mp3", "\xff\xfb", "audio/mpeg", ""),
    Kind{.extension = ".m4a", .at = 4, .magic = "ftyp", .type = "audio/mp4"},
};

// Documents, by extension and root element.
struct Root {
  std::string_view extension{};
  std::string_view name{};
  std::string_view space{};  // the namespace
  std::string_view type{};
};

constexpr Root root(std::string_view extension, std::string_view name, std::string_view space,
                    std::string_view type) {
  return {.extension = extension, .name = name, .space = space, .type = type};
}

constexpr std::array kRoots = {
    root(".xhtml", "html", kXhtmlNamespace, kXhtmlType),
    root(".html", "html", kXhtmlNamespace, kXhtmlType),
    root(".htm", "html", kXhtmlNamespace, kXhtmlType),
    root(".svg", "svg", kSvgNamespace, kSvgType),
    root(".ncx", "ncx", kNcxNamespace, kNcxType),
};

bool is_named(std::string_view path, std::string_view extension) {
  return path.size() > extension.size() && ends_in_any_case(path, extension);
}

std::string_view type_by_root(std::string_view path, std::string_view head) {
  const auto pieces = scan(head);
  const Scanned* tag = root_of(pieces);
  if (tag == nullptr) return {};
  const auto* space = tag->attribute(head, "xmlns");
  for (const Root& one : kRoots) {
    if (!is_named(path, one.extension) || tag->name.in(head) != one.name) continue;
    return space != nullptr && space->value.in(head) == one.space ? one.type : std::string_view();
  }
  return {};
}

}  // namespace

std::string_view certain_type(const Inspection& found, const std::string& path) {
  constexpr std::size_t kHead = 4096;  // a prolog and the first tag
  const zip::ZipEntry* entry = found.archive->find(path);
  if (entry == nullptr || path.starts_with("META-INF/")) return {};
  const auto head = found.archive->read_head(*entry, kHead);
  if (!head) return {};
  for (const Kind& one : kKinds) {
    if (!is_named(path, one.extension) || head->size() < one.at) continue;
    if (!std::string_view(*head).substr(one.at).starts_with(one.magic)) continue;
    return found.edition() == Edition::epub2 ? one.type_of_epub2 : one.type;
  }
  return type_by_root(path, *head);
}

std::string_view official_name(std::string_view declared, Edition edition) {
  using Alias = std::pair<std::string_view, std::string_view>;
  static constexpr auto kNames = std::to_array<Alias>({{"image/jpg", "image/jpeg"},
                                                       {"image/pjpeg", "image/jpeg"},
                                                       {"image/x-png", "image/png"},
                                                       {"image/svg", "image/svg+xml"},
                                                       {"audio/mp3", "audio/mpeg"},
                                                       {"font/opentype", "font/otf"},
                                                       {"font/truetype", "font/ttf"}});
  const auto* const known = std::ranges::find(kNames, declared, &Alias::first);
  if (known == kNames.end()) return {};
  const bool is_image = known->second.starts_with("image/");
  return edition == Edition::epub3 || is_image ? known->second : std::string_view();
}

bool stands_for(std::string_view declared, std::string_view type, Edition edition) {
  if (declared == type) return true;
  if (is_font_type(type)) return edition == Edition::epub2 || is_core_font_type(declared);
  if (edition == Edition::epub3) return false;
  return (type == kXhtmlType && is_old_content_document(declared)) ||
         (type == kCssType && is_style_type(declared));
}

}  // namespace tidemill::epub
