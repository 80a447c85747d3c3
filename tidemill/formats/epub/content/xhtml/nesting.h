// NestingRules: elements that must not be inside others at any depth (a link in a link), and
// elements that must be.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tidemill/formats/epub/content/xhtml/tags.h"
#include "tidemill/formats/epub/inspection.h"

namespace tidemill::epub {

// One thread. The document must outlive it.
class NestingRules {
 public:
  explicit NestingRules(const Document& document) : document_(document) {}

  void start(const xml::Element& element, Tag tag);
  void end(Tag tag);

 private:
  [[nodiscard]] std::uint32_t open(Tag tag) const { return open_[static_cast<std::size_t>(tag)]; }

  const Document& document_;
  std::array<std::uint32_t, kTags> open_{};
  std::uint32_t links_ = 0;      // open <a href>
  std::vector<bool> has_href_;   // of the open <a>
  std::vector<bool> is_spoken_;  // of all open elements: has ssml:ph
  std::uint32_t spoken_ = 0;
};

}  // namespace tidemill::epub
