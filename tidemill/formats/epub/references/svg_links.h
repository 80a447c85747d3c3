// Collects the links of SVG and DTBook elements.
#pragma once

#include <optional>
#include <string_view>

#include "tidemill/formats/epub/references/link_recorder.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// Reads one document. One thread. The recorder must outlive it.
class SvgLinks {
 public:
  explicit SvgLinks(LinkRecorder& recorder) : recorder_(recorder) {}
  void start(const xml::Element& element);

 private:
  void start_script(const xml::Element& element);
  void add_paint(const xml::Element& element, std::string_view attribute);

  LinkRecorder& recorder_;
};

// The kind of link target that an id on this SVG element is.
[[nodiscard]] Anchor anchor_of(std::string_view name);

void start_dtbook(const xml::Element& element, LinkRecorder& recorder);

// The value of name="value" in a processing instruction; nullopt: not present.
[[nodiscard]] std::optional<std::string_view> pseudo_attribute(std::string_view data,
                                                               std::string_view name);

}  // namespace tidemill::epub
