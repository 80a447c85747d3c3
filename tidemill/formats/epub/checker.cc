// Map of this folder, in the order in which a book passes through it:
//   inspection, rules    the state of one book while it is checked; findings and the list of rules
//   container            the archive and META-INF
//   package              the package document; media types, vocabularies
//   content              every other document: its handlers, and the rules of each format beyond
//                        its grammar; xhtml has the rules of XHTML
//   grammar              grammars: their text, their tables, and validation of a document
//   css, references      CSS; links and their targets, checked after all documents are read
//   repair               start with book_repair.h; fixers has one function for each kind of fault
//   words, namespaces, unicode    shared by all of them
#include "tidemill/formats/epub/checker.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/formats/epub/container/container.h"
#include "tidemill/formats/epub/content/document_check.h"
#include "tidemill/formats/epub/content/nav_rules.h"
#include "tidemill/formats/epub/content/overlay_reader.h"
#include "tidemill/formats/epub/content/resource_check.h"
#include "tidemill/formats/epub/css/scanner.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/package/package_check.h"
#include "tidemill/formats/epub/references/judge.h"

namespace tidemill::epub {
namespace {

constexpr std::uint64_t kLargestStyle = 32ULL << 20U;
constexpr std::size_t kMostRenditions = 16;

std::optional<Markup> markup_of(std::string_view media_type) {
  using Pair = std::pair<std::string_view, Markup>;
  static constexpr std::array kMarkups = {
      Pair(kXhtmlType, Markup::xhtml),     Pair(kSvgType, Markup::svg),
      Pair(kDtbookType, Markup::dtbook),   Pair(kNcxType, Markup::ncx),
      Pair(kOverlayType, Markup::overlay), Pair(kSearchKeyType, Markup::search_keys),
  };
  const auto* found = std::ranges::find(kMarkups, media_type, &Pair::first);
  if (found == kMarkups.end()) return std::nullopt;
  return found->second;
}

ContentReader bytes_of(const zip::Archive& archive, const zip::ZipEntry& entry) {
  return [&archive, &entry](const ContentSink& sink) { return archive.read(entry, sink); };
}

void check_style(Document& document, const zip::Archive& archive, const zip::ZipEntry& entry) {
  const auto css = archive.read_whole(entry, kLargestStyle);
  if (!css) return report_unread(document, css.error());
  check_css(document, *css, {.line = 1, .column = 1});
}

// Only documents in the spine have a layout.
bool is_laid_out(const Package& package, const Item& item) {
  return package.is_fixed(item) && package.spine_position(item) != kNone;
}

void check_item(Inspection& book, const Item& item) {
  if (item.is_remote || item.has_fragment) return;  // no entry has such a name
  if (book.container.encrypted.contains(item.path) || item.path == book.package.path) return;
  const zip::ZipEntry* entry = book.entry_at(item.path);
  if (entry == nullptr) return;  // reported by check_manifest()
  const bool is_wrong_toc = item.id == book.package.toc && item.media_type != kNcxType;
  if (is_wrong_toc && book.edition() == Edition::epub2) return;  // CHK-008
  Document document{.book = &book,
                    .path = item.path,
                    .item = &item,
                    .is_nav = item.has("nav"),
                    .is_fixed = is_laid_out(book.package, item)};
  if (const auto markup = markup_of(item.media_type)) {
    check_markup(document, *markup, bytes_of(*book.archive, *entry));
  } else if (is_style_type(item.media_type)) {
    check_style(document, *book.archive, *entry);
  } else if (!book.container.obfuscated.contains(item.path)) {
    check_resource(document);
  }
}

// Reads a package document. False: the check of this rendition cannot continue.
bool read_package(Inspection& book, const std::string& path) {
  const zip::ZipEntry* entry = book.entry_at(path);
  if (entry == nullptr) {
    book.findings.add("OPF-002", path, {});
    return false;
  }
  book.package.path = path;
  Document document{.book = &book, .path = path};
  const auto fatal = book.findings.count(Severity::fatal);
  check_markup(document, Markup::package, bytes_of(*book.archive, *entry));
  return book.package.is_read && book.findings.count(Severity::fatal) == fatal;
}

void check_whole(Inspection& book) {
  judge_references(book);
  if (const auto dropped = book.references.dropped(); dropped > 0) {
    book.findings.add("TIDE-017", {}, {}, std::to_string(dropped) + " references were not checked");
  }
  judge_overlays(book);
  judge_navigation(book);
  check_dictionaries(book);
  check_package_end(book);
}

// Checks the files that the package document lists, then the book as a whole.
void check_contents(Inspection& book) {
  check_manifest(book);
  // Checks must not add items: this loop and Document::item refer to elements of the vector.
  for (const Item& item : book.package.items) check_item(book, item);
  check_whole(book);
}

// Other renditions of the same publication.
void check_other_renditions(Inspection& book) {
  const auto& rootfiles = book.container.rootfiles;
  for (std::size_t at = 1; at < rootfiles.size() && at < kMostRenditions; ++at) {
    if (rootfiles[at].media_type != kPackageType) continue;
    Inspection other{.archive = book.archive, .container = book.container, .profile = book.profile};
    other.open(*book.archive);
    if (read_package(other, rootfiles[at].path)) check_contents(other);
    book.findings.take(std::move(other.findings));
  }
}

}  // namespace

Inspection check_epub(int fd, std::string_view file_name, Profile profile,
                      zip::ArchiveLimits limits) {
  Inspection book{.profile = profile};
  const auto archive = zip::Archive::open(fd, limits);
  if (!archive) {
    report_unreadable(archive.error(), book.findings);
    return book;
  }
  book.open(*archive);
  check_container(book, file_name);
  const bool has_package = book.container.is_readable && !book.container.rootfiles.empty();
  if (has_package && read_package(book, book.container.rootfiles.front().path)) {
    check_contents(book);
    check_other_renditions(book);
  }
  book.archive = nullptr;
  return book;
}

}  // namespace tidemill::epub
