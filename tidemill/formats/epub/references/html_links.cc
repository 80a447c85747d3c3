#include "tidemill/formats/epub/references/html_links.h"

#include <algorithm>
#include <set>

#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

std::string_view value_of(const xml::Element& element, std::string_view name) {
  return element.attribute(name).value_or(std::string_view{});
}

// A comma in brackets belongs to the descriptor.
std::string_view after_descriptor(std::string_view srcset) {
  std::size_t depth = 0;
  while (!srcset.empty() && (srcset.front() != ',' || depth > 0)) {
    if (srcset.front() == '(') ++depth;
    if (srcset.front() == ')' && depth > 0) --depth;
    srcset.remove_prefix(1);
  }
  return srcset;
}

}  // namespace

std::vector<std::string_view> image_urls(std::string_view srcset) {
  std::vector<std::string_view> urls;
  while (true) {
    while (!srcset.empty() && (is_space(srcset.front()) || srcset.front() == ',')) {
      srcset.remove_prefix(1);
    }
    if (srcset.empty()) return urls;
    if (srcset.starts_with("data:")) {  // may contain commas and spaces, so its end is unknown
      urls.push_back(srcset);
      return urls;
    }
    const auto end =
        static_cast<std::size_t>(std::ranges::find_if(srcset, is_space) - srcset.begin());
    std::string_view url = srcset.substr(0, end);
    srcset.remove_prefix(end);
    const bool has_no_descriptor = url.ends_with(',');
    while (url.ends_with(',')) url.remove_suffix(1);
    if (!url.empty()) urls.push_back(url);
    if (has_no_descriptor) continue;
    srcset = after_descriptor(srcset);
  }
}

void HtmlLinks::start(const xml::Element& element, std::string_view parent) {
  start_known_since_epub2(element);
  if (recorder_.is_epub3()) start_of_epub3(element, parent);
}

void HtmlLinks::start_known_since_epub2(const xml::Element& element) {
  const std::string_view name = element.name;
  if (name == "a" || name == "area") {
    if (const auto href = element.attribute("href")) recorder_.hyperlink(*href, element.where);
  } else if (name == "img") {
    start_image(element);
  } else if (name == "link") {
    start_link(element);
  } else if (name == "script") {
    const auto type = element.attribute("type");
    if (!type || is_script_type(*type)) recorder_.document().traits().is_scripted = true;
  } else if (name == "object") {
    const auto data = element.attribute("data");
    if (!recorder_.is_epub3()) {
      if (data) recorder_.reference(Use::embedded, *data, element.where);
      return;
    }
    Reference object{.use = Use::embedded, .at = element.where};
    object.media_type = value_of(element, "type");
    object.target.kind = LinkTarget::Kind::malformed;  // not added unless a target is set
    if (data && !is_blank(*data)) {
      object.url = *data;
      object.target = recorder_.look_at_resource(*data, element.where);
    }
    objects_.push_back(std::move(object));
  }
}

void HtmlLinks::start_of_epub3(const xml::Element& element, std::string_view parent) {
  const std::string_view name = element.name;
  const std::string_view source = value_of(element, "src");
  const xml::Position at = element.where;
  if (name == "audio" || name == "video") {
    const Use use = name == "audio" ? Use::audio : Use::video;
    media_.push_back({.use = use});
    recorder_.resource(use, source, at);
    if (name == "video") recorder_.resource(Use::poster, value_of(element, "poster"), at);
  } else if (name == "picture") {
    ++pictures_;
  } else if (name == "source") {
    start_source(element, parent);
  } else if (name == "track") {
    recorder_.resource(Use::track, source, at);
  } else if (name == "input") {
    recorder_.resource(Use::input_image, source, at);
  } else if (name == "embed") {
    recorder_.resource(Use::embedded, source, at, value_of(element, "type"));
  } else if (name == "iframe") {
    recorder_.resource(Use::iframe, source, at);
  } else if (name == "script") {
    recorder_.resource(Use::script, source, at);
  } else if (name == "blockquote" || name == "q" || name == "ins" || name == "del") {
    if (const auto cite = element.attribute("cite")) recorder_.reference(Use::citation, *cite, at);
  } else if (name == "form") {
    recorder_.document().traits().has_forms = true;
  }
}

void HtmlLinks::start_image(const xml::Element& element) {
  const xml::Position at = element.where;
  const auto source = element.attribute("src");
  if (!recorder_.is_epub3()) {
    if (source) recorder_.reference(Use::image, *source, at);
    return;
  }
  const bool is_in_picture = pictures_ > 0;
  const Use use = is_in_picture ? Use::picture_image : Use::image;
  std::set<std::string_view> urls;
  if (source) urls.insert(*source);
  for (const std::string_view url : image_urls(value_of(element, "srcset"))) urls.insert(url);
  for (const std::string_view url : urls) recorder_.resource(use, url, at, {}, is_in_picture);
}

void HtmlLinks::start_source(const xml::Element& element, std::string_view parent) {
  const xml::Position at = element.where;
  const std::string_view type = value_of(element, "type");
  if (parent == "picture") {
    std::set<std::string_view> urls;
    if (const auto source = element.attribute("src")) urls.insert(*source);
    for (const std::string_view url : image_urls(value_of(element, "srcset"))) urls.insert(url);
    for (const std::string_view url : urls) {
      recorder_.resource(Use::picture_source, url, at, type, true);
    }
    return;
  }
  const std::string_view source = value_of(element, "src");
  if (media_.empty() || is_blank(source) || (parent != "audio" && parent != "video")) return;
  media_.back().sources.push_back({.use = media_.back().use,
                                   .url = std::string(source),
                                   .target = recorder_.look_at_resource(source, at),
                                   .at = at,
                                   .media_type = std::string(type)});
}

void HtmlLinks::start_link(const xml::Element& element) {
  const auto href = element.attribute("href");
  const std::string_view rel = value_of(element, "rel");
  const xml::Position at = element.where;
  if (href) {
    if (lowered(rel).find("stylesheet") != std::string::npos) {
      recorder_.document().traits().has_css = true;
      recorder_.reference(Use::stylesheet, *href, at);
    } else {
      (void)recorder_.look(*href, at);
    }
  }
}

// A source with a core media type is a fallback for all the others.
void HtmlLinks::end_media() {
  if (media_.empty()) return;
  Media media = std::move(media_.back());
  media_.pop_back();
  const Package& package = recorder_.document().book->package;
  const auto is_core = [&](const Reference& source) {
    if (!source.media_type.empty()) {
      const auto end = source.media_type.find_first_of("; ");
      return is_core_media_type(source.media_type.substr(0, end), Edition::epub3);
    }
    const Item* item = package.item_at(source.target.path);
    return item != nullptr && is_core_media_type(item->media_type, Edition::epub3);
  };
  const bool has_core = std::ranges::any_of(media.sources, is_core);
  for (Reference& source : media.sources) {
    source.has_fallback = has_core;
    recorder_.add(std::move(source));
  }
}

void HtmlLinks::end(std::string_view name, bool is_palpable) {
  if (name == "audio" || name == "video") {
    end_media();
  } else if (name == "picture") {
    if (pictures_ > 0) --pictures_;
  } else if (name == "object" && !objects_.empty()) {
    Reference object = std::move(objects_.back());
    objects_.pop_back();
    object.has_fallback = is_palpable;
    recorder_.add(std::move(object));
  }
}

}  // namespace tidemill::epub
