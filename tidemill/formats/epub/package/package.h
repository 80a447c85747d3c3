// Package: the contents of the package document (OPF) of a book, as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/xml/xml_reader.h"

namespace tidemill::epub {

enum class Edition : std::uint8_t { epub2, epub3 };

// An item of the manifest.
struct Item {
  std::string id{};
  std::string href{};  // as written
  std::string path{};  // the name of the entry; for a remote item its URL
  std::string media_type{};
  std::vector<std::string> properties{};
  std::string fallback{};        // an id
  std::string fallback_style{};  // EPUB 2
  std::string media_overlay{};   // an id
  bool is_remote = false;
  bool is_data = false;            // a data: URL, so there is no entry to open
  bool has_fragment = false;       // in href; path does not contain it
  bool leads_to_document = false;  // the item or one of its fallbacks is a content document
  xml::Position at{};

  [[nodiscard]] bool has(std::string_view property) const;
};

// An itemref of the spine.
struct SpineRef {
  std::string idref{};
  bool is_linear = true;
  std::vector<std::string> properties{};
  xml::Position at{};
};

struct GuideRef {
  std::string type{};
  std::string href{};
  LinkTarget target{};
  xml::Position at{};
};

// A link in the metadata or in a collection.
struct MetadataLink {
  std::string href{};
  std::string rel{};
  std::string media_type{};
  std::string properties{};
  LinkTarget target{};
  xml::Position at{};
};

// Nested at most as deep as the XML reader allows.
struct Collection {
  std::string role{};  // as written: a list of words
  std::vector<MetadataLink> links{};
  std::vector<Collection> parts{};
  xml::Position at{};
};

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Package {
  std::string path{};    // of the package document
  bool is_read = false;  // the package document exists and has a known version
  Edition edition = Edition::epub3;
  std::string version{};            // package@version, as written
  bool is_oeb12 = false;            // OEBPS 1.2, the predecessor of EPUB 2
  std::string unique_identifier{};  // package@unique-identifier, an id
  bool has_identifier = false;      // a dc:identifier has that id
  std::string title{};              // the first dc:title
  std::string identifier{};         // value of that dc:identifier, as written
  std::vector<Item> items{};
  std::vector<SpineRef> spine{};
  std::string toc{};  // spine@toc, an id
  std::vector<GuideRef> guide{};
  std::vector<MetadataLink> links{};
  std::vector<Collection> collections{};
  std::map<std::string, std::string> prefixes{};  // declared by package@prefix
  std::vector<std::string> types{};               // the dc:type values
  std::vector<std::string> languages{};           // the dc:language values
  bool has_pagination_source = false;             // a dc:source is the source of the page numbers
  bool is_fixed_layout = false;  // rendition:layout is pre-paginated for the whole book
  std::string active_class{};    // media:active-class
  std::string playback_active_class{};

  // Positions in items. An id that occurs twice means its last item; a path means its first.
  std::unordered_map<std::string, std::size_t> by_id{};
  std::unordered_map<std::string, std::size_t> by_path{};      // without fragments and data: URLs
  std::unordered_map<std::string, std::size_t> spine_by_id{};  // first position in spine, by idref

  [[nodiscard]] const Item* item_with_id(std::string_view id) const;
  [[nodiscard]] const Item* item_at(std::string_view entry) const;
  // The item's position in the spine; kNone: not in the spine.
  [[nodiscard]] std::size_t spine_position(const Item& item) const;
  // The item has a fixed layout: by its itemref, or else by the default of the book.
  [[nodiscard]] bool is_fixed(const Item& item) const;
  // The fallback chain of an item, starting with the item itself. Each item occurs once; a cycle
  // ends where it closes.
  [[nodiscard]] std::vector<const Item*> fallback_chain(const Item& item) const;
  // The book has this dc:type: "dictionary", "edupub", "index", "preview".
  [[nodiscard]] bool is_of_type(std::string_view type) const;
};

}  // namespace tidemill::epub
