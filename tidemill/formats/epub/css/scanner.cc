#include "tidemill/formats/epub/css/scanner.h"

#include <string>

#include "tidemill/formats/epub/css/encoding.h"
#include "tidemill/formats/epub/css/parser.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/references/url_faults.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

bool is_known_font_type(std::string_view media_type, Edition edition) {
  if (edition == Edition::epub3) return is_core_font_type(media_type);
  return media_type.starts_with("font/") || media_type.starts_with("application/font") ||
         media_type.starts_with("application/x-font") ||
         media_type == "application/vnd.ms-opentype";
}

// One thread.
class Check final : public CssListener {
 public:
  explicit Check(Document& document) : document_(document), urls_(document) {}

  void mistake(std::string_view what, xml::Position at) override {
    document_.report("CSS-008", at, std::string(what));
  }

  void start_at_rule(const CssStatement& rule) override {
    is_font_face_ = rule.name == "@font-face";
    if (is_font_face_) {
      font_face_ = rule.at;
      has_declarations_ = false;
    }
    if (rule.name == "@import") {
      const bool is_url = rule.first.kind == CssToken::Kind::url;
      if (is_url || rule.first.kind == CssToken::Kind::string) {
        refer(rule.first, Use::stylesheet);
      }
    } else if (rule.name != "@namespace") {
      for (const CssToken& url : rule.urls) refer(url, use());
    }
  }

  void end_at_rule() override {
    if (is_font_face_ && !has_declarations_) document_.report("CSS-019", font_face_);
    is_font_face_ = false;
  }

  void declaration(const CssStatement& declaration) override {
    for (const CssToken& url : declaration.urls) refer(url, use());
    const std::string& name = declaration.name;
    if (name == "position" && same_in_any_case(declaration.first.text, "fixed")) {
      document_.report("CSS-006", declaration.at);
    }
    if (document_.edition() == Edition::epub3 && (name == "direction" || name == "unicode-bidi")) {
      document_.report("CSS-001", declaration.at, name);
    }
    if (!is_font_face_) return;
    has_declarations_ = true;
    if (name == "src") check_fonts(declaration);
    document_.report("CSS-028", declaration.at);
  }

  void selectors(const std::vector<std::string_view>& classes, xml::Position at) override {
    const Package& package = document_.book->package;
    for (const std::string_view name : classes) {
      const bool is_active = name == ".-epub-media-overlay-active";
      const bool is_playing = name == ".-epub-media-overlay-playing";
      if (is_active || is_playing) document_.traits().has_overlay_class = true;
      if ((is_active && package.active_class.empty()) ||
          (is_playing && package.playback_active_class.empty())) {
        document_.report("CSS-029", at, std::string(name.substr(1)));
      }
    }
  }

 private:
  [[nodiscard]] Use use() const { return is_font_face_ ? Use::font : Use::css_other; }

  void refer(const CssToken& token, Use use) {
    if (is_blank(token.text)) {
      document_.report("CSS-002", token.at);
      return;
    }
    // A fragment is relative to the document that uses the sheet, which is not known here.
    if (token.text.starts_with('#')) return;
    LinkTarget target = resolve(token.text, document_.path);
    urls_.check(target, token.text, token.at);
    if (target.is_outside() && use != Use::stylesheet) {
      document_.traits().has_remote_resources = true;
    }
    document_.book->references.add({.use = use,
                                    .from = document_.path,
                                    .url = std::string(token.text),
                                    .target = std::move(target),
                                    .at = token.at});
  }

  void check_fonts(const CssStatement& declaration) {
    const Package& package = document_.book->package;
    for (const CssToken& url : declaration.urls) {
      const Item* item = package.item_at(resolve(url.text, document_.path).path);
      if (item != nullptr && !is_known_font_type(item->media_type, document_.edition())) {
        document_.report("CSS-007", declaration.at, item->path + ": " + item->media_type);
      }
    }
  }

  Document& document_;
  UrlReport urls_;
  xml::Position font_face_{};
  bool is_font_face_ = false;
  bool has_declarations_ = false;
};

void read_sheet(Document& document, std::string_view css, xml::Position start) {
  Check check(document);
  CssParser(css, start, check).read_sheet();
}

}  // namespace

void check_css(Document& document, std::string_view css, xml::Position start) {
  const bool is_file = document.item != nullptr && is_style_type(document.item->media_type);
  if (!is_file) {
    document.traits().has_css = true;
    read_sheet(document, css, start);
    return;
  }
  const CssEncoding encoding = encoding_of_css(css);
  if (encoding.name.starts_with("utf-16")) {
    document.report("CSS-003", {}, encoding.name);
  } else if (encoding.name != "utf-8") {
    document.report("CSS-004", {}, encoding.name);
  }
  (void)document.traits();  // creates the entry: the sheet was read, even if it has no traits
  if (encoding.mark > 0 && css.size() == encoding.mark) {
    document.report("CSS-008", start, "there is nothing after the byte order mark");
  }
  read_sheet(document, utf8_of_css(css, encoding), start);
  document.book->references.mark_read(document.path);
}

void check_style_attribute(Document& document, std::string_view css, xml::Position start) {
  Check check(document);
  CssParser(css, start, check).read_declarations();
}

}  // namespace tidemill::epub
