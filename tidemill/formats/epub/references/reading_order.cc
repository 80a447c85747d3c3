// Checks that the table of contents and the media overlays follow the reading order: the order of
// the spine, and within a document the order of its elements.
#include <cstdint>

#include "tidemill/formats/epub/references/fragment.h"
#include "tidemill/formats/epub/references/judge.h"

namespace tidemill::epub {
namespace {

// A list of links in document order. One thread.
class Course {
 public:
  Course(Inspection& book, RuleId rule) : book_(book), rule_(rule) {}

  void go(const Reference& reference) {
    const LinkTarget& target = reference.target;
    if (target.kind != LinkTarget::Kind::inside) return;
    const Item* item = book_.package.item_at(target.path);
    if (item == nullptr) return;
    const std::size_t spine = book_.package.spine_position(*item);
    if (spine == kNone) return;
    const auto position = static_cast<std::int64_t>(spine);
    if (position != spine_) anchor_ = -1;
    if (position < spine_) {
      report(reference, "an earlier document");
      spine_ = position;
      return;
    }
    spine_ = position;
    go_in_document(reference, item->media_type);
  }

 private:
  void go_in_document(const Reference& reference, std::string_view media_type) {
    const Fragment fragment = read_fragment(reference.target, media_type);
    std::int64_t position = 0;  // the document itself
    if (!fragment.id.empty()) {
      const auto* anchor = book_.references.anchor(reference.target.path, fragment.id);
      if (anchor == nullptr) return;
      position = static_cast<std::int64_t>(anchor->order) + 1;
    }
    if (position < anchor_) report(reference, "an earlier place in the document");
    anchor_ = position;
  }
  void report(const Reference& reference, std::string_view why) {
    book_.findings.add(rule_, reference.from, reference.at,
                       reference.url + ": " + std::string(why));
  }

  Inspection& book_;
  RuleId rule_;
  std::int64_t spine_ = -1;
  std::int64_t anchor_ = -1;
};

}  // namespace

void judge_reading_order(Inspection& book) {
  Course contents(book, "NAV-011");
  Course overlays(book, "MED-015");
  for (const Reference& reference : book.references.all()) {
    switch (reference.use) {
      case Use::nav_toc:
      case Use::nav_pages:
      case Use::nav_landmarks:
        if (reference.target.is_outside()) {
          book.findings.add("NAV-010", reference.from, reference.at, reference.url);
        } else if (reference.use == Use::nav_toc) {
          contents.go(reference);
        }
        break;
      case Use::overlay_text:
        overlays.go(reference);
        break;
      default:
        break;
    }
  }
}

}  // namespace tidemill::epub
