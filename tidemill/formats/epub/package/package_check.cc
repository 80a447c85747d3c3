#include "tidemill/formats/epub/package/package_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tidemill/formats/epub/container/container.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

using Entries = std::unordered_set<std::string_view>;

void report(Inspection& book, RuleId rule, xml::Position at, std::string detail = {}) {
  book.findings.add(rule, book.package.path, at, std::move(detail));
}

// Files that the package document does not declare.
void check_undeclared(Inspection& book) {
  Entries declared;
  for (const MetadataLink& link : book.package.links) declared.insert(link.target.path);
  for (const Collection& collection : book.package.collections) {
    for (const MetadataLink& link : collection.links) declared.insert(link.target.path);
  }
  for (const Container::Rootfile& root : book.container.rootfiles) declared.insert(root.path);
  // The items of another package document are not known here.
  if (std::ranges::count(book.container.rootfiles, kPackageType, &Container::Rootfile::media_type) >
      1) {
    return;
  }
  for (const zip::ZipEntry& entry : book.archive->entries()) {
    const std::string_view name = entry.name;
    if (entry.is_folder() || name == kMimetypePath || name.starts_with("META-INF/")) continue;
    if (declared.contains(name) || book.package.item_at(name) != nullptr) continue;
    report(book, "OPF-003", {}, entry.name);
  }
}

struct Trait {
  std::string_view property{};
  bool Traits::* field = nullptr;
};

constexpr auto kTraits =
    std::to_array<Trait>({{.property = "mathml", .field = &Traits::has_mathml},
                          {.property = "svg", .field = &Traits::has_svg},
                          {.property = "switch", .field = &Traits::has_switch},
                          {.property = "remote-resources", .field = &Traits::has_remote_resources},
                          {.property = "index", .field = &Traits::has_index},
                          {.property = "dictionary", .field = &Traits::has_dictionary}});

bool is_used(const Traits& traits, std::string_view property) {
  if (property == "scripted") return traits.is_scripted || traits.has_forms;
  const auto* const found = std::ranges::find(kTraits, property, &Trait::property);
  return found != kTraits.end() && traits.*(found->field);
}

// A property that is declared but not used.
void check_unused_property(Inspection& book, const Item& item, const Traits& traits,
                           std::string_view property) {
  if (property == "remote-resources") {
    if (is_used(traits, "scripted")) {
      report(book, "OPF-018b", item.at, item.path);
    } else {
      report(book, "OPF-018", item.at, item.path);
    }
    return;
  }
  const bool is_fine = property == "svg" && traits.refers_to_svg;
  if (!is_fine) report(book, "OPF-015", item.at, std::string(property) + ": " + item.path);
}

void check_properties(Inspection& book, const Item& item) {
  static constexpr auto kProperties = std::to_array<std::string_view>(
      {"scripted", "mathml", "svg", "switch", "remote-resources", "index", "dictionary"});
  const auto found = book.traits.find(item.path);
  if (found == book.traits.end() || !book.references.was_read(item.path)) return;
  const bool is_document = is_content_document(item.media_type, Edition::epub3);
  for (const std::string_view property : kProperties) {
    const bool is_declared = item.has(property);
    const bool is_there = is_used(found->second, property);
    // This is the only property required of a style sheet or an overlay.
    if (!is_document && property != "remote-resources") continue;
    // An SVG document is SVG.
    if (item.media_type == kSvgType && property == "svg") continue;
    // Indexes and dictionaries need not declare the property: a collection may list them.
    if (is_there && !is_declared && property != "index" && property != "dictionary") {
      report(book, "OPF-014", item.at, std::string(property) + ": " + item.path);
    } else if (!is_there && is_declared && (is_document || is_style_type(item.media_type))) {
      check_unused_property(book, item, found->second, property);
    }
  }
}

// EPUB 2 has no properties, but its style sheets are checked for remote-resources all the same.
void check_styles2(Inspection& book) {
  for (const Item& item : book.package.items) {
    const auto found = book.traits.find(item.path);
    if (found == book.traits.end() || !is_style_type(item.media_type)) continue;
    if (found->second.has_remote_resources) {
      report(book, "OPF-014", item.at, "remote-resources: " + item.path);
    }
  }
}

bool is_hyperlink(Use use) {
  switch (use) {
    case Use::hyperlink:
    case Use::nav_toc:
    case Use::nav_pages:
    case Use::nav_landmarks:
    case Use::nav_other:
    case Use::ncx:
      return true;
    default:
      return false;
  }
}

bool is_mere_mention(Use use) {
  return is_hyperlink(use) || use == Use::citation || use == Use::package_link ||
         use == Use::overlay_text || use == Use::search_key;
}

// Documents outside the reading order must be reachable by a link; other items must be used.
void check_reached(Inspection& book) {
  Entries linked;
  Entries used;
  for (const Reference& reference : book.references.all()) {
    if (is_hyperlink(reference.use)) linked.insert(reference.target.path);
    if (!is_mere_mention(reference.use)) used.insert(reference.target.path);
  }
  Entries overlays;
  for (const Item& item : book.package.items) overlays.insert(item.media_overlay);
  const bool has_scripts =
      std::ranges::any_of(book.traits, [](const auto& entry) { return entry.second.is_scripted; });
  Entries aside;
  for (const SpineRef& ref : book.package.spine) {
    if (!ref.is_linear) aside.insert(ref.idref);
  }
  for (const Item& item : book.package.items) {
    if (book.package.spine_position(item) == kNone) {
      const bool is_contents = item.has("nav") || item.id == book.package.toc;
      if (!is_contents && !used.contains(item.path) && !overlays.contains(item.id)) {
        report(book, "OPF-097", item.at, item.path);
      }
    } else if (aside.contains(item.id) && !linked.contains(item.path)) {
      if (has_scripts) {
        report(book, "OPF-096b", item.at, item.path);
      } else {
        report(book, "OPF-096", item.at, item.path);
      }
    }
  }
}

