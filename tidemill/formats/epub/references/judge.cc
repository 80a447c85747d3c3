#include "tidemill/formats/epub/references/judge.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/references/fragment.h"
#include "tidemill/formats/epub/references/url_faults.h"

namespace tidemill::epub {
namespace {

// Groups the uses of a reference by the targets they may have.
enum class Role : std::uint8_t {
  link,  // metadata: not part of the book's content
  hyperlink,
  citation,
  image,
  media,  // audio, video
  font,
  style,
  generic,  // scripts, objects, frames: needs a core media type or a fallback
  track,
  symbol,
  paint,
  overlay_text,
  search_key,
  none,  // checked elsewhere
};

Role role_of(Use use) {
  switch (use) {
    case Use::hyperlink:
    case Use::ncx:
      return Role::hyperlink;
    case Use::citation:
      return Role::citation;
    case Use::image:
    case Use::picture_image:
    case Use::picture_source:
    case Use::poster:
    case Use::mathml_altimg:
      return Role::image;
    case Use::stylesheet:
      return Role::style;
    case Use::audio:
    case Use::video:
    case Use::overlay_audio:
      return Role::media;
    case Use::track:
      return Role::track;
    case Use::font:
      return Role::font;
    case Use::script:
    case Use::css_other:
    case Use::embedded:
    case Use::iframe:
    case Use::input_image:
    case Use::guide:
    case Use::other:
      return Role::generic;
    case Use::svg_use:
      return Role::symbol;
    case Use::svg_paint:
      return Role::paint;
    case Use::overlay_text:
      return Role::overlay_text;
    case Use::search_key:
      return Role::search_key;
    case Use::package_link:
      return Role::link;
    case Use::nav_toc:
    case Use::nav_pages:
    case Use::nav_landmarks:
    case Use::nav_other:
      return Role::none;
  }
  return Role::none;
}

// The media type of a type= attribute, without its parameters.
std::string_view bare(std::string_view media_type) {
  media_type = media_type.substr(0, media_type.find(';'));
  while (media_type.ends_with(' ')) media_type.remove_suffix(1);
  while (media_type.starts_with(' ')) media_type.remove_prefix(1);
  return media_type;
}

// A reference with this role may point to an element of this kind.
bool fits(Role role, Anchor kind) {
  const bool is_plain = kind == Anchor::element || kind == Anchor::svg_other;
  switch (role) {
    case Role::paint:
      return kind == Anchor::svg_paint_server;
    case Role::symbol:
      return is_plain || kind == Anchor::svg_symbol;
    case Role::citation:
    case Role::hyperlink:
    case Role::overlay_text:
      return is_plain;
    default:
      return true;
  }
}

// Such a reference must point to an element, and only XHTML and SVG have elements with ids.
bool wants_element(Role role) {
  return role == Role::paint || role == Role::symbol || role == Role::citation ||
         role == Role::hyperlink || role == Role::overlay_text;
}

class Judge {
 public:
  explicit Judge(Inspection& book) : book_(book), is_epub3_(book.edition() == Edition::epub3) {}

  void judge(const Reference& reference);
  void judge_remote_items();

 private:
  // The target of a reference: an item of the manifest, or data in the URL itself.
  struct Found {
    const Item* item = nullptr;
    std::string_view media_type{};
    bool is_in_spine = false;
  };
  struct Fallbacks {
    bool has_core = false;
    bool has_document = false;
  };

  void report(RuleId rule, const Reference& reference) {
    book_.findings.add(rule, reference.from, reference.at, reference.url);
  }
  void report(RuleId rule, const Reference& reference, std::string detail) {
    book_.findings.add(rule, reference.from, reference.at, std::move(detail));
  }
  [[nodiscard]] Found find(const LinkTarget& target) const;
  const Fallbacks& fallbacks_of(const Item& item);

  // Those that return bool return true when the reference needs no further checks.
  bool is_refused_remote(const Reference& reference, Role role, const Found& found);
  void judge_undeclared(const Reference& reference, Role role);
  void judge_media_type(const Reference& reference, const Found& found);
  void judge_fallback(const Reference& reference, Role role, const Found& found);
  bool is_wrong_page(const Reference& reference, const Found& found, bool is_document);
  bool is_wrong_kind(const Reference& reference, Role role, const Found& found,
                     const Fragment& fragment);
  void judge_fragment(const Reference& reference, Role role, const Found& found,
                      const Fragment& fragment);

