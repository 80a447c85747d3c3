#include "tidemill/formats/epub/references/references.h"

#include <utility>

namespace tidemill::epub {

void References::add(Reference reference) {
  const LinkTarget& target = reference.target;
  bytes_ += sizeof(Reference) + reference.url.size() + reference.from.size() + target.path.size() +
            target.fragment.size() + target.query.size();
  if (bytes_ > kMostBytes) {
    ++dropped_;
    return;
  }
  all_.push_back(std::move(reference));
}

References::Anchors& References::anchors_of(std::string_view entry) {
  if (const auto found = anchors_.find(entry); found != anchors_.end()) return found->second;
  return anchors_.emplace(std::string(entry), Anchors{}).first->second;
}

void References::add_anchor(std::string_view entry, std::string_view id, Anchor kind) {
  constexpr std::size_t kNode = 96;  // estimated bytes of a map node
  Anchors& anchors = anchors_of(entry);
  if (anchor_bytes_ > kMostAnchorBytes) {
    anchors.is_partial = true;
    ++dropped_;
    return;
  }
  if (anchors.by_id.find(id) != anchors.by_id.end()) return;  // the first one counts
  const auto order = static_cast<std::uint32_t>(anchors.by_id.size());
  anchors.by_id.emplace(std::string(id), AnchorPlace{.kind = kind, .order = order});
  anchor_bytes_ += kNode + id.size();
}

const References::AnchorPlace* References::anchor(std::string_view entry,
                                                  std::string_view id) const {
  const auto anchors = anchors_.find(entry);
  if (anchors == anchors_.end()) return nullptr;
  const auto place = anchors->second.by_id.find(id);
  return place == anchors->second.by_id.end() ? nullptr : &place->second;
}

void References::mark_read(std::string_view entry) { anchors_of(entry).was_read = true; }

void References::mark_cut(std::string_view entry) { anchors_of(entry).is_partial = true; }

bool References::was_read(std::string_view entry) const {
  const auto anchors = anchors_.find(entry);
  return anchors != anchors_.end() && anchors->second.was_read && !anchors->second.is_partial;
}

bool References::has_all_anchors(std::string_view entry) const {
  const auto anchors = anchors_.find(entry);
  return anchors == anchors_.end() || !anchors->second.is_partial;
}

}  // namespace tidemill::epub
