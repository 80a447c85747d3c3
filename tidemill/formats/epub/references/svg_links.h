// The links of SVG and DTBook elements.
#pragma once

#include <optional>
#include <string_view>

#include "tidemill/formats/epub/references/link_scribe.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

// One document; one thread. The scribe must outlive it.
class SvgLinks {
 public:
  explicit SvgLinks(LinkScribe& scribe) : scribe_(scribe) {}
  void start(const xml::Element& element);

 private:
  void start_script(const xml::Element& element);
  void add_paint(const xml::Element& element, std::string_view attribute);

  LinkScribe& scribe_;
};

// What an id on this SVG element is good for.
[[nodiscard]] Anchor anchor_of(std::string_view name);

void start_dtbook(const xml::Element& element, LinkScribe& scribe);

// name="value" in a processing instruction; nothing: not there.
[[nodiscard]] std::optional<std::string_view> pseudo_attribute(std::string_view data,
                                                               std::string_view name);

}  // namespace tidemill::epub
