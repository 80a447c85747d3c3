#include "tidemill/formats/epub/content/xhtml/head.h"

#include <algorithm>
#include <string>

#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {

namespace {

bool is_separator(char c) { return c == ',' || c == ';' || is_space(c); }

// Contains "text/html; charset=utf-8", ignoring case and the amount of white space.
bool names_utf8(std::string_view content) {
  std::string folded;
  for (const char c : content) {
    if (!is_space(c) || !folded.ends_with(' ')) folded += is_space(c) ? ' ' : lower(c);
  }
  for (std::size_t at = folded.find("text/html;"); at != std::string::npos;
       at = folded.find("text/html;", at + 1)) {
    std::string_view rest = std::string_view(folded).substr(at + 10);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (rest.starts_with("charset=utf-8")) return true;
  }
  return false;
}

bool is_extent(std::string_view value, std::string_view device) {
  if (value == device) return true;
  const std::size_t dot = value.find('.');
  const auto is_digits = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, is_digit);
  };
  if (dot == std::string_view::npos) return is_digits(value);
  return is_digits(value.substr(0, dot)) && is_digits(value.substr(dot + 1));
}

}  // namespace

bool read_viewport(std::string_view content, std::vector<ViewportPair>& pairs) {
  const auto skip = [&](auto what) {
    while (!content.empty() && what(content.front())) content.remove_prefix(1);
  };
  const auto take = [&](auto until) {
    const auto size =
        static_cast<std::size_t>(std::ranges::find_if(content, until) - content.begin());
    const std::string_view taken = content.substr(0, size);
    content.remove_prefix(size);
    return taken;
  };
  if (content.empty()) return false;
  for (skip(is_space); !content.empty();) {
    const auto name = take([](char c) { return c == '=' || is_separator(c); });
    skip(is_space);
    if (name.empty()) return false;
    std::string_view value;  // stays empty for a name without a value
    if (content.starts_with('=')) {
      content.remove_prefix(1);
      skip(is_space);
      value = take([](char c) { return c == '=' || is_separator(c); });
      if (value.empty() || content.starts_with('=')) return false;
    }
    pairs.push_back({.name = name, .value = value});
    skip(is_space);
    const bool is_separated = !content.empty() && is_separator(content.front());
    skip(is_separator);
    if (content.empty() && is_separated) return false;
  }
  return true;
}

void HeadRules::check_viewport(const xml::Element& element, std::string_view content) {
  if (!document_.is_fixed) {
    return document_.report("HTM-060b", element.where, std::string(content));
  }
  if (has_viewport_) return document_.report("HTM-060a", element.where, std::string(content));
  has_viewport_ = true;
  std::vector<ViewportPair> pairs;
  if (!read_viewport(content, pairs)) {
    return document_.report("HTM-047", element.where, std::string(content));
  }
  for (const std::string_view name : {"width", "height"}) {
    const auto count = std::ranges::count(pairs, name, &ViewportPair::name);
    const auto first = std::ranges::find(pairs, name, &ViewportPair::name);
    if (count == 0) {
      document_.report("HTM-056", element.where, std::string(name));
    } else if (count > 1) {
      document_.report("HTM-059", element.where, std::string(name));
    } else if (!is_extent(first->value, "device-" + std::string(name))) {
      document_.report("HTM-057", element.where, std::string(name));
    }
  }
}

void HeadRules::check_meta(const xml::Element& element) {
  if (const auto name = element.attribute("name"); name && trimmed(*name) == "viewport") {
    check_viewport(element, element.attribute("content").value_or(""));
  }
  const bool had_both = has_charset_ && has_content_type_;
  if (element.attribute("charset")) {
    if (has_charset_) {
      document_.report_if_whole("RSC-005", element.where,
                                "more than one meta element has a charset");
    }
    has_charset_ = true;
  }
  if (const auto what = element.attribute("http-equiv");
      what && same_in_any_case(*what, "content-type")) {
    has_content_type_ = true;
    if (!names_utf8(element.attribute("content").value_or(""))) {
      document_.report_if_whole(
          "RSC-005", element.where,
          "the content type of a meta element must be \"text/html; charset=utf-8\"");
    }
  }
  if (!had_both && has_charset_ && has_content_type_) {
    document_.report_if_whole("RSC-005", element.where,
                              "one meta element has a charset and another a content type");
  }
}

void HeadRules::check_link(const xml::Element& element) const {
  const std::string_view rel = element.attribute("rel").value_or("");
  if (has_word(rel, "alternate") && has_word(rel, "stylesheet") &&
      element.attribute("title").value_or("").empty()) {
    document_.report("CSS-015", element.where);
  }
  if (element.attribute("sizes") && rel != "icon") {
    document_.report_if_whole("RSC-005", element.where, "only the link of an icon may have sizes");
  }
  const std::string_view tags = element.attribute("class").value_or("");
  if ((has_word(tags, "vertical") && has_word(tags, "horizontal")) ||
      (has_word(tags, "day") && has_word(tags, "night"))) {
    document_.report("CSS-005", element.where, std::string(tags));
  }
}

void HeadRules::start(const xml::Element& element, Tag tag) {
  ++depth_;
  if (tag == Tag::head && head_depth_ == 0) {
    head_depth_ = depth_;
    has_title_ = false;
  }
  if (tag == Tag::meta) check_meta(element);
  if (tag == Tag::link) check_link(element);
  if (tag == Tag::title) {
    if (head_depth_ != 0 && depth_ == head_depth_ + 1) has_title_ = true;
    in_title_ = true;
    title_has_text_ = false;
  }
}

void HeadRules::text(std::string_view part) {
  if (in_title_ && !title_has_text_) title_has_text_ = !is_blank(part);
}

void HeadRules::end(const xml::Element& element, Tag tag) {
  if (tag == Tag::title) {
    in_title_ = false;
    if (!title_has_text_) document_.report_if_whole("RSC-005", element.where, "the title is empty");
  }
  if (depth_-- != head_depth_) return;
  head_depth_ = 0;
  if (!has_title_)
    document_.report_if_whole("RSC-017", element.where, "the head should have a title");
  if (document_.is_fixed && !has_viewport_) document_.report("HTM-046", element.where);
}

}  // namespace tidemill::epub
