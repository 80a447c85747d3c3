// Ids. IdRules, for XHTML of EPUB 3: they are there once, and what names an id names one that is
// there and of the right kind. UniqueIds, for all others: they are there once.
//
// A reference may stand before its target, so they are judged at the end. Elements are numbered in
// the order of their start tags; "inside" is a range of these numbers.
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
    descendant = 8,  // of the element that refers
    table_header = 16
  };
  struct Target {
    std::uint32_t first = 0;   // the number of the first element that has it
    std::uint32_t header = 0;  // … of the first th
    std::uint8_t kinds = 0;
    bool is_told = false;
    xml::Position where{};
  };
  struct Wish {
    Kind kind = anything;
    std::string id{};
    std::string_view attribute{};
    xml::Position where{};
    std::uint32_t begin = 0;  // of the range in which the target must stand
    std::uint32_t end = 0;    // 0: not known yet, or none
  };
  struct Open {
    std::uint32_t number = 0;
    std::uint32_t first_wish = 0;  // wishes from here on were made inside it (or by it)
    Tag tag = Tag::other;
    bool has_descendant_wish = false;
  };

  [[nodiscard]] static Kind kind_of(const xml::Element& element, Tag tag);
  void note_id(std::string_view id, const xml::Element& element, Tag tag);
  bool wish(Kind kind, std::string_view attribute, std::string_view value,
            const xml::Element& element, bool is_list);
  void read_reference(const xml::Element& element, const xml::Attribute& attribute, Tag tag);
  void read_aria(const xml::Element& element, const xml::Attribute& attribute);
  void read_html(const xml::Element& element, const xml::Attribute& attribute, Tag tag);
  [[nodiscard]] bool is_granted(const Wish& wish) const;

  const Document& document_;
  std::unordered_map<std::string, Target> targets_;
  std::vector<Wish> wishes_;
  std::vector<Open> open_;
  std::uint32_t number_ = 0;       // of the last start tag
  std::uint32_t tables_ = 0;       // open
  std::uint32_t outer_table_ = 0;  // the number of the outermost open one
  std::uint32_t outer_wish_ = 0;
};

// An id may stand on one element of a document only. Each element that shares its id with another
// one is told about, the first one too. White space around an id does not count. One thread. The
// document must outlive it.
class UniqueIds final {
 public:
  explicit UniqueIds(const Document& document) : document_(document) {}

  void see(const xml::Element& element);

 private:
  struct First {
    xml::Position at{};
    bool is_told = false;
  };
  const Document& document_;
  std::unordered_map<std::string, First> ids_;
};

}  // namespace tidemill::epub
