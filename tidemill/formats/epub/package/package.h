// Package: what the package document (OPF) says of a book, as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/xml/reader.h"

namespace tidemill::epub {

enum class Edition : std::uint8_t { epub2, epub3 };

// An item of the manifest.
struct Item {
  std::string id{};
  std::string href{};  // as written
  std::string path{};  // the entry's name; of a remote one its URL
  std::string media_type{};
  std::vector<std::string> properties{};
  std::string fallback{};        // an id
  std::string fallback_style{};  // EPUB 2
  std::string media_overlay{};   // an id
  bool is_remote = false;
  bool is_data = false;            // a data: URL: there is nothing to open
  bool has_fragment = false;       // the path is without it
  bool leads_to_document = false;  // this one or one of its fallbacks is a content document
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
  Target target{};
  xml::Position at{};
};

// A link in the metadata or in a collection.
struct MetadataLink {
  std::string href{};
  std::string rel{};
  std::string media_type{};
  std::string properties{};
  Target target{};
  xml::Position at{};
};

// Nested no deeper than the limit of the XML reader.
struct Collection {
  std::string role{};  // as written: words
  std::vector<MetadataLink> links{};
  std::vector<Collection> parts{};
  xml::Position at{};
};

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct Package {
  std::string path{};    // of the package document
  bool is_read = false;  // there is one, and its version is known
  Edition edition = Edition::epub3;
  std::string version{};            // package@version, as written
  bool is_oeb12 = false;            // OEBPS 1.2, the time before EPUB 2
  std::string unique_identifier{};  // package@unique-identifier, an id
  bool has_identifier = false;      // there is a dc:identifier with that id
  std::string title{};              // the first dc:title
  std::string identifier{};         // its value, as written
  std::vector<Item> items{};
  std::vector<SpineRef> spine{};
  std::string toc{};  // spine@toc, an id
  std::vector<GuideRef> guide{};
  std::vector<MetadataLink> links{};
  std::vector<Collection> collections{};
  std::map<std::string, std::string> prefixes{};  // declared by package@prefix
  std::vector<std::string> types{};               // the dc:type values
  std::vector<std::string> languages{};           // the dc:language values
  bool has_pagination_source = false;             // a dc:source whose page numbers are these
  bool is_fixed_layout = false;  // rendition:layout pre-paginated, for the whole book
  std::string active_class{};    // media:active-class
  std::string playback_active_class{};

  // By id the first that has it, by path too: positions in items.
  std::unordered_map<std::string, std::size_t> by_id{};
  std::unordered_map<std::string, std::size_t> by_path{};      // not those with a fragment
  std::unordered_map<std::string, std::size_t> spine_by_id{};  // position in spine, the first

  [[nodiscard]] const Item* item_with_id(std::string_view id) const;
  [[nodiscard]] const Item* item_at(std::string_view entry) const;
  // The position in the spine of the item; kNone: it is not in it.
  [[nodiscard]] std::size_t spine_position(const Item& item) const;
  // Fixed layout for this item: the book's, or what its itemref says instead.
  [[nodiscard]] bool is_fixed(const Item& item) const;
  // The chain of fallbacks of an item, itself first, each once: a cycle ends where it closes.
  [[nodiscard]] std::vector<const Item*> fallback_chain(const Item& item) const;
  // The book is (also) of this dc:type: "dictionary", "edupub", "index", "preview".
  [[nodiscard]] bool is_of_type(std::string_view type) const;
};

}  // namespace tidemill::epub
