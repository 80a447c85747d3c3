#include "tidemill/formats/epub/repair/fixers/package_pieces.h"

#include <utility>

#include "tidemill/formats/epub/repair/fixers/documents.h"

namespace tidemill::epub {

PackagePieces::PackagePieces(std::string_view document)
    : document_(document), pieces_(scan(document)) {
  for (const Scanned& piece : pieces_) {
    for (const ScannedAttribute& one : piece.attributes) {
      if (one.name.in(document) != "id") values_.insert(resolved_value(one.value.in(document)));
    }
  }
}

bool PackagePieces::is_element(const Scanned& piece, std::string_view name) const {
  return (piece.kind == Scanned::Kind::start || piece.kind == Scanned::Kind::empty) &&
         local_name(piece.name.in(document_)) == name;
}

std::string PackagePieces::value(const Scanned& piece, std::string_view attribute) const {
  const auto* found = piece.attribute(document_, attribute);
  return found == nullptr ? std::string() : resolved_value(found->value.in(document_));
}

bool PackagePieces::is_referred_to(const std::string& id) const {
  return values_.contains(id) || values_.contains("#" + id);
}

Span PackagePieces::whole_of(std::size_t at) const {
  Span span = pieces_[at].whole;
  const auto is_end = [&](std::size_t next) {
    return next < pieces_.size() && pieces_[next].kind == Scanned::Kind::end &&
           pieces_[next].name.in(document_) == pieces_[at].name.in(document_);
  };
  if (pieces_[at].kind == Scanned::Kind::start) {
    const std::size_t end = is_end(at + 1) ? at + 1 : at + 2;
    if (is_end(end)) span.end = pieces_[end].whole.end;
  }
  return span;
}

Span PackagePieces::with_line(std::size_t at) const {
  Span span = whole_of(at);
  std::size_t begin = span.begin;
  while (begin > 0 && (document_[begin - 1] == ' ' || document_[begin - 1] == '\t')) --begin;
  const bool is_line = begin > 0 && document_[begin - 1] == '\n' &&
                       (document_.substr(span.end).starts_with('\n') ||
                        document_.substr(span.end).starts_with("\r\n"));
  if (!is_line) return span;
  span.begin = begin;
  span.end = document_.find('\n', span.end) + 1;
  return span;
}

void edit_package(const Inspection& found, BookDraft& draft, RepairPlan& plan, Change change,
                  const std::function<void(const PackagePieces& pieces, XmlEdit& edit)>& edit) {
  change.entry = found.package.path;
  edit_entry(draft, plan, std::move(change), [&](std::string_view document, XmlEdit& changes) {
    edit(PackagePieces(document), changes);
  });
}

}  // namespace tidemill::epub
