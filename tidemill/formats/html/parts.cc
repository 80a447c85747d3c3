#include "tidemill/formats/html/parts.h"

namespace tidemill::html {

SafeHtml card(std::string_view heading, std::string_view note, const SafeHtml& body) {
  Html html;
  html.element("section", {{"class", "card"}}, [&] {
    html.element("h2", {}, [&] {
      html.text(heading);
      if (!note.empty()) html.text(" ").element("span", {{"class", "quiet"}}, note);
    });
    html.add(body);
  });
  return html.finish();
}

SafeHtml cards(std::span<const SafeHtml> boxes) {
  Html html;
  html.element("div", {{"class", "cards"}}, [&] {
    for (const SafeHtml& box : boxes) html.add(box);
  });
  return html.finish();
}

SafeHtml page_heading(std::string_view title, std::string_view id, std::string_view state,
                      PlotColor color) {
  Html html;
  html.element("h1", {}, [&] {
    html.text(title);
    if (!id.empty()) html.text(" ").element("span", {{"class", "quiet"}}, id);
    if (!state.empty()) {
      html.text(" ").element("span", {{"class", "pill " + std::string(css_class(color))}}, state);
    }
  });
  return html.finish();
}

SafeHtml fact_list(std::span<const PageFact> facts) {
  Html html;
  html.element("dl", {{"class", "facts"}}, [&] {
    for (const PageFact& fact : facts) {
      html.element("div", {},
                   [&] { html.element("dt", {}, fact.name).element("dd", {}, fact.value); });
    }
  });
  return html.finish();
}

SafeHtml link(std::string_view url, const SafeHtml& text) {
  return Html().element("a", {{"href", url}}, text).finish();
}

SafeHtml command_box(std::string_view line) {
  Html html;
  html.element("section", {{"class", "command mono scroll"}, {"tabindex", 0}, {"aria-label", line}},
               [&] { html.element("code", {}, line); });
  return html.finish();
}

}  // namespace tidemill::html
