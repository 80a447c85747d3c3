#include "tidemill/formats/xml/xml_reader.h"

#include <libxml/HTMLparser.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>
#include <vector>

#include "tidemill/formats/xml/mistake_of.h"
#include "tidemill/formats/xml/prolog.h"
#include "tidemill/formats/xml/tag_watch.h"
#include "tidemill/formats/xml/utf8_filter.h"

namespace tidemill::xml {
namespace {

// With entities, the text may be at most kEntityRatio times the size of the document, plus a fixed
// allowance: a short entity that is used often is not a bomb.
constexpr std::uint64_t kEntityFloor = 8U << 20U;
constexpr std::uint64_t kEntityRatio = 20;

struct ContextEnd {
  void operator()(xmlParserCtxt* context) const {
    if (context->myDoc != nullptr) xmlFreeDoc(context->myDoc);
    xmlFreeParserCtxt(context);
  }
};

std::string_view view(const xmlChar* text) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): libxml2's characters are bytes
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

std::string_view view(const xmlChar* begin, const xmlChar* end) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  return {reinterpret_cast<const char*>(begin), static_cast<std::size_t>(end - begin)};
}

// An entity loader that never opens anything outside the document.
xmlParserInputPtr open_nothing(const char* /*url*/, const char* /*id*/,
                               xmlParserCtxtPtr /*context*/) {
  return nullptr;
}

// Errors are reported through the parser's structured errors; libxml2 would print the generic ones
// to standard error.
// NOLINTNEXTLINE(cert-dcl50-cpp): the library wants it so
void say_nothing(void* /*context*/, const char* /*format*/, ...) {}

void prepare_library() {
  static const bool is_ready = [] {
    xmlInitParser();
    xmlSetExternalEntityLoader(open_nothing);
    xmlSetGenericErrorFunc(nullptr, say_nothing);
    return true;
  }();
  static_cast<void>(is_ready);
}

// Doctypes whose DTD declares the entities of HTML 4.
bool declares_html_entities(const Doctype& doctype) {
  static constexpr std::array<std::string_view, 5> kPublic = {
      "-//W3C//DTD XHTML 1.0", "-//W3C//DTD XHTML 1.1", "-//DAISY//DTD dtbook",
      "-//NISO//DTD dtbook", "+//ISBN 0-9673008-1-9//DTD OEB 1.2 Document"};
  const bool is_known = std::ranges::any_of(
      kPublic, [&](std::string_view id) { return doctype.public_id.starts_with(id); });
  return is_known || (doctype.system_id.starts_with("http://www.w3.org/TR/xhtml") &&
                      doctype.system_id.ends_with(".dtd"));
}

// True if a name contains U+FFFD, the replacement for an invalid byte.
bool has_stray_name(const Element& element) {
  static constexpr std::string_view kStray = "\xef\xbf\xbd";
  const auto is_stray = [](const Attribute& one) {
    return one.name.contains(kStray) || one.prefix.contains(kStray);
  };
  return element.name.contains(kStray) || element.prefix.contains(kStray) ||
         std::ranges::any_of(element.attributes, is_stray);
}

}  // namespace

struct XmlReader::State {
  State(Handler& a_handler, XmlLimits some_limits)
      : handler(a_handler), limits(some_limits), watch(some_limits.attributes) {}

  Handler& handler;
  XmlLimits limits;
  TagWatch watch;
  std::unique_ptr<xmlParserCtxt, ContextEnd> context{};
  std::string head{};  // the first bytes, until there are enough for the prolog
  Prolog prolog{};
  std::optional<Mistake> mistake{};
  std::vector<Attribute> attributes{};
  std::vector<Attribute> declarations{};
  std::size_t depth = 0;
  std::uint64_t fed = 0;
  std::optional<Utf8Filter> filter{};  // nullopt: not in UTF-8
  bool knows_html_entities = false;
  bool has_entities = false;    // declares its own, so the expanded size is limited
  std::uint64_t delivered = 0;  // bytes of text and attributes; counted only with has_entities

