#include "tidemill/formats/epub/references/svg_links.h"

#include <string>

#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/references/url_faults.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

Anchor anchor_of(std::string_view name) {
  if (name == "linearGradient" || name == "radialGradient" || name == "pattern") {
    return Anchor::svg_paint_server;
  }
  if (name == "clipPath") return Anchor::svg_clip_path;
  if (name == "symbol") return Anchor::svg_symbol;
  return Anchor::svg_other;
}

// fill="url(#a)"; other paints are not links.
void SvgLinks::add_paint(const xml::Element& element, std::string_view attribute) {
  const auto paint = element.attribute(attribute);
  if (!paint || !paint->starts_with("url(") || !paint->ends_with(')')) return;
  std::string_view url = paint->substr(4, paint->size() - 5);
  const bool is_quoted =
      url.size() >= 2 && (url.front() == '"' || url.front() == '\'') && url.front() == url.back();
  if (is_quoted) url = url.substr(1, url.size() - 2);
  recorder_.reference(Use::svg_paint, url, element.where);
}

void SvgLinks::start_script(const xml::Element& element) {
  const auto type = element.attribute("type");
  if (!type || is_script_type(*type)) recorder_.document().traits().is_scripted = true;
  const auto source = element.attribute("src");
  if (source && recorder_.is_epub3()) recorder_.resource(Use::script, *source, element.where);
}

void SvgLinks::start(const xml::Element& element) {
  const std::string_view name = element.name;
  const auto href = element.attribute("href", kXlinkNamespace);
  const xml::Position at = element.where;
  if (name == "a") {
    if (href) recorder_.hyperlink(*href, at);
  } else if (name == "use") {
    if (href) recorder_.reference(Use::svg_use, *href, at);
  } else if (name == "image") {
    if (href && recorder_.is_epub3()) recorder_.resource(Use::image, *href, at);
    if (href && !recorder_.is_epub3()) recorder_.reference(Use::image, *href, at);
  } else if (name == "font-face-uri") {
    if (href && recorder_.is_epub3()) recorder_.resource(Use::font, *href, at);
    if (href && !recorder_.is_epub3()) recorder_.reference(Use::font, *href, at);
  } else if (name == "script") {
    start_script(element);
  }
  add_paint(element, "fill");
  add_paint(element, "stroke");
}

void start_dtbook(const xml::Element& element, LinkRecorder& recorder) {
  const xml::Position at = element.where;
  if (element.name == "img") {
    if (const auto source = element.attribute("src")) recorder.reference(Use::image, *source, at);
    return;
  }
  if (element.name != "a" && element.name != "link") return;
  const auto href = element.attribute("href");
  if (!href) return;
  if (element.name == "link" || element.attribute("external") != "true") {
    recorder.reference(Use::other, *href, at);
    return;
  }
  const LinkTarget target = recorder.look(*href, at);
  if (!target.is_outside()) {
    recorder.add({.use = Use::other, .url = std::string(*href), .target = target, .at = at});
  } else if (!is_registered_scheme(target.scheme)) {
    recorder.document().report("OPF-021", at, std::string(*href));
  }
}

std::optional<std::string_view> pseudo_attribute(std::string_view data, std::string_view name) {
  std::size_t at = 0;
  while (true) {
    const auto equals = data.find('=', at);
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view found = trimmed(data.substr(at, equals - at));
    const auto open = data.find_first_of("\"'", equals);
    if (open == std::string_view::npos) return std::nullopt;
    const auto close = data.find(data[open], open + 1);
    if (close == std::string_view::npos) return std::nullopt;
    if (found == name) return data.substr(open + 1, close - open - 1);
    at = close + 1;
  }
}

}  // namespace tidemill::epub
