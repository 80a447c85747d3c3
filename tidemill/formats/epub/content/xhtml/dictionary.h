// DictionaryRules: the parts of a dictionary (epub:type dictionary, condensed-entry, …) stand where
// they may and hold what they must.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class DictionaryRules {
 public:
  explicit DictionaryRules(const Document& document) : document_(document) {}

  void start(const xml::Element& element);
  void end(const xml::Element& element);

 private:
  struct Frame {
    std::uint32_t types = 0;
    std::uint32_t wants = 0;  // what must be found in it before it ends
    std::uint32_t found = 0;  // in it, however deep
    bool is_article = false;
    bool is_condensed = false;  // it stands in a condensed entry, or is one
    std::size_t near = 0;       // position + 1 of the nearest li or typed one around it; 0: none
    bool is_scope = false;      // it has a type or is an li
    bool has_tran = false;      // a child
    std::vector<xml::Position> tran_infos{};  // children that need one
  };

  [[nodiscard]] static std::uint32_t wants_of(const Frame& frame, bool is_item,
                                              std::uint32_t around);
  void check_place(const Frame& frame, const xml::Element& element) const;
  void satisfy(const Frame& frame, std::string_view name);
  void tell(xml::Position where, std::string_view sentence) const;

  const Document& document_;
  std::vector<Frame> open_;
};

}  // namespace tidemill::epub
