#include "tidemill/book/checker.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "tidemill/book/container.h"
#include "tidemill/book/css_scanner.h"
#include "tidemill/book/dictionary_check.h"
#include "tidemill/book/document_check.h"
#include "tidemill/book/nav_rules.h"
#include "tidemill/book/overlay_reader.h"
#include "tidemill/book/package_check.h"
#include "tidemill/book/references_judge.h"
#include "tidemill/book/resource_check.h"
#include "tidemill/book/url.h"

namespace tidemill::book {
namespace {

constexpr std::uint64_t kLargestStyle = 32ULL << 20U;
constexpr std::size_t kMostRenditions = 16;
constexpr std::string_view kPackageType = "application/oebps-package+xml";

std::optional<Markup> markup_of(std::string_view media_type) {
  using Pair = std::pair<std::string_view, Markup>;
  static constexpr std::array kMarkups = {
      Pair("application/xhtml+xml", Markup::xhtml),
      Pair("image/svg+xml", Markup::svg),
      Pair("application/x-dtbook+xml", Markup::dtbook),
      Pair("application/x-dtbncx+xml", Markup::ncx),
      Pair("application/smil+xml", Markup::overlay),
      Pair("application/vnd.epub.search-key-map+xml", Markup::search_keys),
  };
  const auto* found = std::ranges::find(kMarkups, media_type, &Pair::first);
  if (found == kMarkups.end()) return std::nullopt;
  return found->second;
}

bool is_style(std::string_view media_type) {
  return media_type == "text/css" || media_type == "text/x-oeb1-css";
}

Bytes bytes_of(const zip::Archive& archive, const zip::Entry& entry) {
  return [&archive, &entry](const Sink& sink) { return archive.read(entry, sink); };
}

void check_style(Document& document, const zip::Archive& archive, const zip::Entry& entry) {
  const auto css = archive.read_whole(entry, kLargestStyle);
  if (!css) return report_unread(document, css.error());
  check_css(document, *css, {.line = 1, .column = 1});
}

// Only what is in the spine is laid out.
bool is_laid_out(const Package& package, const Item& item) {
  return package.is_fixed(item) && package.spine_position(item) != kNone;
}

void check_item(Inspection& book, const Item& item) {
  if (item.is_remote || item.has_fragment) return;  // no entry has such a name
  if (book.container.encrypted.contains(item.path)) return;
  const zip::Entry* entry = book.entry_at(item.path);
  if (entry == nullptr) return;  // check_manifest() has said so
  Document document{.book = &book,
                    .path = item.path,
                    .item = &item,
                    .is_nav = item.has("nav"),
                    .is_fixed = is_laid_out(book.package, item)};
  if (const auto markup = markup_of(item.media_type)) {
    check_markup(document, *markup, bytes_of(*book.archive, *entry));
  } else if (is_style(item.media_type)) {
    check_style(document, *book.archive, *entry);
  } else if (!book.container.obfuscated.contains(item.path)) {
    check_resource(document);
  }
}

void open_archive(Inspection& book, const zip::Archive& archive) {
  book.archive = &archive;
  for (const zip::Entry& entry : archive.entries()) {
    std::string name = composed(entry.name);
    if (name != entry.name) book.composed.try_emplace(std::move(name), &entry);
  }
}

// A package document; false: there is no use in going on.
bool read_package(Inspection& book, const std::string& path) {
  const zip::Entry* entry = book.entry_at(path);
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

// Further renditions of the same publication: what their package documents alone show.
void check_other_renditions(Inspection& book) {
  const auto& rootfiles = book.container.rootfiles;
  for (std::size_t at = 1; at < rootfiles.size() && at < kMostRenditions; ++at) {
    if (rootfiles[at].media_type != kPackageType) continue;
    Inspection other{.archive = book.archive, .container = book.container, .profile = book.profile};
    read_package(other, rootfiles[at].path);
    for (const Finding& one : other.findings.kept())
      book.findings.add(one.rule, one.place, one.detail);
  }
}

void check_whole(Inspection& book) {
  judge_references(book);
  if (const auto dropped = book.references.dropped(); dropped > 0) {
    book.findings.add("TIDE-017", {}, {},
                      std::to_string(dropped) + " references were not looked at");
  }
  judge_overlays(book);
  judge_navigation(book);
  check_dictionaries(book);
  check_package_end(book);
}

}  // namespace

Inspection check_epub(int fd, std::string_view file_name, Profile profile, zip::Limits limits) {
  Inspection book{.profile = profile};
  const auto archive = zip::Archive::open(fd, limits);
  if (!archive) {
    report_unreadable(archive.error(), book.findings);
    return book;
  }
  open_archive(book, *archive);
  book.container = check_container(*archive, file_name, book.findings, profile);
  const bool has_package = book.container.is_readable && !book.container.rootfiles.empty();
  if (has_package && read_package(book, book.container.rootfiles.front().path)) {
    check_manifest(book);
    // By position: a check may look at items, never add one.
    for (const Item& item : book.package.items) check_item(book, item);
    check_whole(book);
    check_other_renditions(book);
  }
  book.archive = nullptr;
  return book;
}

Inspection check_document(std::string_view bytes, std::string_view file_name, DocumentKind kind,
                          Edition edition, Profile profile) {
  Inspection book{.profile = profile};
  book.package.edition = edition;
  book.package.path = file_name;
  Document document{
      .book = &book, .path = std::string(file_name), .is_nav = kind == DocumentKind::nav};
  const Bytes all = [bytes](const Sink& sink) -> Result<void> {
    sink(bytes);
    return {};
  };
  switch (kind) {
    case DocumentKind::package:
      check_markup(document, Markup::package, all);
      check_dictionaries(book);  // what of it needs no archive
      break;
    case DocumentKind::xhtml:
    case DocumentKind::nav:
      check_markup(document, Markup::xhtml, all);
      break;
    case DocumentKind::svg:
      check_markup(document, Markup::svg, all);
      break;
    case DocumentKind::overlay:
      check_markup(document, Markup::overlay, all);
      break;
  }
  return book;
}

}  // namespace tidemill::book