void check_guide(Inspection& book) {
  for (const GuideRef& ref : book.package.guide) {
    const Item* item = book.package.item_at(ref.target.path);
    if (item == nullptr) {
      report(book, "OPF-031", ref.at, ref.href);
    } else if (!is_content_document(item->media_type, book.edition()) &&
               !is_old_content_document(item->media_type)) {
      report(book, "OPF-032", ref.at, ref.href);
    }
  }
}

void check_pagination(Inspection& book) {
  if (book.profile != Profile::education && !book.package.is_of_type("edupub")) return;
  const bool has_pages = std::ranges::any_of(
      book.traits, [](const auto& entry) { return entry.second.has_page_breaks; });
  if (has_pages && !book.package.has_pagination_source) report(book, "OPF-066", {});
}

}  // namespace

void check_manifest(Inspection& book) {
  for (const Item& item : book.package.items) {
    if (item.is_remote || item.is_data || item.path == book.package.path) continue;
    // No entry has a name with a fragment.
    if (item.has_fragment || !book.has_entry(item.path)) {
      book.findings.add("RSC-001", item.path, {}, item.href);
    }
    const bool is_font = book.edition() == Edition::epub2 ? is_font_type(item.media_type)
                                                          : is_core_font_type(item.media_type);
    if (book.container.obfuscated.contains(item.path) && !is_font) {
      report(book, "PKG-026", item.at, item.path + " is " + item.media_type);
    }
  }
  check_undeclared(book);
}

void check_package_end(Inspection& book) {
  check_guide(book);
  if (book.edition() == Edition::epub2) return check_styles2(book);
  for (const Item& item : book.package.items) check_properties(book, item);
  check_reached(book);
  check_pagination(book);
}

// Dictionaries, indexes and previews.
namespace {

bool has_dictionary(const Inspection& book, std::string_view path) {
  const auto found = book.traits.find(path);
  return found != book.traits.end() && found->second.has_dictionary;
}

void check_dictionary(Inspection& book, const Collection& dictionary) {
  bool has_keys = false;
  bool has_content = false;
  for (const MetadataLink& link : dictionary.links) {
    const Item* item = book.package.item_at(link.target.path);
    if (item == nullptr) {
      report(book, "OPF-081", link.at, link.href);
    } else if (item->media_type == kSearchKeyType) {
      if (has_keys) report(book, "OPF-082", link.at, link.href);
      has_keys = true;
    } else if (item->media_type != kXhtmlType) {
      report(book, "OPF-084", link.at, link.href);
    } else {
      has_content = has_content || has_dictionary(book, item->path);
    }
  }
  if (!has_keys) report(book, "OPF-083", dictionary.at);
  if (!has_content && book.archive != nullptr) report(book, "OPF-078", dictionary.at);
}

// An index and its groups at any depth.
void check_index(Inspection& book, const Collection& index) {
  std::vector<const Collection*> waiting = {&index};
  while (!waiting.empty()) {
    const Collection& one = *waiting.back();
    waiting.pop_back();
    if (!has_word(one.role, "index") && !has_word(one.role, "index-group")) continue;
    for (const MetadataLink& link : one.links) {
      const Item* item = book.package.item_at(link.target.path);
      if (item == nullptr || item->media_type != kXhtmlType) {
        report(book, "OPF-071", link.at, link.href);
      }
    }
    for (const Collection& part : one.parts) waiting.push_back(&part);
  }
}

void check_preview(Inspection& book, const Collection& preview) {
  for (const MetadataLink& link : preview.links) {
    const Item* item = book.package.item_at(link.target.path);
    if (item == nullptr || !is_content_document(item->media_type, Edition::epub3)) {
      report(book, "OPF-075", link.at, link.href);
    } else if (link.target.fragment.starts_with("epubcfi(")) {
      report(book, "OPF-076", link.at, link.href);
    }
  }
}

// Compares the type of the book with its contents.
void check_type(Inspection& book) {
  const bool is_declared = book.package.is_of_type("dictionary");
  const auto content = std::ranges::find_if(
      book.traits, [](const auto& pair) { return pair.second.has_dictionary; });
  const bool has_content = content != book.traits.end();
  if (has_content && !is_declared) book.findings.add("OPF-079", content->first, {});
  if (!has_content && (is_declared || book.profile == Profile::dictionary)) {
    report(book, "OPF-078", {});
  }
}

}  // namespace

void check_dictionaries(Inspection& book) {
  if (book.edition() != Edition::epub3) return;
  for (const Collection& collection : book.package.collections) {
    if (has_word(collection.role, "dictionary")) check_dictionary(book, collection);
    if (has_word(collection.role, "index")) check_index(book, collection);
    if (has_word(collection.role, "preview")) check_preview(book, collection);
  }
  if (book.archive != nullptr) check_type(book);
}

}  // namespace tidemill::epub
