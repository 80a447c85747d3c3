#include "tidemill/book/container_renditions.h"

#include <algorithm>

namespace tidemill::book {
namespace {

constexpr std::string_view kMetadata = "http://www.idpf.org/2013/metadata";
constexpr std::string_view kDublinCore = "http://purl.org/dc/elements/1.1/";
constexpr std::string_view kXhtml = "http://www.w3.org/1999/xhtml";
constexpr std::string_view kOps = "http://www.idpf.org/2007/ops";
constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// CCYY-MM-DDThh:mm:ssZ
bool is_modification_date(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  return std::ranges::equal(text, kShape, [](char c, char shape) {
    return shape == '0' ? c >= '0' && c <= '9' : c == shape;
  });
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || kSpace.contains(text[at - 1]);
    if (begins && (end == text.size() || kSpace.contains(text[end]))) return true;
  }
  return false;
}

}  // namespace

void RenditionsMetadata::start(const xml::Element& element) {
  if (element.ns == kMetadata && element.name == "metadata") {
    is_metadata_ = true;
    root_ = element.where;
    unique_identifier_ = element.attribute("unique-identifier").value_or("");
  } else if (element.ns == kDublinCore && element.name == "identifier") {
    identifiers_.emplace(element.attribute("id").value_or(""));
  } else if (element.ns == kDublinCore && element.name == "type") {
    asked_ = "type";
    value_.clear();
  } else if (element.ns == kMetadata && element.name == "meta" &&
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
  } else if (!is_modification_date(value)) {
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
  if (element.ns != kXhtml) return;
  if (element.name == "meta") {
    has_version_ = has_version_ ||
                   (element.attribute("name").value_or("") == "epub.multiple.renditions.version" &&
                    element.attribute("content").value_or("") == "1.0");
  } else if (element.name == "nav") {
    const std::string_view type = element.attribute("type", kOps).value_or("");
    if (has_word(type, "resource-map")) ++maps_;
    has_untyped_ = has_untyped_ || type.find_first_not_of(kSpace) == std::string_view::npos;
  }
}

void MappingRules::end(const xml::Element& element) {
  if (element.ns != kXhtml) return;
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

}  // namespace tidemill::book
