// Html: writes HTML and SVG that is balanced and escaped by construction.
//
// Names of elements and attributes are literals, checked while compiling: `style` and `on…`
// attributes, which the Content-Security-Policy of our pages forbids, do not compile. Every text
// and every attribute value is made one line of valid UTF-8 without control characters and marks of
// reading direction (text/printable.h), then escaped. Only a SafeHtml is inserted as it is, and
// only this module and markup() make one. A link to another scheme than http and https becomes "#".
// Nothing here fails.
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace tidemill::html {

// Balanced and escaped HTML. Immutable, except by assignment.
class SafeHtml final {
 public:
  SafeHtml() = default;

  [[nodiscard]] const std::string& str() const { return html_; }
  [[nodiscard]] bool empty() const { return html_.empty(); }

 private:
  friend class Html;
  friend SafeHtml markup(std::string trusted);
  explicit SafeHtml(std::string html) : html_(std::move(html)) {}

  std::string html_;
};

// Makes HTML of a text that is already HTML. Whoever calls it answers for what is in the text.
[[nodiscard]] SafeHtml markup(std::string trusted);

// The name of an element. Immutable.
class TagName final {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): "p" is a TagName wherever one is wanted
  consteval TagName(const char* name) : name_(name) {
    const bool is_valid = !name_.empty() && std::ranges::all_of(name_, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    });
    // Their text is not escaped as HTML is.
    if (!is_valid || name_ == "script" || name_ == "style") invalid_name();
    for (const auto* leaf : {"path", "rect", "line", "circle"}) is_svg_leaf_ |= name_ == leaf;
    for (const auto* empty : {"br", "hr", "img", "input", "link", "meta", "wbr"}) {
      is_void_ |= name_ == empty;
    }
  }

  [[nodiscard]] std::string_view str() const { return name_; }
  [[nodiscard]] bool is_void() const { return is_void_; }          // <br>
  [[nodiscard]] bool is_svg_leaf() const { return is_svg_leaf_; }  // <path …/>

 private:
  static void invalid_name() {}  // not constexpr: a call of it does not compile

  std::string_view name_;
  bool is_void_ = false;
  bool is_svg_leaf_ = false;
};

// The name of an attribute. Immutable.
class AttributeName final {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): as TagName
  consteval AttributeName(const char* name) : name_(name) {
    const bool is_valid = !name_.empty() && std::ranges::all_of(name_, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || (c >= '0' && c <= '9');
    });
    if (!is_valid || name_ == "style" || name_ == "srcdoc" || name_.starts_with("on")) {
      invalid_name();
    }
    for (const auto* url : {"href", "src", "action", "formaction"}) is_url_ |= name_ == url;
  }

  [[nodiscard]] std::string_view str() const { return name_; }
  [[nodiscard]] bool is_url() const { return is_url_; }

 private:
  static void invalid_name() {}

  std::string_view name_;
  bool is_url_ = false;
};

// A name and a value. A bool is an attribute without value, or none; a number is rounded to tenths,
// and one that is not finite is 0. Immutable.
class HtmlAttribute final {
 public:
  HtmlAttribute(AttributeName name, std::string_view value);
  template <std::same_as<bool> Flag>
  HtmlAttribute(AttributeName name, Flag is_there)
      : written_(is_there ? " " + std::string(name.str()) : "") {}
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  HtmlAttribute(AttributeName name, Number value) : HtmlAttribute(name, std::to_string(value)) {}
  template <std::floating_point Number>
  HtmlAttribute(AttributeName name, Number value) : HtmlAttribute(name, tenths_text(value)) {}

  [[nodiscard]] const std::string& str() const { return written_; }  // with a space in front

 private:
  static std::string tenths_text(double value);

  std::string written_;
};

using HtmlAttributes = std::initializer_list<HtmlAttribute>;

// Appends elements and text:
//
//   Html html;
//   html.element("p", {{"class", "note"}}, [&] { html.text("in ").name(path); });
//   return html.finish();
//
// *One thread.*
class Html final {
 public:
  // Words of ours, or what is printable already: a command line, a message.
  Html& text(std::string_view words);
  // Bytes of a file system or a peer: as text(), and a backslash is doubled, so that no two names
  // look the same.
  Html& name(std::string_view bytes);
  Html& add(const SafeHtml& html);

  // A void element (br, meta) and a leaf of SVG (path, rect) take no content.
  Html& element(TagName tag, HtmlAttributes attributes = {});
  Html& element(TagName tag, HtmlAttributes attributes, std::string_view words);
  Html& element(TagName tag, HtmlAttributes attributes, const SafeHtml& html);
  template <std::invocable Body>
  Html& element(TagName tag, HtmlAttributes attributes, const Body& body) {
    assert(!tag.is_void() && !tag.is_svg_leaf());
    open(tag, attributes);
    body();
    close(tag);
    return *this;
  }

  // Takes everything; no element may be open.
  [[nodiscard]] SafeHtml finish();

 private:
  void open(TagName tag, HtmlAttributes attributes);
  void close(TagName tag);

  std::string html_;
  int depth_ = 0;
};

}  // namespace tidemill::html
