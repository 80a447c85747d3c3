#include "tidemill/formats/epub/container/container.h"

#include <optional>
#include <string>
#include <utility>

#include "tidemill/formats/epub/container/archive.h"
#include "tidemill/formats/epub/container/meta_inf.h"
#include "tidemill/formats/epub/content/document_check.h"
#include "tidemill/formats/epub/content/prolog_check.h"
#include "tidemill/formats/epub/grammar/grammars.h"
#include "tidemill/formats/epub/grammar/report.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"
#include "tidemill/formats/xml/handler_fanout.h"

namespace tidemill::epub {
namespace {

constexpr std::string_view kEncryption = "META-INF/encryption.xml";
constexpr std::string_view kSignatures = "META-INF/signatures.xml";
constexpr std::string_view kRights = "META-INF/rights.xml";
constexpr std::string_view kMetadata = "META-INF/metadata.xml";
constexpr std::uint64_t kLargest = 16ULL << 20U;  // size limit of a file in META-INF

// Reads up to the first tag and keeps its version.
class VersionPeek final : public xml::Handler {
 public:
  void start(const xml::Element& element) override {
    if (is_done_) return;
    is_done_ = true;
    if (element.name == "package") version_ = element.attribute("version").value_or("");
  }

  [[nodiscard]] bool is_done() const { return is_done_; }
  [[nodiscard]] std::optional<Edition> edition() const {
    if (version_.starts_with('3')) return Edition::epub3;
    if (version_.starts_with('2') || version_.starts_with('1')) return Edition::epub2;
    return std::nullopt;
  }

 private:
  bool is_done_ = false;
  std::string version_{};
};

// One thread. The stages of one book, in the order they run.
class Stages {
 public:
  Stages(Inspection& book, std::string_view file_name) : book_(book), file_name_(file_name) {}

  void run() {
    is_readable() = false;
    check_first_bytes(*book_.archive, book_.findings);
    if (!check_packing(*book_.archive, book_.findings)) return;
    const bool is_sound = check_zip(*book_.archive, book_.findings);
    const bool has_names = check_names(*book_.archive, book_.findings);
    if (!is_sound || !has_names) return;
    check_mimetype(*book_.archive, book_.findings);
    is_readable() = find_packages();
    if (!is_readable()) return;  // from here on: if the first package document exists, all do
    const std::optional<Edition> edition = peek();
    if (edition) check_documents(*edition);
    check_encryption(edition.has_value());
    if (edition) check_metadata(*edition);
    check_signatures(edition.has_value());
    if (edition) check_extension(*edition);
  }

 private:
  bool& is_readable() { return book_.container.is_readable; }
  Document document(std::string_view path) { return {.book = &book_, .path = std::string(path)}; }

  // The content of an entry; nullopt: it does not exist, or could not be read (reported).
  std::optional<std::string> content(const Document& document) {
    const zip::ZipEntry* entry = book_.entry_at(document.path);
    if (entry == nullptr) return std::nullopt;
    auto bytes = book_.archive->read_whole(*entry, kLargest);
    if (bytes) return *std::move(bytes);
    report_unread(document, bytes.error());
    return std::nullopt;
  }

  // Checks the document against a grammar and its own rules. False: it is not well-formed, which
  // was reported when it was first read.
  static bool listen(const Document& document, std::string_view bytes, const Grammar* grammar,
                     xml::Handler& rules) {
    GrammarReport mistakes(document);
    std::optional<GrammarCheck> check;
    xml::HandlerFanout fanout;
    if (grammar != nullptr) fanout.join(check.emplace(*grammar, mistakes));
    fanout.join(rules);
    return !xml::read(bytes, fanout).mistake;
  }

  bool find_packages() {
    const Document document = this->document(kContainerPath);
    if (!book_.has_entry(kContainerPath)) {
      if (book_.findings.count(Severity::fatal) == 0) book_.findings.add("RSC-002", FindingPlace{});
      return false;
    }
    const auto bytes = content(document);
    if (!bytes) return false;
    container_ = *bytes;
    ContainerReader reader(document);
    check_prolog(document, xml::read(container_, reader), kXmlType);
    book_.container.rootfiles = reader.rootfiles();
    packages_ = reader.packages();
    mapping_ = reader.mapping();
    if (packages_ == 0) {
      document.report("RSC-003", {});
      return false;
    }
    // Reading the first package document reports whether it is missing.
    for (std::size_t at = 1; at < packages_; ++at) {
      const std::string& path = book_.container.rootfiles[at].path;
      if (book_.has_entry(path) || !book_.has_entry(book_.container.rootfiles[0].path)) continue;
      document.report("OPF-002", {}, path);
      return false;
    }
    return true;
  }

