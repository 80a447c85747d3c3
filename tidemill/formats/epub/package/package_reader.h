// PackageReader: reads the package document (OPF) into Inspection::package and checks everything
// that does not need other files: grammar, ids and references, metadata, manifest, spine, guide and
// collections. The checks that need the files of the book are in package_check.h.
//
// With an archive, package@version decides the edition; for a single document (no archive) the
// edition set by the caller is kept.
//
// Never fails; a package document without content leaves an empty Package.
#pragma once

#include <memory>
#include <string_view>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/xml_reader.h"

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

  // After the last event of a well-formed document: runs the checks that need all of it.
  void finish();
  // Instead of finish(), for a document that could not be read to its end: reports a missing
  // package element or unique identifier.
  void give_up();
  // False: an unsupported version (OPF-001 was reported).
  [[nodiscard]] bool is_known_version() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::epub