  [[nodiscard]] Position here() const {
    const xmlParserInput* input = context->input;
    if (input == nullptr) return {};
    return {.line = static_cast<std::uint32_t>(std::max(input->line, 0)),
            .column = static_cast<std::uint32_t>(std::max(input->col, 0))};
  }

  // Where the current start tag ends: the parser's position is before its '>' or '/>'.
  [[nodiscard]] Position behind_tag() const {
    Position where = here();
    const xmlChar* next = context->input == nullptr ? nullptr : context->input->cur;
    if (next != nullptr && *next == '>') where.column += 1;
    if (next != nullptr && *next == '/') where.column += 2;
    return where;
  }

  // libxml2 reports a start tag before it has parsed the end of the tag.
  [[nodiscard]] bool is_tag_whole() const {
    if (context->input == nullptr) return true;
    const std::string_view rest = view(context->input->cur, context->input->end);
    return rest.starts_with('>') || rest.starts_with("/>");
  }

  void stop(Mistake::Kind kind, std::string text, Position where) {
    if (mistake) return;
    mistake = Mistake{.kind = kind, .text = std::move(text), .where = where};
    if (context != nullptr) xmlStopParser(context.get());
  }

  // Counts delivered bytes. False: the entities expand out of proportion, which is a bomb.
  bool add_bytes(std::size_t bytes) {
    if (!has_entities) return true;
    delivered += bytes;
    if (delivered <= kEntityFloor + kEntityRatio * fed) return true;
    stop(Mistake::Kind::entity_bomb, "its entities expand to many times the size of the document",
         here());
    return false;
  }

  void begin();
  void give(std::string_view bytes);
  bool is_watched(std::string_view bytes);
  void parse(std::string_view bytes, bool is_end);
  void start(const Element& element);

  static State& of(void* context) {
    return *static_cast<State*>(static_cast<xmlParserCtxt*>(context)->_private);
  }
};

// The callbacks for libxml2. The user data is the parser context, because our callbacks call the
// library's own callbacks for entities and the doctype, which expect it.
struct XmlReader::Callbacks {
  using S = XmlReader::State;

  static void internal_subset(void* context, const xmlChar* name, const xmlChar* public_id,
                              const xmlChar* system_id) {
    S& state = S::of(context);
    const Doctype doctype{
        .root = view(name), .public_id = view(public_id), .system_id = view(system_id)};
    state.knows_html_entities = declares_html_entities(doctype);
    state.handler.doctype(doctype, state.here());
    if (!state.handler.has_dtd(doctype)) {
      state.stop(Mistake::Kind::missing_dtd,
                 "its DTD \"" + std::string(doctype.system_id) + "\" is not available",
                 state.here());
      return;
    }
    xmlSAX2InternalSubset(context, name, public_id, system_id);
  }

  static void entity_declared(void* context, const xmlChar* name, int type,
                              const xmlChar* public_id, const xmlChar* system_id,
                              xmlChar* content) {
    S& state = S::of(context);
    if (system_id == nullptr) {
      state.has_entities = true;
      xmlSAX2EntityDecl(context, name, type, public_id, system_id, content);
      return;
    }
    state.handler.external_entity(view(name), view(system_id), state.here());
    // An external entity is never opened: in text it is undeclared, in the subset it is empty.
    // (libxml2 would check whether the file exists, even with a loader that opens nothing.)
    if (type == XML_EXTERNAL_PARAMETER_ENTITY) {
      xmlChar nothing = 0;
      xmlSAX2EntityDecl(context, name, XML_INTERNAL_PARAMETER_ENTITY, nullptr, nullptr, &nothing);
    }
  }

  static xmlEntityPtr entity(void* context, const xmlChar* name) {
    S& state = S::of(context);
    xmlEntityPtr known = xmlSAX2GetEntity(context, name);
    if (known != nullptr || !state.knows_html_entities) return known;
    const htmlEntityDesc* html = htmlEntityLookup(name);
    if (html == nullptr || state.context->myDoc == nullptr) return nullptr;
    std::array<xmlChar, 8> character{};
    const int length = xmlCopyCharMultiByte(character.data(), static_cast<int>(html->value));
    character.at(static_cast<std::size_t>(length)) = 0;
    return xmlAddDocEntity(state.context->myDoc, name, XML_INTERNAL_GENERAL_ENTITY, nullptr,
                           nullptr, character.data());
  }

