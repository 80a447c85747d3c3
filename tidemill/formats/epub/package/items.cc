// Faults of the manifest, the spine and the guide that the package document alone shows.
#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tidemill/formats/epub/package/facts.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

bool is_epub2(const OpfCheck& check) { return check.package().edition == Edition::epub2; }

// Media types from before EPUB 2, and EPUB 2 types in an OEBPS 1.2 document.
void check_old_types(const OpfCheck& check, const Item& item) {
  const bool is_oeb12 = check.package().is_oeb12;
  const std::string& type = item.media_type;
  if (type == "text/html") {
    if (is_oeb12) {
      check.report("OPF-038", item.at, type);
    } else {
      check.report("OPF-035", item.at, item.href);
    }
  } else if (!is_oeb12 && (type == "text/x-oeb1-document" || type == "text/x-oeb1-css")) {
    check.report("OPF-037", item.at, type);
  }
  if (!is_oeb12 || !item.fallback.empty()) return;
  if (is_content_document(type, Edition::epub2)) check.report("OPF-038", item.at, type);
  if (type == kCssType) check.report("OPF-039", item.at, type);
}

// Without an archive there are no entry names to check, so this checks the path of the item.
void check_path_name(const OpfCheck& check, const Item& item) {
  const std::string& path = item.path;
  const auto is_forbidden = [](char c) {
    return (c >= 0 && c < ' ') || c == '\x7f' || std::string_view("\"*:<>?\\|").contains(c);
  };
  if (path.ends_with('.')) check.report("PKG-011", item.at, path);
  if (std::ranges::any_of(path, is_forbidden)) check.report("PKG-009", item.at, path);
  if (std::ranges::any_of(path, is_space)) check.report("PKG-010", item.at, path);
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) >= 0x80; })) {
    check.report("PKG-012", item.at, path);
  }
}

void check_item_alone(const OpfCheck& check, const Item& item) {
  if (is_epub2(check)) return check_old_types(check, item);
  if (item.is_data) return check.report("RSC-029", item.at, item.id);
  if (item.path.starts_with("META-INF/") && !item.is_remote) {
    check.report("PKG-025", item.at, item.path);
  }
  const std::string_view preferred = preferred_media_type(item.media_type, item.path);
  if (!preferred.empty()) {
    check.report("OPF-090", item.at, item.media_type + ": use " + std::string(preferred));
  }
  if (!item.is_remote && item.has_fragment) check.report("OPF-091", item.at, item.href);
}

void check_spine_item(const OpfCheck& check, const Item& item, xml::Position at) {
  const Edition edition = check.package().edition;
  if (item.is_data) return;
  if (edition == Edition::epub3 && item.has("data-nav")) check.report("OPF-077", item.at, item.id);
  if (edition == Edition::epub2) {
    if (is_style_type(item.media_type) || is_core_image_type(item.media_type, edition)) {
      return check.report("OPF-042", at, item.media_type);
    }
    if (is_old_content_document(item.media_type)) return;
  }
  if (is_content_document(item.media_type, edition)) return;
  if (item.fallback.empty()) {
    check.report("OPF-043", at, item.media_type);
  } else if (!item.leads_to_document) {
    check.report("OPF-044", at, item.media_type);
  }
}

void check_navigation_items(const OpfCheck& check) {
  std::size_t navs = 0;
  std::size_t covers = 0;
  std::size_t data_navs = 0;
  for (const Item& item : check.package().items) {
    if (item.has("cover-image")) ++covers;
    if (item.has("data-nav")) ++data_navs;
    if (item.media_type == kNcxType && !check.facts->toc) {
      check.report("RSC-005", item.at, "there is an NCX, so the spine must have toc");
    }
    if (!item.has("nav")) continue;
    ++navs;
    if (item.media_type != kXhtmlType) {
      check.report("RSC-005", item.at, "the nav item must be XHTML, but is " + item.media_type);
    }
  }
  if (!check.facts->has_manifest) return;
  const xml::Position at = check.facts->manifest_at;
  if (navs != 1) check.report("RSC-005", at, "nav items: " + std::to_string(navs) + ", not 1");
  if (covers > 1) check.report("RSC-005", at, "more than one cover-image");
  if (data_navs > 1) check.report("RSC-005", at, "more than one data-nav");
}

}  // namespace

void check_ids(const OpfCheck& check) {
  for (const IdPlace& place : check.facts->ids) {
    if (check.facts->id_counts.at(place.id) == 1) continue;
    check.report("RSC-005", place.at, "the id \"" + place.id + "\" is used more than once");
  }
}

