// Structure of the collections of an EPUB 3 package document, by role. The targets of their links
// are checked with the rest of the book.
#include <algorithm>
#include <string>
#include <string_view>

#include "tidemill/formats/epub/package/facts.h"

namespace tidemill::epub {

namespace {

std::size_t manifests_in(const OpfCheck& check, const CollectionFacts& collection) {
  return static_cast<std::size_t>(std::ranges::count_if(collection.parts, [&](std::size_t part) {
    return check.facts->collections[part].role == "manifest";
  }));
}

void check_manifest_role(const OpfCheck& check, const CollectionFacts& one) {
  if (one.metadata != kNone || !one.parts.empty()) {
    check.report("RSC-005", one.at, "a manifest collection may have only links");
  }
  if (one.links == 0) check.report("RSC-005", one.at, "a manifest collection must have a link");
  if (one.parent == kNone) {
    check.report("RSC-005", one.at, "a manifest collection must be in another collection");
  }
}

void check_object_role(const OpfCheck& check, const CollectionFacts& one) {
  using enum MetadataStatement::Kind;
  if (manifests_in(check, one) > 1) {
    check.report("RSC-005", one.at, "a distributable object may have at most one manifest");
  }
  if (one.links == 0) check.report("RSC-005", one.at, "a distributable object must have a link");
  if (one.metadata == kNone) {
    return check.report("RSC-005", one.at, "a distributable object must have metadata");
  }
  if (check.facts->count(one.metadata, dublin, "identifier") != 1) {
    check.report("RSC-005", one.at, "a distributable object must have one dc:identifier");
  }
  for (const std::string_view name : {"title", "language"}) {
    if (check.facts->count(one.metadata, dublin, name) == 0) {
      check.report("RSC-005", one.at, "a distributable object must have a dc:" + std::string(name));
    }
  }
}

void check_dictionary_role(const OpfCheck& check, const CollectionFacts& one) {
  using enum MetadataStatement::Kind;
  if (!one.parts.empty()) {
    check.report("RSC-005", one.at, "a dictionary must not contain collections");
  }
  for (const std::string_view name : {"source-language", "target-language"}) {
    if (check.facts->count(one.metadata, meta, name) == 0 &&
        check.facts->count(check.facts->metadata, meta, name) == 0) {
      check.report("RSC-005", one.at, "a dictionary must have a " + std::string(name));
    }
  }
  if (check.facts->count(one.metadata, meta, "source-language") > 1) {
    check.report("RSC-005", one.at, "a dictionary must have one source-language");
  }
}

void check_index_roles(const OpfCheck& check, const CollectionFacts& one) {
  if (one.has_role("index")) {
    const bool has_other = std::ranges::any_of(one.parts, [&](std::size_t part) {
      return !check.facts->collections[part].has_role("index-group");
    });
    if (has_other) {
      check.report("RSC-005", one.at, "an index may only contain collections of index-group");
    }
  } else if (one.has_role("index-group")) {
    if (one.parent == kNone || !check.facts->collections[one.parent].has_role("index")) {
      check.report("RSC-005", one.at, "an index-group must be in an index");
    }
    if (!one.parts.empty()) {
      check.report("RSC-005", one.at, "an index-group must not contain collections");
    }
  }
}

}  // namespace

bool CollectionFacts::has_role(std::string_view wanted) const {
  return std::ranges::find(roles, wanted) != roles.end();
}

void check_collection_shapes(const OpfCheck& check) {
  for (const CollectionFacts& one : check.facts->collections) {
    if (one.has_role("manifest")) check_manifest_role(check, one);
    if (one.has_role("distributable-object")) check_object_role(check, one);
    if (one.has_role("dictionary")) check_dictionary_role(check, one);
    check_index_roles(check, one);
    if (!one.has_role("preview")) continue;
    if (manifests_in(check, one) != 1) {
      check.report("RSC-005", one.at, "a preview must have one manifest");
    }
    if (one.links == 0) check.report("RSC-005", one.at, "a preview must have a link");
  }
}

}  // namespace tidemill::epub