  static void reference(void* context, const xmlChar* name) {
    S& state = S::of(context);
    state.stop(Mistake::Kind::undeclared_entity,
               "the entity \"" + std::string(view(name)) + "\" is not declared", state.here());
  }

  static void start(void* context, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri,
                    int namespace_count, const xmlChar** namespaces, int attribute_count,
                    int /*defaulted*/, const xmlChar** attributes) {
    S& state = S::of(context);
    if (!state.is_tag_whole()) return;  // libxml2 reports the mistake next
    state.attributes.clear();
    state.declarations.clear();
    // NOLINTBEGIN(cppcoreguidelines-pro-bounds-pointer-arithmetic): as the library hands them over
    for (int left = namespace_count; left > 0; --left, namespaces += 2) {
      state.declarations.push_back({.name = view(namespaces[0]), .value = view(namespaces[1])});
    }
    for (int at = 0; at < attribute_count; ++at) {
      const xmlChar** one = attributes + static_cast<std::ptrdiff_t>(at) * 5;
      state.add_bytes(static_cast<std::size_t>(one[4] - one[3]));
      state.attributes.push_back({.name = view(one[0]),
                                  .prefix = view(one[1]),
                                  .ns = view(one[2]),
                                  .value = view(one[3], one[4])});
    }
    // NOLINTEND(cppcoreguidelines-pro-bounds-pointer-arithmetic)
    state.start({.name = view(name),
                 .prefix = view(prefix),
                 .ns = view(uri),
                 .attributes = state.attributes,
                 .declarations = state.declarations,
                 .where = state.behind_tag()});
  }

  static void end(void* context, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri) {
    S& state = S::of(context);
    if (state.mistake) return;
    --state.depth;
    state.handler.end(
        {.name = view(name), .prefix = view(prefix), .ns = view(uri), .where = state.here()});
  }

  static void text(void* context, const xmlChar* part, int length) {
    S& state = S::of(context);
    if (state.mistake || length <= 0 || !state.add_bytes(static_cast<std::size_t>(length))) return;
    state.handler.text(view(part, part + length), state.here());
  }

  static void instruction(void* context, const xmlChar* target, const xmlChar* data) {
    S& state = S::of(context);
    if (!state.mistake) state.handler.instruction(view(target), view(data), state.here());
  }

  static void error(void* context, xmlErrorPtr error) {
    S& state = S::of(context);
    if (const auto mistake = mistake_of(*error)) {
      state.stop(mistake->kind, mistake->text, mistake->where);
    }
  }

  static xmlSAXHandler all() {
    xmlSAXHandler sax{};
    sax.initialized = XML_SAX2_MAGIC;
    sax.internalSubset = internal_subset;
    sax.entityDecl = entity_declared;
    sax.getEntity = entity;
    sax.getParameterEntity = xmlSAX2GetParameterEntity;
    sax.startDocument = xmlSAX2StartDocument;
    sax.reference = reference;
    sax.characters = text;
    sax.ignorableWhitespace = text;
    sax.cdataBlock = text;
    sax.processingInstruction = instruction;
    sax.startElementNs = start;
    sax.endElementNs = end;
    sax.serror = error;
    return sax;
  }
};

void XmlReader::State::begin() {
  prolog = prolog_of(head);
  if (is_utf8(prolog)) filter.emplace();
  if (names_no_encoding(prolog)) {
    stop(Mistake::Kind::encoding, "no such encoding: " + prolog.declared_encoding, {});
    return;
  }
  xmlSAXHandler sax = Callbacks::all();
  context.reset(xmlCreatePushParserCtxt(&sax, nullptr, nullptr, 0, nullptr));
  if (context == nullptr) {
    stop(Mistake::Kind::malformed, "not enough memory for a parser", {});
    return;
  }
  context->_private = this;
  context->userData = context.get();
  // NOENT: entities in attributes are resolved too. Nothing can be opened (open_nothing).
  xmlCtxtUseOptions(context.get(), XML_PARSE_NOENT | XML_PARSE_NONET);
  give(head);
  head.clear();
}

