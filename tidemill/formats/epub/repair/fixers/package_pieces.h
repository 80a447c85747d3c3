// What fixers of the package document have in common: its elements with their places in the bytes,
// and what refers to an id in it.
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

// The package document in pieces. Immutable. The document must outlive it.
class PackagePieces {
 public:
  explicit PackagePieces(std::string_view document);

  [[nodiscard]] std::string_view document() const { return document_; }
  [[nodiscard]] const std::vector<Scanned>& all() const { return pieces_; }

  [[nodiscard]] bool is_element(const Scanned& piece, std::string_view name) const;
  // The attribute's value, resolved; empty: there is none.
  [[nodiscard]] std::string value(const Scanned& piece, std::string_view attribute) const;
  // Some attribute other than id has this id as its value, alone or behind '#'.
  [[nodiscard]] bool is_referred_to(const std::string& id) const;
  // The element that begins there with its end tag. Only of elements without elements inside; else
  // it is the tag alone.
  [[nodiscard]] Span whole_of(std::size_t at) const;
  // The same, and with the line it stands in when nothing else is in it.
  [[nodiscard]] Span with_line(std::size_t at) const;

 private:
  std::string_view document_;
  std::vector<Scanned> pieces_;
  std::unordered_set<std::string> values_;
};

// Lets `edit` change the package document, as edit_entry does.
void edit_package(const Inspection& found, Draft& draft, Plan& plan, Change change,
                  const std::function<void(const PackagePieces& pieces, XmlEdit& edit)>& edit);

}  // namespace tidemill::epub