  std::optional<Edition> peek() {
    const zip::ZipEntry* entry = book_.entry_at(book_.container.rootfiles[0].path);
    if (entry == nullptr) return std::nullopt;
    VersionPeek handler;
    xml::XmlReader reader(handler);
    // PackageReader's caller reports a package document that cannot be read.
    (void)book_.archive->read(
        *entry, [&](std::string_view part) { return reader.feed(part) && !handler.is_done(); });
    (void)reader.finish();
    return handler.edition();
  }

  // Reads container.xml again, now that its grammar is known, and checks multiple renditions.
  void check_documents(Edition edition) {
    const Document document = this->document(kContainerPath);
    if (edition == Edition::epub2) {
      xml::Handler nobody;
      (void)listen(document, container_, &container2_grammar(), nobody);
      if (packages_ > 1) document.report("PKG-013", {});
      return;
    }
    ContainerRules rules(document);
    (void)listen(document, container_, &container_grammar(), rules);
    if (packages_ > 1) check_renditions();
  }

  void check_renditions() {
    if (!book_.has_entry(kMetadata)) book_.findings.add("RSC-019", FindingPlace{});
    const Document mapping = document(mapping_);
    if (const auto bytes = content(mapping)) {
      MappingRules rules(mapping);
      (void)listen(mapping, *bytes, nullptr, rules);
    }
  }

  // metadata.xml has rules only in books with several renditions; elsewhere it must be well-formed.
  void check_metadata(Edition edition) {
    const Document document = this->document(kMetadata);
    const auto bytes = content(document);
    if (!bytes) return;
    xml::Handler nobody;
    check_prolog(document, xml::read(*bytes, nobody), kXmlType);
    if (edition == Edition::epub2 || packages_ < 2) return;
    RenditionsMetadata rules(document);
    if (listen(document, *bytes, &renditions_metadata_grammar(), rules)) rules.finish();
  }

  void check_encryption(bool has_edition) {
    const Document document = this->document(kEncryption);
    if (const auto bytes = content(document)) {
      EncryptionReader reader(document, book_.container);
      check_prolog(document, xml::read(*bytes, reader), kXmlType);
      xml::Handler nobody;
      if (has_edition && listen(document, *bytes, &encryption_grammar(), nobody)) reader.finish();
    }
    book_.container.has_drm = !book_.container.encrypted.empty() || book_.has_entry(kRights);
    if (book_.container.has_drm) book_.findings.add("TIDE-015", FindingPlace{});
  }

  void check_signatures(bool has_edition) {
    const Document document = this->document(kSignatures);
    const auto bytes = content(document);
    book_.container.is_signed = book_.has_entry(kSignatures);
    if (book_.container.is_signed) book_.findings.add("TIDE-016", FindingPlace{});
    if (!bytes) return;
    xml::Handler nobody;
    check_prolog(document, xml::read(*bytes, nobody), kXmlType);
    if (has_edition) (void)listen(document, *bytes, &signatures_grammar(), nobody);
  }

  void check_extension(Edition edition) {
    const std::size_t dot = file_name_.rfind('.');
    if (dot == std::string_view::npos) return;
    const std::string extension(file_name_.substr(dot + 1));
    if (extension == "epub") return;
    if (same_in_any_case(extension, "epub")) {
      book_.findings.add("PKG-016", FindingPlace{}, extension);
    } else if (edition == Edition::epub3) {
      book_.findings.add("PKG-024", FindingPlace{}, extension);
    } else {
      book_.findings.add("PKG-017", FindingPlace{}, extension);
    }
  }

  Inspection& book_;
  std::string_view file_name_;
  std::string container_{};   // the content of container.xml
  std::size_t packages_ = 0;  // how many of the rootfiles are package documents
  std::string mapping_{};     // path of the rendition mapping document; empty: none
};

}  // namespace

void check_container(Inspection& book, std::string_view file_name) {
  Stages(book, file_name).run();
}

void report_unreadable(const Failure& failure, Findings& findings) {
  if (failure.kind == FailureKind::unreadable) {
    findings.add("TIDE-019", FindingPlace{}, failure.reason);
    return;
  }
  if (failure.kind == FailureKind::truncated) {
    findings.add("PKG-003", FindingPlace{}, failure.reason);
  } else {
    findings.add("PKG-004", FindingPlace{}, failure.reason);
  }
  findings.add("PKG-008", FindingPlace{}, failure.reason);
}

}  // namespace tidemill::epub
