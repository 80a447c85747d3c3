// HeadRules: checks the head of a document: title, encoding, style sheets, and the viewport of a
// fixed layout.
#pragma once

#include <string_view>
#include <vector>

#include "tidemill/formats/epub/content/xhtml/tags.h"
#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class HeadRules {
 public:
  explicit HeadRules(const Document& document) : document_(document) {}

  void start(const xml::Element& element, Tag tag);
  void end(const xml::Element& element, Tag tag);
  void text(std::string_view part);

 private:
  void check_meta(const xml::Element& element);
  void check_link(const xml::Element& element) const;
  void check_viewport(const xml::Element& element, std::string_view content);

  const Document& document_;
  std::size_t depth_ = 0;
  std::size_t head_depth_ = 0;  // of the open head; 0: none
  bool has_title_ = false;      // in the open head
  bool in_title_ = false;
  bool title_has_text_ = false;
  bool has_charset_ = false;
  bool has_content_type_ = false;
  bool has_viewport_ = false;
};

// A pair of a viewport ("width=600, height=800"). read_viewport() returns false on a syntax error.
struct ViewportPair {
  std::string_view name{};
  std::string_view value{};
};
[[nodiscard]] bool read_viewport(std::string_view content, std::vector<ViewportPair>& pairs);

}  // namespace tidemill::epub
