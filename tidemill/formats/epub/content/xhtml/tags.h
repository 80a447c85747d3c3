// The elements that rules refer to, as an enumeration.
#pragma once

#include <cstdint>
#include <string_view>

#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

// HTML elements first, sorted by name; then the others.
enum class Tag : std::uint8_t {
  a,
  address,
  area,
  audio,
  base,
  bdo,
  button,
  caption,
  datalist,
  details,
  dfn,
  embed,
  footer,
  form,
  head,
  header,
  html,
  iframe,
  img,
  input,
  label,
  link,
  map,
  menu,
  meta,
  meter,
  object,
  option,
  output,
  progress,
  rp,
  select,
  table,
  textarea,
  th,
  title,
  track,
  video,
  other_html,
  // not HTML
  epub_switch,
  epub_trigger,
  svg,
  svg_a,
  svg_label,  // title and text
  math,
  math_annotation,
  other_math,
  other,
};
inline constexpr std::size_t kTags = static_cast<std::size_t>(Tag::other) + 1;

[[nodiscard]] Tag tag_of(const xml::Element& element);
// h1 … h6
[[nodiscard]] constexpr bool is_heading_name(std::string_view name) {
  return name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6';
}
[[nodiscard]] constexpr bool is_html(Tag tag) { return tag <= Tag::other_html; }

}  // namespace tidemill::epub
