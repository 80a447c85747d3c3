// Rules for the data navigation documents of EPUB 3, and for region-based navigation, which only
// they may contain.
//
// The handler sees every XHTML document; in most of them it has nothing to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class DataNavRules final : public xml::Handler {
 public:
  explicit DataNavRules(Document& document);

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void text(std::string_view part, xml::Position where) override;
  void finish() {}

 private:
  enum class Tag : std::uint8_t { other, nav, region_nav, list, item, link, span };

  // An open element and its content so far.
  struct Frame {
    Tag tag = Tag::other;
    bool has_text = false;  // at any depth
    Tag first = Tag::other;
    Tag second = Tag::other;
    std::size_t children = 0;
    std::size_t links = 0;
    xml::Position where{};
  };

  static Tag tag_of(const xml::Element& element);
  void check_type(const xml::Element& element, std::string_view types);
  void check_target(const xml::Element& link);
  void judge(const Frame& frame);

  Document& document_;
  bool is_data_nav_;
  std::vector<Frame> open_;  // in a data navigation document only
  std::size_t navs_ = 0;
  std::size_t region_navs_ = 0;
};

}  // namespace tidemill::epub
