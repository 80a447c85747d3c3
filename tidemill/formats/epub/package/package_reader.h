// PackageReader: the package document (OPF), read into Inspection::package, and all that can be
// said of it alone: its grammar, its ids and references, its metadata, manifest, spine, guide and
// collections. What needs the files of the book is in package_check.h.
//
// The edition is that of package@version when the book is at hand; when a single document is
// checked (no archive) the edition that the caller has set stays.
//
// How it fails: it does not; a package document that says nothing leaves an empty Package.
#pragma once

#include <memory>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class PackageReader final : public xml::Handler {
 public:
  explicit PackageReader(const Document& document);
  ~PackageReader() override;

  void doctype(const xml::Doctype& doctype, xml::Position where) override;
  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void text(std::string_view part, xml::Position where) override;

  // After the last event of a well-formed document: reports what only the whole can say.
  void finish();
  // Instead, of one that could not be read to its end: what it has not said so far.
  void give_up();
  // False: nobody knows the rules of this version (OPF-001 was reported).
  [[nodiscard]] bool is_known_version() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::epub
