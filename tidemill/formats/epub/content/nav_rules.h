// Rules for the navigation document of EPUB 3: required lists, their content, and their targets.
//
// Only nav elements with an epub:type are navigation lists; others are ordinary content. The XHTML
// grammar checks the content of a label (a, span, a heading). A link in a navigation list is added
// as a reference with its own Use, in addition to the hyperlink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class NavRules final : public xml::Handler {
 public:
  explicit NavRules(Document& document) : document_(document) {}

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void text(std::string_view part, xml::Position where) override;
  // Call after the last event of a well-formed document.
  void finish();

 private:
  enum class Part : std::uint8_t { other, nav, list, item };
  // The state of the children of a nav or of an item.
  enum class Stage : std::uint8_t { empty, label, span, complete, wrong };

  struct Frame {
    Part part = Part::other;
    Stage stage = Stage::empty;
    bool is_label = false;    // must not be empty
    bool is_heading = false;  // h1 to h6
    bool has_text = false;    // at any depth
    bool has_alt = false;     // a child image has an alt text
    bool has_child = false;
    Use use = Use::hyperlink;  // of the links in this nav
    std::size_t lists_before = 0;
    xml::Position where{};
  };

  struct Landmark {
    std::vector<std::uint64_t> keys{};  // for each type: the numbers of the type and the target URL
    xml::Position where{};
  };

  void start_nav(const xml::Element& element, Frame& frame);
  void start_link(const xml::Element& element);
  void place(std::string_view name, xml::Position where, Frame& frame);
  void place_in_nav(std::string_view name, xml::Position where, Frame& frame, Frame& nav);
  void place_in_item(std::string_view name, xml::Position where, Frame& frame, Frame& item);
  void end_nav(const Frame& nav);
  std::uint32_t number_of(std::string_view name);
  void judge_landmarks();
  void refuse(std::string_view name, std::string_view where_in, xml::Position where);

  Document& document_;
  std::vector<Frame> open_;
  std::size_t typed_navs_ = 0;  // open navs with an epub:type
  std::size_t landmark_navs_ = 0;
  std::size_t open_lists_ = 0;  // ol inside typed navs
  std::size_t lists_ = 0;       // ol so far
  std::vector<Use> uses_;       // of the open typed navs
  std::vector<Landmark> landmarks_;
  std::unordered_map<std::uint64_t, std::size_t> landmark_counts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of types and target URLs
  bool has_body_ = false;
  xml::Position body_{};
  std::size_t tocs_ = 0;
  std::size_t page_lists_ = 0;
  std::size_t landmark_lists_ = 0;
};

// The check of the navigation document that needs the complete book: NAV-003.
void judge_navigation(Inspection& book);

}  // namespace tidemill::epub
