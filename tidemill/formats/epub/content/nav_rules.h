// The navigation document of EPUB 3: which lists it must have, what stands in them, and where they
// lead.
//
// Only nav elements with an epub:type are navigation lists; others are ordinary content. What is
// inside a label (a, span, a heading) is for the content model of XHTML. The links of navigation
// lists become references of their own use, beside the hyperlinks that they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/epub/inspection.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class NavRules final : public xml::Handler {
 public:
  explicit NavRules(Document& document) : document_(document) {}

  void start(const xml::Element& element) override;
  void end(const xml::Element& element) override;
  void text(std::string_view part, xml::Position where) override;
  // The document was read to its end, or to its first mistake.
  void finish();

 private:
  enum class Part : std::uint8_t { other, nav, list, item };
  // How far the children of a nav or of an item have come.
  enum class Stage : std::uint8_t { empty, label, span, complete, wrong };

  struct Frame {
    Part part = Part::other;
    Stage stage = Stage::empty;
    bool is_label = false;    // must not be empty
    bool is_heading = false;  // h1 to h6
    bool has_text = false;    // in it or in what is inside it
    bool has_alt = false;     // an image directly in it has one
    bool has_child = false;
    Use use = Use::hyperlink;  // of the links in this nav
    std::size_t lists_before = 0;
    xml::Position where{};
  };

  struct Landmark {
    std::vector<std::uint64_t> keys{};  // the numbers of a type and of the address, for each type
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
  std::size_t typed_navs_ = 0;  // open ones with an epub:type
  std::size_t landmark_navs_ = 0;
  std::size_t open_lists_ = 0;  // ol inside typed navs
  std::size_t lists_ = 0;       // ol so far
  std::vector<Use> uses_;       // of the open typed navs
  std::vector<Landmark> landmarks_;
  std::unordered_map<std::uint64_t, std::size_t> landmark_counts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of types and addresses
  bool has_body_ = false;
  xml::Position body_{};
  std::size_t tocs_ = 0;
  std::size_t page_lists_ = 0;
  std::size_t landmark_lists_ = 0;
};

// What only the whole book can say of its navigation document: NAV-003.
void judge_navigation(Inspection& book);

}  // namespace tidemill::epub
