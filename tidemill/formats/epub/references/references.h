// References: all links of a book and all ids they can point to. The readers add both while they
// read the documents; after the last document judge_references() checks them.
//
// Memory is bounded: references and anchors are kept up to kMostBytes and kMostAnchorBytes; the
// rest is only counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemill/formats/epub/references/url.h"
#include "tidemill/formats/epub/rules/finding.h"

namespace tidemill::epub {

// The purpose of a reference; it decides which targets are allowed.
enum class Use : std::uint8_t {
  hyperlink,
  citation,  // cite=
  image,
  picture_image,  // img in picture
  picture_source,
  stylesheet,
  script,
  audio,
  video,
  track,
  poster,
  font,
  css_other,  // url() in CSS that is neither a font nor an import: images
  embedded,   // object, embed
  iframe,
  input_image,
  svg_use,
  svg_paint,
  mathml_altimg,
  nav_toc,
  nav_pages,
  nav_landmarks,
  nav_other,
  ncx,
  overlay_text,
  overlay_audio,
  search_key,
  guide,
  package_link,
  other,
};

struct Reference {
  Use use = Use::other;
  std::string from{};  // the entry that contains it
  std::string url{};   // as written
  LinkTarget target{};
  xml::Position at{};
  std::string media_type{};   // the type attribute beside it, if any
  bool has_fallback = false;  // in the markup: a later source, content of the object, …
};

// The kind of element an id belongs to, where it restricts which references may point to it.
enum class Anchor : std::uint8_t {
  element,
  svg_symbol,
  svg_paint_server,
  svg_clip_path,
  svg_other
};

// One thread.
class References {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{96} << 20U;  // about 250,000 references
  static constexpr std::size_t kMostAnchorBytes = std::size_t{48} << 20U;

  void add(Reference reference);
  // The entry has an element with this id. Add the anchors of an entry in document order. The first
  // element with an id counts.
  void add_anchor(std::string_view entry, std::string_view id, Anchor kind);

  [[nodiscard]] const std::vector<Reference>& all() const { return all_; }

  struct AnchorPlace {
    Anchor kind{};
    std::uint32_t order = 0;
  };
  // Null: no such id.
  [[nodiscard]] const AnchorPlace* anchor(std::string_view entry, std::string_view id) const;
  // The entry was read to its end.
  void mark_read(std::string_view entry);
  // Reading stopped early at one of our limits, so anchors may be missing here that exist in the
  // entry. Not for a syntax error: anchors after one count as missing.
  void mark_cut(std::string_view entry);
  // The entry was read to its end and all its anchors were kept.
  [[nodiscard]] bool was_read(std::string_view entry) const;
  // False: the entry was cut, or some anchors could not be kept. True for an entry never read: it
  // has no anchors.
  [[nodiscard]] bool has_all_anchors(std::string_view entry) const;
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  // Heterogeneous lookup by string_view.
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  template <class T>
  using ByText = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

  struct Anchors {
    ByText<AnchorPlace> by_id{};
    bool was_read = false;
    bool is_partial = false;
  };
  Anchors& anchors_of(std::string_view entry);

  std::vector<Reference> all_;
  ByText<Anchors> anchors_;
  std::size_t bytes_ = 0;
  std::size_t anchor_bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace tidemill::epub
