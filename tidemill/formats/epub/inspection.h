// Inspection is the state of one book while it is checked; Document is one entry of it while that
// is read. All checks work on these two.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/formats/epub/package/package.h"
#include "tidemill/formats/epub/references/references.h"
#include "tidemill/formats/epub/rules/finding.h"
#include "tidemill/formats/zip/archive.h"

namespace tidemill::epub {

// Contents of META-INF.
struct Container {
  struct Rootfile {
    std::string path{};
    std::string media_type{};
  };
  std::vector<Rootfile> rootfiles{};
  std::set<std::string> obfuscated{};  // fonts, which is allowed; their bytes are not checked
  std::set<std::string> encrypted{};   // all other encrypted entries; not checked
  bool has_drm = false;  // encrypted with something other than font obfuscation, or rights.xml
  bool is_signed = false;
  bool is_readable = true;  // false: the rest of the book cannot be checked
};

// Features a document uses, mostly those that the package document must declare.
struct Traits {
  bool is_scripted = false;
  bool has_forms = false;
  bool has_mathml = false;
  bool has_svg = false;
  bool refers_to_svg = false;  // to an SVG resource: the property is allowed, not required
  bool has_switch = false;
  bool has_remote_resources = false;
  bool has_page_breaks = false;
  bool has_index = false;
  bool has_dictionary = false;
  bool has_overlay_class = false;  // its CSS has the media overlay's class names
  bool has_css = false;
};

enum class Profile : std::uint8_t { none, dictionary, education, index, preview };

// One thread.
struct Inspection {
  const zip::Archive* archive = nullptr;  // null: a single document without a book, as in tests
  Findings findings{};
  Findings held{};  // of the current document; reported only if it turns out well-formed
  Container container{};
  Package package{};
  References references{};
  std::map<std::string, Traits, std::less<>> traits{};  // by entry
  Profile profile = Profile::none;

  // Makes the entries of the archive available. The archive must outlive the inspection, unless the
  // caller resets `archive` to null.
  void open(const zip::Archive& opened);

  void tell_held() { findings.take(std::exchange(held, {})); }
  [[nodiscard]] Edition edition() const { return package.edition; }
  // The entry with this name, or the one whose NFC form is this name (macOS writes decomposed
  // names). Null: no such entry, or a folder.
  [[nodiscard]] const zip::ZipEntry* entry_at(std::string_view path) const;
  [[nodiscard]] bool has_entry(std::string_view path) const { return entry_at(path) != nullptr; }

  std::map<std::string, const zip::ZipEntry*, std::less<>>
      composed{};  // by NFC name; only names that are not NFC already
};

// One thread.
struct Document {
  Inspection* book = nullptr;
  std::string path{};          // the entry
  const Item* item = nullptr;  // null: not in the manifest
  bool is_nav = false;         // the navigation document
  bool is_fixed = false;       // fixed layout

  [[nodiscard]] Edition edition() const { return book->edition(); }
  [[nodiscard]] Traits& traits() const { return book->traits[path]; }
  void report(RuleId rule, xml::Position at, std::string detail = {}) const;
  // For faults of the complete document: dropped if the document is not well-formed.
  void report_if_whole(RuleId rule, xml::Position at, std::string detail = {}) const;
};

}  // namespace tidemill::epub
