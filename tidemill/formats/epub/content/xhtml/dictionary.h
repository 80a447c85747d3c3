// DictionaryRules: checks the place and the content of the parts of a dictionary (epub:type
// dictionary, condensed-entry, …).
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
    std::uint32_t wants = 0;  // parts it must contain that were not found yet
    std::uint32_t found = 0;  // parts found in it, at any depth
    bool is_article = false;
    bool is_condensed = false;  // in a condensed entry, or is one
    std::size_t near = 0;       // position + 1 of the nearest li or typed ancestor; 0: none
    bool is_scope = false;      // it has a type or is an li
    bool has_tran = false;      // a child is a tran
    std::vector<xml::Position> tran_infos{};  // children that require a tran
  };

  [[nodiscard]] static std::uint32_t wants_of(const Frame& frame, bool is_item,
                                              std::uint32_t around);
  void check_place(const Frame& frame, const xml::Element& element) const;
  void satisfy(const Frame& frame, std::string_view name);
  void report(xml::Position where, std::string_view sentence) const;

  const Document& document_;
  std::vector<Frame> open_;
};

}  // namespace tidemill::epub
