#include "tidemill/formats/epub/references/link_recorder.h"

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

// A malformed base leaves the current base unchanged.
std::string LinkRecorder::based_on(std::string_view url, xml::Position at) {
  const LinkTarget target = resolve(url, base_);
  if (target.kind == LinkTarget::Kind::file) document_.report("RSC-030", at, std::string(url));
  if (!target.problem.empty()) document_.report("RSC-020", at, std::string(url));
  return target.kind == LinkTarget::Kind::malformed ? base_ : target.path;
}

void LinkRecorder::enter_base(std::string_view url, std::size_t depth, xml::Position at) {
  std::string base = based_on(url, at);
  outer_.emplace_back(depth, std::move(base_));
  base_ = std::move(base);
}

void LinkRecorder::leave_base(std::size_t depth) {
  if (outer_.empty() || outer_.back().first != depth) return;
  base_ = std::move(outer_.back().second);
  outer_.pop_back();
}

void LinkRecorder::set_document_base(std::string_view url, xml::Position at) {
  std::string base = based_on(url, at);
  if (has_document_base_) return;
  has_document_base_ = true;
  base_ = std::move(base);
  for (auto& [depth, outer] : outer_) outer = base_;
}

LinkTarget LinkRecorder::look(std::string_view url, xml::Position at) {
  LinkTarget target = resolve(url, base_);
  urls_.check(target, url, at);
  return target;
}

LinkTarget LinkRecorder::look_at_resource(std::string_view url, xml::Position at) {
  LinkTarget target = look(url, at);
  if (target.is_outside()) document_.traits().has_remote_resources = true;
  const Item* item = document_.book->package.item_at(target.path);
  if (item != nullptr && item->media_type == kSvgType) document_.traits().refers_to_svg = true;
  return target;
}

void LinkRecorder::add(Reference reference) const {
  if (reference.target.kind == LinkTarget::Kind::malformed) return;
  reference.from = document_.path;
  document_.book->references.add(std::move(reference));
}

void LinkRecorder::hyperlink(std::string_view url, xml::Position at) {
  url = trimmed(url);
  if (url.empty()) {
    document_.report("HTM-045", at);
    return;
  }
  if (url == ".") return;
  LinkTarget target = look(url, at);
  if (target.kind == LinkTarget::Kind::malformed) return;
  if (target.is_outside()) {
    if (!is_registered_scheme(target.scheme)) document_.report("HTM-025", at, std::string(url));
    return;
  }
  if (target.kind == LinkTarget::Kind::data && is_epub3()) document_.report("RSC-029", at);
  add({.use = Use::hyperlink, .url = std::string(url), .target = std::move(target), .at = at});
}

void LinkRecorder::resource(Use use, std::string_view url, xml::Position at,
                            std::string_view media_type, bool has_fallback) {
  if (is_blank(url)) return;
  add({.use = use,
       .url = std::string(url),
       .target = look_at_resource(url, at),
       .at = at,
       .media_type = std::string(media_type),
       .has_fallback = has_fallback});
}

void LinkRecorder::reference(Use use, std::string_view url, xml::Position at) {
  add({.use = use, .url = std::string(url), .target = look(url, at), .at = at});
}

}  // namespace tidemill::epub