  Inspection& book_;
  bool is_epub3_;
  std::unordered_map<const Item*, Fallbacks> fallbacks_;
  std::unordered_set<std::string> undeclared_;  // already reported
  std::unordered_set<std::string> remote_;      // remote targets of references
};

Judge::Found Judge::find(const LinkTarget& target) const {
  if (target.kind == LinkTarget::Kind::data) return {.media_type = target.path};
  if (target.kind == LinkTarget::Kind::inside && target.path == book_.package.path) {
    return {.media_type = kPackageType};
  }
  const Item* item = book_.package.item_at(target.path);
  if (item == nullptr) return {};
  return {.item = item,
          .media_type = item->media_type,
          .is_in_spine = book_.package.spine_position(*item) != kNone};
}

const Judge::Fallbacks& Judge::fallbacks_of(const Item& item) {
  const auto [at, is_new] = fallbacks_.try_emplace(&item);
  if (!is_new) return at->second;
  const auto chain = book_.package.fallback_chain(item);
  for (const Item* one : chain) {
    if (one == &item) continue;
    at->second.has_core |= is_core_media_type(one->media_type, Edition::epub3);
    at->second.has_document |= is_content_document(one->media_type, book_.edition());
  }
  return at->second;
}

bool Judge::is_refused_remote(const Reference& reference, Role role, const Found& found) {
  const bool is_mere_link = role == Role::citation || role == Role::link || role == Role::hyperlink;
  const bool may_be_remote =
      is_epub3_ && (role == Role::font || role == Role::media || found.is_in_spine ||
                    is_audio_type(found.media_type) || is_video_type(found.media_type) ||
                    is_font_type(found.media_type));
  if (!is_mere_link && !may_be_remote) {
    report("RSC-006", reference);
    return true;
  }
  const std::string& scheme = reference.target.scheme;
  if (is_epub3_ && role != Role::link && role != Role::hyperlink && scheme != "https" &&
      scheme != "file") {
    report("RSC-031", reference);
  }
  return false;
}

void Judge::judge_undeclared(const Reference& reference, Role role) {
  const LinkTarget& target = reference.target;
  // The file is looked up by the complete URL, so one with a fragment or a query is not found.
  const bool has_tail = target.has_fragment || target.has_query;
  if (!target.is_outside() && (has_tail || !book_.has_entry(target.path))) {
    if (is_epub3_ && role == Role::link) {
      report("RSC-007w", reference, target.path);
    } else {
      report("RSC-007", reference, target.path);
    }
    return;
  }
  const bool is_no_resource =
      role == Role::link ||
      (target.is_outside() && (role == Role::hyperlink || role == Role::citation));
  if (is_no_resource || !undeclared_.insert(target.path).second) return;
  report("RSC-008", reference, target.path);
}

// Compares the media type in the document with the one in the manifest.
void Judge::judge_media_type(const Reference& reference, const Found& found) {
  if (found.item == nullptr || !is_epub3_) return;
  const bool is_core_image = is_core_image_type(found.media_type, Edition::epub3);
  if (reference.use == Use::picture_image && !is_core_image) {
    report("MED-003", reference, std::string(found.media_type));
  }
  const std::string_view claimed = bare(reference.media_type);
  if (reference.use == Use::picture_source && claimed.empty()) {
    // A core image does not need a type, but a missing one counts as a different type.
    report(is_core_image ? RuleId("OPF-013") : RuleId("MED-007"), reference,
           std::string(found.media_type));
    return;
  }
  if (claimed.empty()) return;
  std::string_view declared = found.media_type;
  if (declared.starts_with("audio/ogg") && is_core_audio_type(declared)) declared = "audio/ogg";
  if (claimed != declared) {
    report("OPF-013", reference, std::string(claimed) + " is " + std::string(declared));
  }
}

void Judge::judge_fallback(const Reference& reference, Role role, const Found& found) {
  if (role != Role::image && role != Role::media && role != Role::generic) return;
  // judge_overlays() checks the audio of overlays.
  if (reference.use == Use::overlay_audio) return;
  if (reference.has_fallback || is_core_media_type(found.media_type, Edition::epub3)) return;
  if (found.item != nullptr && fallbacks_of(*found.item).has_core) return;
  report("RSC-032", reference,
         (found.item != nullptr ? found.item->path : reference.target.scheme + ":") + ": " +
             std::string(found.media_type));
}

// Checks the target of a hyperlink.
bool Judge::is_wrong_page(const Reference& reference, const Found& found, bool is_document) {
  if (!is_document && !is_old_content_document(found.media_type) &&
      (found.item == nullptr || !fallbacks_of(*found.item).has_document)) {
    report("RSC-010", reference);
    return true;
  }
  if (found.is_in_spine) return false;
  // An NCX that the spine does not name is not used for navigation.
  if (reference.use == Use::ncx && book_.package.toc.empty()) return false;
  report("RSC-011", reference);
  return true;
}

bool Judge::is_wrong_kind(const Reference& reference, Role role, const Found& found,
                          const Fragment& fragment) {
  const bool is_document = is_epub3_
                               ? found.media_type == kXhtmlType || found.media_type == kSvgType
                               : found.media_type == kXhtmlType || found.media_type == kDtbookType;
  switch (role) {
    case Role::hyperlink:
      return fragment.scheme != "epubcfi" && is_wrong_page(reference, found, is_document);
    case Role::image:
      if (fragment.scheme == "epubcfi" || !fragment.exists || found.media_type == kSvgType) {
        return false;
      }
      report("RSC-009", reference);
      return true;
    case Role::overlay_text:
      if (is_document) return false;
      report("RSC-010", reference);
      return true;
    case Role::search_key:
      if (fragment.scheme == "epubcfi" || found.is_in_spine) return false;
      report("RSC-021", reference);
      return true;
    case Role::style:
      if (!fragment.exists) return false;
      report("RSC-013", reference);
      return true;
    case Role::symbol:
    case Role::paint:
      if (fragment.exists) return false;
      report("RSC-015", reference);
      return true;
    default:
      return false;
  }
}

void Judge::judge_fragment(const Reference& reference, Role role, const Found& found,
                           const Fragment& fragment) {
  const LinkTarget& target = reference.target;
  if (!fragment.exists || target.fragment.empty()) return;
  const bool is_xhtml = found.media_type == kXhtmlType;
  const bool is_svg = found.media_type == kSvgType;
  if (role == Role::overlay_text) {
    if (is_xhtml && fragment.id.empty()) report("MED-017", reference);
    if (is_svg && !fragment.is_valid) report("MED-018", reference);
  }
  if (fragment.id.empty() || target.kind != LinkTarget::Kind::inside) return;
  if (!book_.references.has_all_anchors(target.path)) return;
  const auto* anchor = book_.references.anchor(target.path, fragment.id);
  if (anchor == nullptr && (is_xhtml || is_svg)) return report("RSC-012", reference);
  if (anchor == nullptr ? wants_element(role) : !fits(role, anchor->kind)) {
    report("RSC-014", reference);
  }
}

void Judge::judge(const Reference& reference) {
  const Role role = role_of(reference.use);
  const LinkTarget& target = reference.target;
  if (role == Role::none || target.kind == LinkTarget::Kind::malformed) return;
  const Found found = find(target);
  if (target.is_outside()) {
    // A hyperlink that leaves the book does not make its target a resource of the book.
    if (reference.use == Use::hyperlink) return;
    remote_.insert(target.path);
    judge_media_type(reference, found);
    if (is_refused_remote(reference, role, found)) return;
  } else {
    judge_media_type(reference, found);
  }
  if (found.media_type.empty() && found.item == nullptr && target.kind != LinkTarget::Kind::data) {
    judge_undeclared(reference, role);
    return;
  }
  judge_fallback(reference, role, found);
  const Fragment fragment = read_fragment(target, found.media_type);
  if (is_wrong_kind(reference, role, found, fragment)) return;
  judge_fragment(reference, role, found, fragment);
}

// Remote items of the manifest: audio, video and fonts are allowed; others only if a script may
// fetch them.
void Judge::judge_remote_items() {
  if (!is_epub3_) return;
  bool has_scripts = false;
  for (const auto& [path, traits] : book_.traits) has_scripts |= traits.is_scripted;
  for (const Item& item : book_.package.items) {
    const std::string& type = item.media_type;
    if (!item.is_remote || is_audio_type(type) || is_video_type(type) || is_font_type(type) ||
        type == "application/x-shockwave-flash") {
      continue;
    }
    const bool is_in_spine = book_.package.spine_position(item) != kNone;
    if (!is_in_spine && remote_.contains(item.path)) continue;  // reported at the reference
    if (!is_in_spine && has_scripts) {
      book_.findings.add("RSC-006b", book_.package.path, item.at, item.path);
    } else {
      book_.findings.add("RSC-006", book_.package.path, item.at, item.path);
    }
  }
}

}  // namespace

void judge_references(Inspection& book) {
  report_left_urls(book);
  Judge judge(book);
  for (const Reference& reference : book.references.all()) judge.judge(reference);
  judge.judge_remote_items();
  judge_reading_order(book);
}

}  // namespace tidemill::epub
