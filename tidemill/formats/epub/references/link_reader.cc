#include "tidemill/formats/epub/references/link_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/formats/epub/css/scanner.h"
#include "tidemill/formats/epub/namespaces.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/references/html_links.h"
#include "tidemill/formats/epub/references/link_recorder.h"
#include "tidemill/formats/epub/references/svg_links.h"
#include "tidemill/formats/epub/words.h"

namespace tidemill::epub {
namespace {

// Sorted, without "on".
constexpr std::array<std::string_view, 68> kEvents = {
    "abort",      "afterprint",     "beforeprint",    "beforeunload",
    "blur",       "canplay",        "canplaythrough", "change",
    "click",      "contextmenu",    "dblclick",       "drag",
    "dragend",    "dragenter",      "dragleave",      "dragover",
    "dragstart",  "drop",           "durationchange", "emptied",
    "ended",      "error",          "focus",          "formchange",
    "forminput",  "haschange",      "input",          "invalid",
    "keydown",    "keypress",       "keyup",          "load",
    "loadeddata", "loadedmetadata", "loadstart",      "message",
    "mousedown",  "mousemove",      "mouseout",       "mouseover",
    "mouseup",    "mousewheel",     "offline",        "pagehide",
    "pageshow",   "pause",          "play",           "playing",
    "popstate",   "progress",       "ratechange",     "readystatechange",
    "redo",       "reset",          "resize",         "scroll",
    "seeked",     "seeking",        "select",         "stalled",
    "storage",    "submit",         "suspend",        "timeupdate",
    "undo",       "unload",         "volumechange",   "waiting"};

bool is_event(std::string_view attribute) {
  const bool may_be = attribute.size() > 2 && attribute.size() < 32 &&
                      (attribute[0] == 'o' || attribute[0] == 'O') &&
                      (attribute[1] == 'n' || attribute[1] == 'N');
  if (!may_be) return false;
  const std::string name = lowered(attribute.substr(2));
  return std::ranges::binary_search(kEvents, name);
}
static_assert(std::ranges::is_sorted(kEvents));

// The element is palpable content, a possible fallback for its parent: always, never, or (nullopt)
// if some of its content is.
std::optional<bool> palpable_by_name(std::string_view ns, std::string_view name) {
  constexpr std::array<std::string_view, 8> kShown = {"audio", "canvas", "embed",   "iframe",
                                                      "img",   "object", "picture", "video"};
  constexpr std::array<std::string_view, 7> kHidden = {"html", "head",  "script", "link",
                                                       "meta", "title", "style"};
  if (ns == kSvgNamespace) return name == "svg";
  if (ns == kMathmlNamespace) return name == "math";
  if (ns != kXhtmlNamespace) return false;
  if (std::ranges::find(kShown, name) != kShown.end()) return true;
  if (std::ranges::find(kHidden, name) != kHidden.end()) return false;
  return std::nullopt;
}

}  // namespace

struct LinkReader::State {
  struct Open {
    std::string name{};  // XHTML elements only
    bool is_hidden = false;
    bool has_palpable = false;
  };

  explicit State(Document& document) : recorder(document), html(recorder), svg(recorder) {}

  void start_svg_document();
  void start_base(const xml::Element& element);
  void start_other(const xml::Element& element);
  void end_style();

