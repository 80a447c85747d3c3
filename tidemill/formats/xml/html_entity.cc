#include "tidemill/formats/xml/html_entity.h"

#include <libxml/HTMLparser.h>

#include <string>

namespace tidemill::xml {

std::uint32_t html_entity(std::string_view name) {
  const std::string text(name);
  // The characters of libxml2 are bytes.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const htmlEntityDesc* found = htmlEntityLookup(reinterpret_cast<const xmlChar*>(text.c_str()));
  return found == nullptr ? 0 : found->value;
}

}  // namespace tidemill::xml
