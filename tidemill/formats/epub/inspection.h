// Inspection: one book while it is checked, and Document: one entry of it while it is read. All
// checks work on these.
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

// What META-INF says.
struct Container {
  struct Rootfile {
    std::string path{};
    std::string media_type{};
  };
  std::vector<Rootfile> rootfiles{};
  std::set<std::string> obfuscated{};  // fonts: legal, their bytes are not looked at
  std::set<std::string> encrypted{};   // everything else: not looked at
  bool has_drm = false;  // encrypted with something other than font obfuscation, or rights.xml
  bool is_signed = false;
  bool is_readable = true;  // false: there is no use in going on
};

// What a content document uses, as far as the package document must say so.
struct Traits {
  bool is_scripted = false;
  bool has_forms = false;
  bool has_mathml = false;
  bool has_svg = false;
  bool refers_to_svg = false;  // an image that is SVG: the property may be declared, and need not
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
  const zip::Archive* archive = nullptr;  // null: there is no book around the document, as in tests
  Findings findings{};
  Findings held{};  // of the document that is being read: told when it is well-formed
  Container container{};
  Package package{};
  References references{};
  std::map<std::string, Traits, std::less<>> traits{};  // by entry
  Profile profile = Profile::none;

  // From here on its entries are found. It must outlive the inspection, or be taken away again.
  void open(const zip::Archive& opened);

  void tell_held() { findings.take(std::exchange(held, {})); }
  [[nodiscard]] Edition edition() const { return package.edition; }
  // The entry of the archive with this name, or with one that is the same when both are composed
  // (NFC): a Mac writes names decomposed. Null: none, or a folder.
  [[nodiscard]] const zip::Entry* entry_at(std::string_view path) const;
  [[nodiscard]] bool has_entry(std::string_view path) const { return entry_at(path) != nullptr; }

  std::map<std::string, const zip::Entry*, std::less<>> composed{};  // only names that change by it
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
  // What is a mistake of the document as a whole: of one that is not well-formed it is not told.
  void report_if_whole(RuleId rule, xml::Position at, std::string detail = {}) const;
};

}  // namespace tidemill::epub
