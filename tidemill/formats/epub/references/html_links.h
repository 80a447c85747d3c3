// Collects the links of XHTML elements. Links of object, audio and video depend on the content of
// the element and are added at its end tag.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemill/formats/epub/references/link_recorder.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// Reads one document. One thread. The recorder must outlive it.
class HtmlLinks {
 public:
  explicit HtmlLinks(LinkRecorder& recorder) : recorder_(recorder) {}

  void start(const xml::Element& element, std::string_view parent);
  // `is_palpable`: the element has content that can be shown as its fallback.
  void end(std::string_view name, bool is_palpable);

 private:
  void start_known_since_epub2(const xml::Element& element);
  void start_of_epub3(const xml::Element& element, std::string_view parent);
  void start_image(const xml::Element& element);
  void start_link(const xml::Element& element);
  void start_source(const xml::Element& element, std::string_view parent);
  void end_media();

  struct Media {
    Use use{};
    std::vector<Reference> sources{};
  };

  LinkRecorder& recorder_;
  std::vector<Media> media_;        // open audio and video elements
  std::vector<Reference> objects_;  // open object elements
  std::size_t pictures_ = 0;        // open picture elements
};

// The URLs of a srcset attribute. The views point into the argument.
[[nodiscard]] std::vector<std::string_view> image_urls(std::string_view srcset);

}  // namespace tidemill::epub
