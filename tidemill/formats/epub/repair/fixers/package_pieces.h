// Shared by the fixers of the package document: its elements with their byte offsets, and which ids
// are referred to.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/epub/repair/draft.h"
#include "tidemill/formats/epub/repair/plan.h"
#include "tidemill/formats/epub/repair/xml_edit.h"

namespace tidemill::epub {

// The package document, split into pieces. Immutable. The document must outlive it.
class PackagePieces {
 public:
  explicit PackagePieces(std::string_view document);

  [[nodiscard]] std::string_view document() const { return document_; }
  [[nodiscard]] const std::vector<Scanned>& all() const { return pieces_; }

  [[nodiscard]] bool is_element(const Scanned& piece, std::string_view name) const;
  // The attribute's value with references resolved; empty: no such attribute.
  [[nodiscard]] std::string value(const Scanned& piece, std::string_view attribute) const;
  // Some attribute other than id has this id as its value, alone or after '#'.
  [[nodiscard]] bool is_referred_to(const std::string& id) const;
  // The element that begins there, including its end tag. For an element with child elements: the
  // start tag only.
  [[nodiscard]] Span whole_of(std::size_t at) const;
  // The same, including the line if nothing else is in it.
  [[nodiscard]] Span with_line(std::size_t at) const;

 private:
  std::string_view document_;
  std::vector<Scanned> pieces_;
  std::unordered_set<std::string> values_;
};

// Like edit_entry(), for the package document.
void edit_package(const Inspection& found, BookDraft& draft, RepairPlan& plan, Change change,
                  const std::function<void(const PackagePieces& pieces, XmlEdit& edit)>& edit);

}  // namespace tidemill::epub
