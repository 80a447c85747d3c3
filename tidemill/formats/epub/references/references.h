// References: who points where in a book. Documents add what they point to and what can be pointed
// at while they are read; when all are read, judge_references() says what is wrong.
//
// A book of links only is bounded: references and anchors are kept as long as they fit into
// kMostBytes and kMostAnchorBytes, the rest is counted.
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

// What the reference is for: it decides what it may point to.
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
  css_other,  // url() of CSS that is no font and no import: images
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
  std::string from{};  // the entry in which it stands
  std::string url{};   // as written
  Target target{};
  xml::Position at{};
  std::string media_type{};   // type= beside it, if there is one
  bool has_fallback = false;  // of the host: a later source, content of the object, …
};

// What an id belongs to, where that matters for who may point at it.
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
  // The entry has an element with this id. The n-th anchor of an entry is the n-th in reading
  // order.
  void add_anchor(std::string_view entry, std::string_view id, Anchor kind);

  [[nodiscard]] const std::vector<Reference>& all() const { return all_; }

  struct AnchorPlace {
    Anchor kind{};
    std::uint32_t order = 0;
  };
  // Null: no such id.
  [[nodiscard]] const AnchorPlace* anchor(std::string_view entry, std::string_view id) const;
  // It was read to its end.
  void mark_read(std::string_view entry);
  // It was not, and not because of a mistake in it: behind such a mistake anchors count as missing.
  void mark_cut(std::string_view entry);
  // To its end. False too when not all of its anchors could be kept.
  [[nodiscard]] bool was_read(std::string_view entry) const;
  // False: some of them could not be kept. An entry that was not read has none.
  [[nodiscard]] bool has_all_anchors(std::string_view entry) const;
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  // Lookups by a view, without a copy.
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
