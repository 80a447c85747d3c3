// Requirements of dictionaries, EDUPUB books and previews on the package document. The kind of the
// book is the requested profile or a dc:type.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "tidemill/formats/epub/package/facts.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

using Kind = MetadataStatement::Kind;

bool is_asked(const OpfCheck& check, Profile profile, std::string_view type) {
  // Like EPUBCheck: the dc:type counts only if the document is part of a book.
  return check.book->profile == profile ||
         (check.book->archive != nullptr && check.package().is_of_type(type));
}

bool has_value(const OpfCheck& check, Kind kind, std::string_view name, std::string_view value) {
  return std::ranges::any_of(check.facts->statements, [&](const MetadataStatement& one) {
    return one.metadata == check.facts->metadata && one.kind == kind && one.name == name &&
           one.value == value;
  });
}

void check_languages(const OpfCheck& check) {
  const std::size_t metadata = check.facts->metadata;
  const bool has_collection = std::ranges::any_of(
      check.facts->collections,
      [](const CollectionFacts& one) { return one.parent == kNone && one.has_role("dictionary"); });
  if (!has_collection) {
    for (const std::string_view name : {"source-language", "target-language"}) {
      if (check.facts->count(metadata, Kind::meta, name) == 0) {
        check.report("RSC-005", check.facts->package_at,
                     "a dictionary must have a " + std::string(name));
      }
    }
    if (check.facts->count(metadata, Kind::meta, "source-language") > 1) {
      check.report("RSC-005", check.facts->package_at,
                   "a dictionary must have one source-language");
    }
  }
  const std::vector<std::string>& spoken = check.package().languages;
  const std::unordered_set<std::string_view> languages(spoken.begin(), spoken.end());
  for (const MetadataStatement& one : check.facts->statements) {
    const bool is_language = one.name == "source-language" || one.name == "target-language";
    if (one.kind == Kind::meta && is_language && !languages.contains(one.value)) {
      check.report("RSC-005", one.at, one.value + " must be a dc:language too");
    }
  }
}

void check_dictionary(const OpfCheck& check) {
  static constexpr std::string_view kTypes =
      "monolingual bilingual multilingual thesaurus encyclopedia spelling pronouncing etymological";
  if (check.facts->metadata != kNone && !has_value(check, Kind::dublin, "type", "dictionary")) {
    check.report("RSC-005", check.facts->metadata_at, "dc:type must be dictionary");
  }
  std::size_t dictionaries = 0;
  std::unordered_map<std::string, std::size_t> linked;  // number of links by href
  for (const Collection& one : check.package().collections) {
    if (!has_word(one.role, "dictionary")) continue;
    ++dictionaries;
    for (const MetadataLink& link : one.links) ++linked[normalized(link.href)];
  }
  std::size_t maps = 0;
  for (const Item& item : check.package().items) {
    if (!item.has("search-key-map")) continue;
    if (item.has("dictionary")) ++maps;
    const auto found = linked.find(normalized(item.href));
    if (found != linked.end() && found->second > 1) {
      check.report("RSC-005", item.at, item.href + " belongs to more than one dictionary");
    }
  }
  if (dictionaries < 2 && maps != 1) {
    check.report("RSC-005", check.facts->package_at,
                 "a single dictionary must have exactly one search key map");
  }
  check_languages(check);
  for (const MetadataStatement& one : check.facts->statements) {
    if (one.kind == Kind::meta && one.name == "dictionary-type" && !has_word(kTypes, one.value)) {
      check.report("RSC-005", one.at, "not a dictionary-type: " + one.value);
    }
  }
}

void check_schools(const OpfCheck& check) {
  static constexpr auto kWanted = std::to_array<std::string_view>(
      {"schema:educationalAlignment", "schema:educationalRole", "schema:educationalUse",
       "schema:interactivityType", "schema:isBasedOnUrl", "schema:learningResourceType",
       "schema:typicalAgeRange"});
  const bool is_for_schools =
      std::ranges::any_of(check.facts->statements, [&](const MetadataStatement& one) {
        return one.kind == Kind::meta && one.name == "schema:audienceType" &&
               one.metadata == check.facts->metadata && one.value == "schools";
      });
  if (!is_for_schools) return;
  for (const std::string_view name : kWanted) {
    if (check.facts->count(check.facts->metadata, Kind::meta, name) == 0) {
      check.report("RSC-017", check.facts->metadata_at, std::string(name) + " is missing");
    }
  }
}

void check_education(const OpfCheck& check) {
  const xml::Position at = check.facts->metadata_at;
  const std::size_t metadata = check.facts->metadata;
  if (metadata == kNone) return;
  if (!has_value(check, Kind::dublin, "type", "edupub")) {
    check.report("RSC-005", at, "dc:type must be edupub");
  }
  if (check.facts->count(metadata, Kind::meta, "schema:accessibilityFeature") == 0) {
    check.report("RSC-005", at, "there is no schema:accessibilityFeature");
  }
  if (has_value(check, Kind::meta, "schema:accessibilityFeature", "none")) {
    check.report("RSC-005", at, "schema:accessibilityFeature must not be none");
  }
  if (has_value(check, Kind::dublin, "type", "teacher-edition") &&
      check.facts->count(metadata, Kind::dublin, "source") == 0) {
    check.report("RSC-017", at, "a teacher's edition must name the student's edition in dc:source");
  }
  check_schools(check);
}

void check_preview(const OpfCheck& check) {
  const xml::Position at = check.facts->metadata_at;
  if (check.facts->metadata == kNone) return;
  if (!has_value(check, Kind::dublin, "type", "preview")) {
    check.report("RSC-005", at, "dc:type must be preview");
  }
  if (check.facts->count(check.facts->metadata, Kind::dublin, "source") == 0) {
    check.report("RSC-017", at, "a preview must name its book in dc:source");
  }
  if (has_value(check, Kind::dublin, "source", normalized(check.package().identifier))) {
    check.report("RSC-005", at, "a preview must not have the identifier of its book");
  }
}

}  // namespace

void check_profiles(const OpfCheck& check) {
  if (is_asked(check, Profile::dictionary, "dictionary")) check_dictionary(check);
  if (is_asked(check, Profile::education, "edupub")) check_education(check);
  if (is_asked(check, Profile::preview, "preview")) check_preview(check);
}

}  // namespace tidemill::epub
