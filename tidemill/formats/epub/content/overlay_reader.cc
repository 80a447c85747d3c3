#include "tidemill/formats/epub/content/overlay_reader.h"

#include <array>
#include <unordered_map>

#include "tidemill/formats/epub/content/epub_type.h"
#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

void OverlayReader::doctype(const xml::Doctype& doctype, xml::Position where) {
  check_doctype(document_, doctype, kOverlayType, where);
}

void OverlayReader::start(const xml::Element& element) {
  check_id(element);
  const std::string_view name = element.name;
  if (name == "smil") {
    static constexpr std::array<std::string_view, 1> kDefaults = {
        "http://idpf.org/epub/vocab/structure/#"};
    prefixes_ = read_prefixes(element.attribute("prefix", kOpsNamespace).value_or(""), {},
                              kDefaults, [&](RuleId rule, std::string detail) {
                                document_.report(rule, element.where, std::move(detail));
                              });
  }
  if (const auto types = element.attribute("type", kOpsNamespace)) {
    check_types(*types, element.where);
  }
  if (name == "body" || name == "seq") {
    const auto text = element.attribute("textref", kOpsNamespace);
    if (text) refer(*text, Use::overlay_text, element.where);
  } else if (name == "text") {
    if (const auto src = element.attribute("src")) refer(*src, Use::overlay_text, element.where);
  } else if (name == "audio") {
    check_audio(element);
    check_clip(element);
  }
}

void OverlayReader::check_id(const xml::Element& element) {
  const auto id = element.attribute("id");
  if (id && !ids_.emplace(trimmed(*id)).second) {
    document_.report_if_whole("RSC-005", element.where,
                              "the id \"" + std::string(trimmed(*id)) + "\" is used twice");
  }
}

void OverlayReader::check_types(std::string_view types, xml::Position where) {
  for (const std::string_view type : words_of(types)) {
    const auto colon = type.find(':');
    if (colon == std::string_view::npos) {
      if (!is_structure_type(type)) document_.report("OPF-088", where, std::string(type));
      continue;
    }
    const std::string_view prefix = type.substr(0, colon);
    if (prefix.empty() || colon + 1 == type.size()) {
      document_.report("OPF-026", where, std::string(type));
    } else if (!prefixes_.contains(std::string(prefix))) {
      document_.report("OPF-028", where, std::string(prefix));
    }
  }
}

void OverlayReader::check_audio(const xml::Element& audio) {
  const auto src = audio.attribute("src");
  if (!src) return;
  const LinkTarget target = resolve(*src, document_.path);
  if (target.has_fragment) document_.report("MED-014", audio.where, "#" + target.fragment);
  if (target.kind == LinkTarget::Kind::remote) document_.traits().has_remote_resources = true;
  refer(src->substr(0, src->find('#')), Use::overlay_audio, audio.where);
}

void OverlayReader::check_clip(const xml::Element& audio) {
  const auto begin = audio.attribute("clipBegin");
  const auto end = audio.attribute("clipEnd");
  if (!end) return;
  const auto first = clock_milliseconds(trimmed(begin.value_or("0")));
  const auto last = clock_milliseconds(trimmed(*end));
  if (!first || !last) return;
  if (*first > *last) document_.report("MED-008", audio.where);
  if (*first == *last) document_.report("MED-009", audio.where);
}

void OverlayReader::refer(std::string_view url, Use use, xml::Position where) {
  document_.book->references.add({.use = use,
                                  .from = document_.path,
                                  .url = std::string(url),
                                  .target = resolve(url, document_.path),
                                  .at = where,
                                  // MED-005 reports audio of a foreign type, not RSC-032.
                                  .has_fallback = use == Use::overlay_audio});
}

namespace {

// By content document: the first overlay that refers to it.
using Owners = std::unordered_map<std::string_view, std::string_view>;

Owners owners_of(Inspection& book) {
  Owners owners;
  for (const Reference& link : book.references.all()) {
    if (link.use != Use::overlay_text || link.target.kind != LinkTarget::Kind::inside) continue;
    const Item* overlay = book.package.item_at(link.from);
    if (overlay == nullptr) continue;
    const auto [owner, is_new] = owners.emplace(link.target.path, overlay->id);
    if (!is_new && owner->second != overlay->id) {
      book.findings.add("MED-011", link.from, link.at, link.target.path);
    }
  }
  return owners;
}

void check_audio_types(Inspection& book) {
  for (const Reference& link : book.references.all()) {
    if (link.use != Use::overlay_audio) continue;
    const Item* item = book.package.item_at(link.target.path);
    if (item == nullptr) continue;
    const bool is_fine = item->media_type.starts_with("audio/") &&
                         is_core_media_type(item->media_type, Edition::epub3);
    if (!is_fine) {
      book.findings.add("MED-005", link.from, link.at, link.url + " is " + item->media_type);
    }
  }
}

}  // namespace

void judge_overlays(Inspection& book) {
  if (book.archive == nullptr || book.edition() != Edition::epub3) return;
  check_audio_types(book);
  const Owners owners = owners_of(book);
  for (const Item& item : book.package.items) {
    if (!is_content_document(item.media_type, Edition::epub3)) continue;
    const auto report = [&](RuleId rule) {
      book.findings.add(rule, book.package.path, item.at, item.href);
    };
    const auto owner = owners.find(item.path);
    if (owner == owners.end()) {
      if (!item.media_overlay.empty()) report("MED-013");
    } else if (item.media_overlay.empty()) {
      report("MED-010");
    } else if (item.media_overlay != owner->second) {
      report("MED-012");
    }
  }
}

}  // namespace tidemill::epub