void XmlReader::State::give(std::string_view bytes) {
  while (!bytes.empty() && !mistake) {
    const std::string_view part = bytes.substr(0, 1U << 20U);
    if (!is_watched(part)) return;
    parse(filter ? filter->filtered(part) : part, false);
    bytes.remove_prefix(part.size());
  }
}

// False: there are more attributes or declarations than the parser can handle in reasonable time.
bool XmlReader::State::is_watched(std::string_view bytes) {
  using Mark = Prolog::Mark;
  const Mark mark = prolog.mark == Mark::none ? prolog.looks_like : prolog.mark;
  const bool is_wide = mark != Mark::none && mark != Mark::utf8;  // '<' may be half a character
  if (is_wide || watch.see(bytes)) return true;
  stop(Mistake::Kind::too_large,
       "more than " + std::to_string(limits.attributes) +
           " attributes on an element, or declarations in the document type",
       here());
  return false;
}

// The parser stops without an error callback when the bytes do not match the declared encoding.
void XmlReader::State::parse(std::string_view bytes, bool is_end) {
  const int code =
      xmlParseChunk(context.get(), bytes.data(), static_cast<int>(bytes.size()), is_end ? 1 : 0);
  if (mistake) return;
  if (code == XML_ERR_INVALID_ENCODING || code == XML_ERR_UNSUPPORTED_ENCODING) {
    stop(Mistake::Kind::encoding, "its bytes are not in the encoding it claims", here());
  } else if (is_end && context->wellFormed == 0) {
    stop(Mistake::Kind::malformed, "not well-formed", here());
  }
}

void XmlReader::State::start(const Element& element) {
  if (mistake) return;
  if (filter && filter->has_stray_bytes() && has_stray_name(element)) {
    stop(Mistake::Kind::malformed, "a name has bytes that are not UTF-8", element.where);
    return;
  }
  if (++depth > limits.depth) {
    stop(Mistake::Kind::too_deep, "elements are nested deeper than " + std::to_string(limits.depth),
         element.where);
    return;
  }
  if (element.attributes.size() > limits.attributes) {
    stop(Mistake::Kind::too_large,
         "an element has more than " + std::to_string(limits.attributes) + " attributes",
         element.where);
    return;
  }
  handler.start(element);
}

std::optional<std::string_view> Element::attribute(std::string_view attribute_name,
                                                   std::string_view attribute_ns) const {
  for (const Attribute& one : attributes) {
    if (one.name == attribute_name && one.ns == attribute_ns) return one.value;
  }
  return std::nullopt;
}

XmlReader::XmlReader(Handler& handler, XmlLimits limits)
    : state_(std::make_unique<State>(handler, limits)) {
  prepare_library();
}

XmlReader::~XmlReader() = default;

bool XmlReader::feed(std::string_view bytes) {
  State& state = *state_;
  if (state.mistake) return false;
  state.fed += bytes.size();
  if (state.fed > state.limits.bytes) {
    state.stop(Mistake::Kind::too_large,
               "the document is larger than " + std::to_string(state.limits.bytes) + " bytes", {});
    return false;
  }
  if (state.context == nullptr) {
    state.head.append(bytes);
    if (state.head.size() < 512) return true;
    state.begin();
  } else {
    state.give(bytes);
  }
  return !state.mistake;
}

ParseOutcome XmlReader::finish() {
  State& state = *state_;
  if (state.context == nullptr && !state.mistake) state.begin();
  if (!state.mistake) state.parse(state.filter ? state.filter->rest() : std::string_view(), true);
  return {.prolog = std::move(state.prolog),
          .mistake = std::move(state.mistake),
          .has_stray_bytes = state.filter && state.filter->has_stray_bytes()};
}

ParseOutcome read(std::string_view document, Handler& handler, XmlLimits limits) {
  XmlReader reader(handler, limits);
  reader.feed(document);
  return reader.finish();
}

}  // namespace tidemill::xml
