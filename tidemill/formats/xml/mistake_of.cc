#include "tidemill/formats/xml/mistake_of.h"

#include <libxml/xmlerror.h>

#include <algorithm>
#include <string>

namespace tidemill::xml {
namespace {

Mistake::Kind kind_of(int code) {
  switch (code) {
    case XML_ERR_UNDECLARED_ENTITY:
    case XML_WAR_UNDECLARED_ENTITY:
      return Mistake::Kind::undeclared_entity;
    case XML_NS_ERR_UNDEFINED_NAMESPACE:
      return Mistake::Kind::undeclared_prefix;
    case XML_ERR_ENTITY_LOOP:
      return Mistake::Kind::entity_bomb;
    case XML_ERR_INVALID_ENCODING:
    case XML_ERR_UNSUPPORTED_ENCODING:
    case XML_ERR_UNKNOWN_ENCODING:
    case XML_I18N_CONV_FAILED:
    case XML_I18N_NO_HANDLER:
      return Mistake::Kind::encoding;
    case XML_ERR_NAME_TOO_LONG:
      return Mistake::Kind::too_large;
    default:
      return Mistake::Kind::malformed;
  }
}

// libxml2 continues after some errors that are mistakes by the XML and namespace specifications.
bool ends_document(const xmlError& error) {
  if (error.level == XML_ERR_FATAL) return true;
  switch (error.code) {
    case XML_WAR_UNDECLARED_ENTITY:
    case XML_NS_ERR_UNDEFINED_NAMESPACE:
    case XML_NS_ERR_ATTRIBUTE_REDEFINED:
    case XML_NS_ERR_QNAME:
    case XML_NS_ERR_COLON:
      return true;
    default:
      return false;
  }
}

std::string sentence_of(const xmlError& error) {
  std::string text = error.message == nullptr ? "not well-formed" : error.message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

std::optional<Mistake> mistake_of(const xmlError& error) {
  if (!ends_document(error)) return std::nullopt;
  return Mistake{.kind = kind_of(error.code),
                 .text = sentence_of(error),
                 .where = {.line = static_cast<std::uint32_t>(std::max(error.line, 0)),
                           .column = static_cast<std::uint32_t>(std::max(error.int2, 0))}};
}

}  // namespace tidemill::xml