void check_items(const OpfCheck& check) {
  const Package& package = check.package();
  std::unordered_set<std::string> seen;
  for (const Item& item : package.items) {
    if (check.book->archive == nullptr && !item.is_remote && !item.is_data) {
      check_path_name(check, item);
    }
    std::string key = item.path;
    if (item.has_fragment) key += item.href.substr(item.href.find('#'));
    if (!item.is_data && !seen.insert(std::move(key)).second) {
      check.report("OPF-074", item.at, item.href);
    } else if (!item.is_remote && !item.has_fragment && item.path == package.path) {
      check.report("OPF-099", item.at, item.href);
    } else {
      check_item_alone(check, item);
    }
  }
  if (!is_epub2(check)) {
    check_navigation_items(check);
    for (const MetadataLink& link : package.links) {
      const Item* item = package.item_at(link.target.path);
      if (item != nullptr && package.spine_position(*item) == kNone) {
        check.report("OPF-067", link.at, link.href);
      }
    }
  }
}

void check_spine(const OpfCheck& check) {
  const Package& package = check.package();
  std::unordered_set<std::string> seen;
  std::unordered_set<std::string> aside;
  std::size_t count = 0;
  for (const SpineRef& ref : package.spine) {
    const Item* item = package.item_with_id(ref.idref);
    if (!ref.is_linear) aside.insert(ref.idref);
    const bool is_twin = !seen.insert(ref.idref).second;
    if (is_twin && !is_epub2(check)) {
      check.report("RSC-005", ref.at, "the spine has \"" + ref.idref + "\" twice");
    }
    if (item == nullptr) {
      if (!is_epub2(check)) check.report("RSC-005", ref.at, "no item has the id " + ref.idref);
      continue;
    }
    if (is_twin && is_epub2(check)) check.report("OPF-034", ref.at, ref.idref);
    ++count;
    check_spine_item(check, *item, ref.at);
  }
  const bool has_linear = std::ranges::any_of(package.spine, [&](const SpineRef& ref) {
    return package.by_id.contains(ref.idref) && !aside.contains(ref.idref);
  });
  if (count > 0 && !has_linear) check.report("OPF-033", check.facts->spine_at);
  if (is_epub2(check) || !check.facts->toc) return;
  const Item* toc = package.item_with_id(*check.facts->toc);
  if (toc == nullptr || toc->media_type != kNcxType) {
    check.report("RSC-005", check.facts->spine_at, "toc must name the NCX");
  }
}

void check_guide_twins(const OpfCheck& check) {
  const auto key_of = [](const GuideRef& ref) {
    return lowered(normalized(ref.type) + '\n' + normalized(ref.href));
  };
  std::unordered_map<std::string, std::size_t> counts;
  for (const GuideRef& ref : check.package().guide) ++counts[key_of(ref)];
  for (const GuideRef& ref : check.package().guide) {
    if (counts[key_of(ref)] > 1) check.report("RSC-017", ref.at, "twice in the guide: " + ref.href);
  }
}

// Fallbacks in the manifest: each item names at most one, so they form chains or cycles.
namespace {

void check_targets(const OpfCheck& check, const Item& item) {
  const Package& package = check.package();
  if (!item.fallback.empty() && !package.by_id.contains(item.fallback)) {
    check.report("OPF-040", item.at, item.fallback);
  }
  if (package.edition == Edition::epub2 && !item.fallback_style.empty() &&
      !package.by_id.contains(item.fallback_style)) {
    check.report("OPF-041", item.at, item.fallback_style);
  }
}

// Checks the item without its fallbacks. In EPUB 2 a style sheet makes any XML readable.
void judge_alone(const Package& package, Item& item) {
  const Item* style =
      package.edition == Edition::epub2 ? package.item_with_id(item.fallback_style) : nullptr;
  const bool has_style = style != nullptr && is_style_type(style->media_type);
  item.leads_to_document = has_style || is_content_document(item.media_type, package.edition) ||
                           is_old_content_document(item.media_type);
}

}  // namespace

void check_fallbacks(const OpfCheck& check) {
  Package& package = check.book->package;
  for (Item& item : package.items) {
    check_targets(check, item);
    judge_alone(package, item);
  }
  enum class Visit : std::uint8_t { none, open, done };
  std::vector<Visit> visits(package.items.size(), Visit::none);
  bool has_circle = false;
  for (std::size_t first = 0; first < package.items.size(); ++first) {
    std::vector<std::size_t> path;
    std::size_t at = first;
    while (at != kNone && visits[at] == Visit::none) {
      visits[at] = Visit::open;
      path.push_back(at);
      const auto next = package.by_id.find(package.items[at].fallback);
      at = next == package.by_id.end() ? kNone : next->second;
    }
    const bool is_circle = at != kNone && visits[at] == Visit::open;
    if (is_circle && !std::exchange(has_circle, true)) {
      check.report("OPF-045", package.items[at].at, package.items[at].id);
    }
    const Item* after = at == kNone || is_circle ? nullptr : &package.items[at];
    for (; !path.empty(); path.pop_back()) {
      Item& item = package.items[path.back()];
      visits[path.back()] = Visit::done;
      item.leads_to_document =
          item.leads_to_document || (after != nullptr && after->leads_to_document);
      after = &item;
    }
  }
}

}  // namespace tidemill::epub
