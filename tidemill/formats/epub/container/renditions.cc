#include "tidemill/formats/epub/container/renditions.h"

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/values.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

void RenditionsMetadata::start(const xml::Element& element) {
  if (element.ns == kMetadataNamespace && element.name == "metadata") {
    is_metadata_ = true;
    root_ = element.where;
    unique_identifier_ = element.attribute("unique-identifier").value_or("");
  } else if (element.ns == kDublinNamespace && element.name == "identifier") {
    identifiers_.emplace(element.attribute("id").value_or(""));
  } else if (element.ns == kDublinNamespace && element.name == "type") {
    asked_ = "type";
    value_.clear();
  } else if (element.ns == kMetadataNamespace && element.name == "meta" &&
             element.attribute("property").value_or("") == "dcterms:modified") {
    asked_ = "meta";
    value_.clear();
    if (!element.attribute("refines")) ++modified_;
  }
}

void RenditionsMetadata::end(const xml::Element& element) {
  if (asked_.empty() || element.name != asked_) return;
  const std::string_view value = trimmed(value_);
  if (asked_ == "type") {
    is_edupub_ = is_edupub_ || value == "edupub";
  } else if (!is_modified_date(value)) {
    document_.report("RSC-005", element.where, "dcterms:modified is not like CCYY-MM-DDThh:mm:ssZ");
  }
  asked_ = {};
}

void RenditionsMetadata::text(std::string_view part, xml::Position /*where*/) {
  constexpr std::size_t kEnough = 200;
  if (!asked_.empty() && value_.size() < kEnough) value_ += part;
}

void RenditionsMetadata::finish() {
  if (!is_metadata_) return;
  if (!unique_identifier_.empty() && !identifiers_.contains(unique_identifier_)) {
    document_.report("RSC-005", root_, "unique-identifier names no dc:identifier");
  }
  if (modified_ != 1) {
    document_.report("RSC-005", root_, "dcterms:modified must be there exactly once");
  }
  if (document_.book->profile == Profile::education && !is_edupub_) {
    document_.report("RSC-005", root_, "a dc:type \"edupub\" is missing");
  }
}

void MappingRules::start(const xml::Element& element) {
  if (element.ns != kXhtmlNamespace) return;
  if (element.name == "meta") {
    has_version_ = has_version_ ||
                   (element.attribute("name").value_or("") == "epub.multiple.renditions.version" &&
                    element.attribute("content").value_or("") == "1.0");
  } else if (element.name == "nav") {
    const std::string_view type = element.attribute("type", kOpsNamespace).value_or("");
    if (has_word(type, "resource-map")) ++maps_;
    has_untyped_ = has_untyped_ || is_blank(type);
  }
}

void MappingRules::end(const xml::Element& element) {
  if (element.ns != kXhtmlNamespace) return;
  if (element.name == "head" && !has_version_) {
    document_.report("RSC-005", element.where,
                     "a meta epub.multiple.renditions.version with the content 1.0 is missing");
  }
  if (element.name != "body") return;
  if (maps_ != 1) {
    document_.report("RSC-005", element.where, "there must be exactly one nav resource-map");
  }
  if (has_untyped_) {
    document_.report("RSC-005", element.where, "a nav element does not say its epub:type");
  }
}

}  // namespace tidemill::epub
