// XhtmlRules: the rules for XHTML content documents beyond their grammar and their references.
//
// EPUB 3: nesting, ids, head, types, conditions of single elements, and the rules for indexes,
// dictionaries and EDUPUB. EPUB 2: only the prolog (Xhtml11Rules does the rest).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "tidemill/formats/epub/content/epub_type.h"
#include "tidemill/formats/epub/content/xhtml/dictionary.h"
#include "tidemill/formats/epub/content/xhtml/education.h"
#include "tidemill/formats/epub/content/xhtml/head.h"
#include "tidemill/formats/epub/content/xhtml/ids.h"
#include "tidemill/formats/epub/content/xhtml/index.h"
#include "tidemill/formats/epub/content/xhtml/nesting.h"
#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class XhtmlRules final : public xml::Handler {
 public:
  explicit XhtmlRules(Document& document);

  void doctype(const xml::Doctype& doctype, xml::Position where) override;
  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void text(std::string_view part, xml::Position where) override;
  void external_entity(std::string_view name, std::string_view system_id,
                       xml::Position where) override;
  void finish();

 private:
  // An open element, with facts about its content so far.
  struct Host {
    Tag tag = Tag::other;
    std::size_t depth = 0;
    std::uint32_t selected = 0;  // select: number of selected options
    bool takes_many = false;     // select: multiple
    bool has_default = false;    // audio, video: has a default track
    bool has_label = false;      // svg a, math: has alternative text
  };

  void add_special_rules();
  void check_declarations(const xml::Element& element) const;
  void check_attributes(const xml::Element& element, Tag tag) const;
  void check_attribute(const xml::Attribute& attribute, const xml::Element& element) const;
  void check_languages(const xml::Element& element) const;
  void check_role(std::string_view role, xml::Position where) const;
  void check_element(const xml::Element& element, Tag tag);
  void check_item(const xml::Element& element, Tag tag) const;
  void check_map(const xml::Element& map);
  void check_track(const xml::Element& track);
  void open_host(const xml::Element& element, Tag tag);
  void close_host(const xml::Element& element);
  Host* host(Tag tag);

  const Document& document_;
  bool is_epub3_;
  HeadRules head_;
  IdRules ids_;
  NestingRules nesting_;
  TypeRules types_;
  // Present only if the book or the package declares such a document.
  std::optional<IndexRules> index_;
  std::optional<DictionaryRules> dictionary_;
  std::optional<EducationRules> education_;
  std::vector<Host> hosts_;
  std::vector<Tag> open_;
  std::unordered_set<std::string> map_names_;
};

}  // namespace tidemill::epub