  LinkRecorder recorder;
  HtmlLinks html;
  SvgLinks svg;
  std::vector<Open> open;
  bool is_svg_document = false;
  std::optional<std::string> style;  // the text of an open style element
  xml::Position style_at{};
  std::vector<std::pair<std::string, xml::Position>> sheets;  // <?xml-stylesheet?> before the root
};

LinkReader::LinkReader(Document& document) : state_(std::make_unique<State>(document)) {}
LinkReader::~LinkReader() = default;

void LinkReader::State::start_other(const xml::Element& element) {
  const bool is_epub3 = recorder.is_epub3();
  if (element.ns == kMathmlNamespace && element.name == "math" && is_epub3) {
    recorder.document().traits().has_mathml = true;
    const auto image = element.attribute("altimg");
    if (image) recorder.reference(Use::mathml_altimg, *image, element.where);
  } else if (element.ns == kOpsNamespace && element.name == "switch" && is_epub3) {
    recorder.document().traits().has_switch = true;
  } else if (element.ns == kDtbookNamespace) {
    start_dtbook(element, recorder);
  }
}

void LinkReader::State::start_svg_document() {
  is_svg_document = true;
  for (const auto& [href, at] : sheets) {
    recorder.document().traits().has_css = true;
    recorder.reference(Use::stylesheet, href, at);
  }
}

void LinkReader::State::start_base(const xml::Element& element) {
  if (element.ns == kXhtmlNamespace && element.name == "base") {
    if (const auto href = element.attribute("href"))
      recorder.set_document_base(*href, element.where);
  } else if (const auto base = element.attribute("base", xml::kXmlNamespace)) {
    recorder.enter_base(*base, open.size(), element.where);
  }
}

void LinkReader::start(const xml::Element& element) {
  State& state = *state_;
  LinkRecorder& recorder = state.recorder;
  Document& document = recorder.document();
  const bool is_html = element.ns == kXhtmlNamespace;
  const bool is_svg = element.ns == kSvgNamespace;
  if (state.open.empty() && is_svg) state.start_svg_document();
  state.start_base(element);
  if (const auto id = element.attribute("id")) {
    document.book->references.add_anchor(document.path, *id,
                                         is_svg ? anchor_of(element.name) : Anchor::element);
  }
  const std::string parent = state.open.empty() ? std::string() : state.open.back().name;
  if (is_html) {
    state.html.start(element, parent);
    const auto style = element.attribute("style");
    if (style && !style->empty()) check_style_attribute(document, *style, element.where);
  } else if (is_svg) {
    state.svg.start(element);
    if (element.name == "svg" && !state.is_svg_document) document.traits().has_svg = true;
  } else {
    state.start_other(element);
  }
  if (element.name == "style" && !element.ns.empty()) {
    state.style.emplace();
    state.style_at = element.where;
  }
  if (recorder.is_epub3() && std::ranges::any_of(element.attributes, [](const xml::Attribute& one) {
        return is_event(one.name);
      })) {
    document.traits().is_scripted = true;
  }
  state.open.push_back({.name = is_html ? std::string(element.name) : std::string(),
                        .is_hidden = element.attribute("hidden").has_value()});
}

void LinkReader::State::end_style() {
  if (style && !style->empty()) check_css(recorder.document(), *style, style_at);
  style.reset();
}

void LinkReader::end(const xml::Element& element) {
  State& state = *state_;
  if (state.open.empty()) return;
  if (element.name == "style") state.end_style();
  const State::Open closed = std::move(state.open.back());
  state.open.pop_back();
  if (element.ns == kXhtmlNamespace) state.html.end(element.name, closed.has_palpable);
  state.recorder.leave_base(state.open.size());
  if (state.open.empty() || closed.is_hidden) return;
  if (palpable_by_name(element.ns, element.name).value_or(closed.has_palpable)) {
    state.open.back().has_palpable = true;
  }
}

void LinkReader::text(std::string_view part, xml::Position /*where*/) {
  if (auto& style = state_->style) style->append(part);
  if (!state_->open.empty() && !state_->open.back().has_palpable && !is_blank(part)) {
    state_->open.back().has_palpable = true;
  }
}

void LinkReader::instruction(std::string_view target, std::string_view data, xml::Position where) {
  if (target != "xml-stylesheet" || !state_->open.empty() || state_->sheets.size() >= 100) return;
  const auto type = pseudo_attribute(data, "type");
  const auto href = pseudo_attribute(data, "href");
  if (href && (!type || *type == kCssType)) state_->sheets.emplace_back(*href, where);
}

void LinkReader::finish() {
  const Document& document = state_->recorder.document();
  (void)document.traits();  // creates the entry: the document was read, even if it has no traits
  if (!state_->recorder.is_epub3() || document.item == nullptr) return;
  const Package& package = document.book->package;
  const bool has_class = !package.active_class.empty() || !package.playback_active_class.empty();
  if (has_class && !document.item->media_overlay.empty() && !document.traits().has_css) {
    document.report("CSS-030", {});
  }
}

}  // namespace tidemill::epub
