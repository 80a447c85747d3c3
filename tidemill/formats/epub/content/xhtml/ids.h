// Checks ids. IdRules, for the XHTML of EPUB 3: ids are unique, and every attribute that refers to
// an id names an existing element of the right kind. UniqueIds, for all other formats: ids are
// unique.
//
// A reference may come before its target, so references are checked at the end of the document.
// Elements are numbered in the order of their start tags; the content of an element is a range of
// these numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/epub/content/xhtml/tags.h"
#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class IdRules {
 public:
  explicit IdRules(const Document& document) : document_(document) {}

  void start(const xml::Element& element, Tag tag);
  void end(Tag tag);
  void finish();

 private:
  enum Kind : std::uint8_t {  // bits
    anything = 0,
    datalist = 1,
    form = 2,
    labelable = 4,
    descendant = 8,  // of the referring element
    table_header = 16
  };
  struct IdTarget {
    std::uint32_t first = 0;   // number of the first element with the id
    std::uint32_t header = 0;  // number of the first th with the id
    std::uint8_t kinds = 0;
    bool is_reported = false;
    xml::Position where{};
  };
  struct IdReference {
    Kind kind = anything;
    std::string id{};
    std::string_view attribute{};
    xml::Position where{};
    std::uint32_t begin = 0;  // the target must be in this range: after begin, up to end
    std::uint32_t end = 0;    // 0: not known yet, or no range
  };
  struct Open {
    std::uint32_t number = 0;
    std::uint32_t first_reference = 0;  // references from here on are on it or inside it
    Tag tag = Tag::other;
    bool has_descendant_reference = false;
  };

  [[nodiscard]] static Kind kind_of(const xml::Element& element, Tag tag);
  void note_id(std::string_view id, const xml::Element& element, Tag tag);
  // False: the list is empty.
  bool add_references(Kind kind, std::string_view attribute, std::string_view value,
                      const xml::Element& element, bool is_list);
  void read_reference(const xml::Element& element, const xml::Attribute& attribute, Tag tag);
  void read_aria(const xml::Element& element, const xml::Attribute& attribute);
  void read_html(const xml::Element& element, const xml::Attribute& attribute, Tag tag);
  [[nodiscard]] bool is_resolved(const IdReference& reference) const;

  const Document& document_;
  std::unordered_map<std::string, IdTarget> targets_;
  std::vector<IdReference> references_;
  std::vector<Open> open_;
  std::uint32_t number_ = 0;       // of the last start tag
  std::uint32_t tables_ = 0;       // open tables
  std::uint32_t outer_table_ = 0;  // number of the outermost open table
  std::uint32_t outer_reference_ = 0;
};

// Reports every element that shares its id with another one, including the first. Ignores white
// space around an id. One thread. The document must outlive it.
class UniqueIds final {
 public:
  explicit UniqueIds(const Document& document) : document_(document) {}

  void see(const xml::Element& element);

 private:
  struct First {
    xml::Position at{};
    bool is_reported = false;
  };
  const Document& document_;
  std::unordered_map<std::string, First> ids_;
};

}  // namespace tidemill::epub
