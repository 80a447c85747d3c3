#include "tidemill/formats/html/page.h"

#include <cstddef>

#include "tidemill/base/hex.h"
#include "tidemill/formats/html/style_sheet.h"
#include "tidemill/formats/text/base64.h"

namespace tidemill::html {
namespace {

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const unsigned byte =
        hex_value(digits[i]).value_or(0) * 16 + hex_value(digits[i + 1]).value_or(0);
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

void add_head(Html& html, const PageFrame& frame) {
  html.element("meta", {{"charset", "utf-8"}});
  if (frame.kind == PageKind::file) {
    html.element("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", file_policy()}});
  }
  html.element("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  html.element("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  html.element("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
  html.element("title", {}, frame.title);
  if (frame.kind == PageKind::file) {
    // Exactly the bytes that the policy has the hash of.
    html.add(markup("<style>" + std::string(style_sheet()) + "</style>"));
    return;
  }
  html.element("link", {{"rel", "stylesheet"}, {"href", frame.style_url}});
  if (frame.refresh) {
    html.element("noscript", {}, [&] {
      html.element("meta", {{"http-equiv", "refresh"}, {"content", frame.refresh->count()}});
    });
  }
  if (!frame.script_url.empty()) {
    const HtmlAttribute source("src", frame.script_url);
    html.add(markup("<script" + source.str() + " defer></script>"));
  }
}

void add_header(Html& html, const PageFrame& frame) {
  html.element("header", {{"class", "top"}}, [&] {
    html.element("span", {{"class", "brand"}}, "tidemill");
    if (!frame.links.empty()) {
      html.element("nav", {{"aria-label", "Pages"}}, [&] {
        for (const NavLink& link : frame.links) {
          if (link.is_current) {
            html.element("a", {{"href", link.url}, {"aria-current", "page"}}, link.text);
          } else {
            html.element("a", {{"href", link.url}}, link.text);
          }
        }
      });
    }
    if (!frame.status.empty()) html.element("div", {{"class", "status quiet"}}, frame.status);
  });
}

void add_main(Html& html, const PageFrame& frame, const SafeHtml& body) {
  if (frame.kind == PageKind::served && frame.poll) {
    html.element("main", {{"id", "main"}, {"data-poll", frame.poll->count()}}, body);
  } else {
    html.element("main", {{"id", "main"}}, body);
  }
}

}  // namespace

std::string_view served_policy() {
  return "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
         "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
}

std::string file_policy() {
  return "default-src 'none'; style-src 'sha256-" + text::base64(bytes_of_hex(style_sheet_hash())) +
         "'; form-action 'none'; base-uri 'none'";
}

std::string page(const PageFrame& frame, const SafeHtml& body) {
  Html html;
  html.element("html", {{"lang", frame.lang}}, [&] {
    html.element("head", {}, [&] { add_head(html, frame); });
    html.element("body", {}, [&] {
      html.element("a", {{"class", "skip"}, {"href", "#main"}}, "Skip to content");
      add_header(html, frame);
      add_main(html, frame, body);
      if (!frame.footer.empty()) html.element("footer", {{"class", "quiet"}}, frame.footer);
    });
  });
  return "<!DOCTYPE html>\n" + html.finish().str() + "\n";
}

}  // namespace tidemill::html
