// The role of a reference: what its use comes down to, as far as it decides what it may lead to.
#pragma once

#include <cstdint>

#include "tidemill/formats/epub/references/references.h"

namespace tidemill::epub {

enum class Role : std::uint8_t {
  link,  // metadata: not part of the book's content
  hyperlink,
  citation,
  image,
  media,  // audio, video
  font,
  style,
  generic,  // scripts, objects, frames: needs a core media type or a fallback
  track,
  symbol,
  paint,
  overlay_text,
  search_key,
  none,  // said elsewhere
};

[[nodiscard]] Role role_of(Use use);

}  // namespace tidemill::epub
