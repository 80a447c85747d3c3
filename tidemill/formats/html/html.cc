#include "tidemill/formats/html/html.h"

#include <cassert>
#include <cstddef>

#include "tidemill/formats/html/numbers.h"
#include "tidemill/formats/text/printable.h"

namespace tidemill::html {
namespace {

void append_escaped(std::string& html, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
}

// As printable(), but a backslash stays one: what is printable already is unchanged.
std::string clean(std::string_view text) {
  std::string result;
  for (;;) {
    const std::size_t end = text.find('\\');
    result += text::printable(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    result += '\\';
    text.remove_prefix(end + 1);
  }
}

// Relative, or of a scheme that runs nothing.
bool is_harmless(std::string_view url) {
  if (url.starts_with("http://") || url.starts_with("https://")) return true;
  if (url.starts_with("//") || url.find('\\') != std::string_view::npos) return false;
  return url.find(':') >= url.find_first_of("/?#");
}

}  // namespace

SafeHtml markup(std::string trusted) { return SafeHtml(std::move(trusted)); }

HtmlAttribute::HtmlAttribute(AttributeName name, std::string_view value) {
  const std::string text = clean(value);
  written_ = " ";
  written_ += name.str();
  written_ += "=\"";
  append_escaped(written_, name.is_url() && !is_harmless(text) ? "#" : text);
  written_ += '"';
}

std::string HtmlAttribute::tenths_text(double value) {
  std::string text;
  append_tenths(text, tenths(value));
  return text;
}

Html& Html::text(std::string_view words) {
  append_escaped(html_, clean(words));
  return *this;
}

Html& Html::name(std::string_view bytes) {
  append_escaped(html_, text::printable(bytes));
  return *this;
}

Html& Html::add(const SafeHtml& html) {
  html_ += html.str();
  return *this;
}

Html& Html::element(TagName tag, HtmlAttributes attributes) {
  open(tag, attributes);
  close(tag);
  return *this;
}

Html& Html::element(TagName tag, HtmlAttributes attributes, std::string_view words) {
  return element(tag, attributes, [&] { text(words); });
}

Html& Html::element(TagName tag, HtmlAttributes attributes, const SafeHtml& html) {
  return element(tag, attributes, [&] { add(html); });
}

SafeHtml Html::finish() {
  assert(depth_ == 0);
  return SafeHtml(std::exchange(html_, {}));
}

void Html::open(TagName tag, HtmlAttributes attributes) {
  html_ += '<';
  html_ += tag.str();
  for (const HtmlAttribute& attribute : attributes) html_ += attribute.str();
  html_ += tag.is_svg_leaf() ? "/>" : ">";
  ++depth_;
}

void Html::close(TagName tag) {
  --depth_;
  if (tag.is_void() || tag.is_svg_leaf()) return;
  html_ += "</";
  html_ += tag.str();
  html_ += '>';
}

}  // namespace tidemill::html
