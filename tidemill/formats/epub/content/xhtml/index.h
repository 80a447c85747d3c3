// IndexRules: checks the place and the content of the parts of an index (epub:type index,
// index-entry, …).
//
// Lists and items inside an index need no type: a ul is a list of entries, its li is an entry. The
// rules count the content of open elements only, so closed elements take no memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class IndexRules {
 public:
  // `is_index`: the package declares the document as an index, so it must contain one.
  IndexRules(const Document& document, bool is_index) : document_(document), is_index_(is_index) {}

  void start(const xml::Element& element);
  void end(const xml::Element& element);
  void text(std::string_view part);

 private:
  // Counts the parts directly in an element: without a typed element in between (see
  // Frame::sections and Frame::entry).
  struct Holds {
    std::uint32_t headings = 0;
    std::uint32_t headnotes = 0;
    std::uint32_t groups = 0;
    std::uint32_t lists = 0;  // of entries
    std::uint32_t plain_lists = 0;
    std::uint32_t terms = 0;
    std::uint32_t locator_lists = 0;
    std::uint32_t locators = 0;
    std::uint32_t notes = 0;
    std::uint32_t preferred = 0;
    std::uint32_t related = 0;
    std::uint32_t substance = 0;  // parts that give an entry its content
  };
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
  struct Frame {
    std::string_view tag{};
    std::uint32_t types = 0;
    std::uint32_t around = 0;  // the types of all its ancestors
    bool in_item = false;      // inside an li that is an entry
    // The innermost ancestor that has a type; that has a type or is a ul; … or is an li.
    std::size_t near_type = kNowhere;
    std::size_t near_ul = kNowhere;
    std::size_t near_li = kNowhere;
    bool has_type = false;
    bool is_list = false;   // of entries
    bool is_entry = false;  // by its type or by its position
    bool has_item = false;  // li
    bool has_locator = false;
    bool has_term = false;
    std::uint32_t links = 0;
    Holds sections{};  // counted up to the next type or ul
    Holds entry{};     // counted up to the next type or li
  };

  [[nodiscard]] Frame frame_of(const xml::Element& element) const;
  [[nodiscard]] bool is_in_entry(const Frame& frame) const;
  void check_place(const Frame& frame, const xml::Element& element) const;
  void check_list(const Frame& frame, const xml::Element& element) const;
  void check_entry_parts(const Frame& frame, const xml::Element& element) const;
  void check_locators(const Frame& frame, const xml::Element& element) const;
  void count(const Frame& frame, std::string_view name);
  void judge(const Frame& frame, const xml::Element& element) const;
  void judge_index(const Frame& frame, const xml::Element& element) const;
  void judge_entry(const Holds& holds, const xml::Element& element) const;
  void report(const xml::Element& element, std::string_view sentence) const;

  const Document& document_;
  bool is_index_;
  bool has_index_ = false;
  bool has_other_text_ = false;
  bool body_is_index_ = false;
  bool in_body_ = false;
  std::size_t foreign_ = 0;  // open elements that are not HTML
  std::vector<Frame> open_;
};

}  // namespace tidemill::epub
