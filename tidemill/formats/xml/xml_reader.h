// XmlReader: reads one XML document as a stream of events with line and column, from bytes that may
// be hostile.
//
// Bytes are fed as they arrive (the document is never held in memory as a whole) and events go to a
// Handler. Nothing outside the document is ever opened: an external DTD or entity is an event, not
// a file. Parsing stops at the first mistake, which is reported in the ParseOutcome: XML that is
// not well-formed, nesting that is too deep, entities that expand too far. Entities that a known
// XHTML, DTBook or OEB doctype declares (nbsp, eacute) become text. Invalid bytes in a UTF-8
// document are read as U+FFFD, and has_stray_bytes of the ParseOutcome is set.
//
// How it fails: parse mistakes are part of the ParseOutcome, never a Failure and never an
// exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemill::xml {

// Both count from 1; 0: unknown.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  auto operator<=>(const Position&) const = default;
};

inline constexpr std::string_view kXmlNamespace = "http://www.w3.org/XML/1998/namespace";

// The views are valid only during the call of the Handler.
struct Attribute {
  std::string_view name{};  // the local part
  std::string_view prefix{};
  std::string_view ns{};     // empty: none
  std::string_view value{};  // entities resolved
};

struct Element {
  std::string_view name{};  // the local part
  std::string_view prefix{};
  std::string_view ns{};                    // empty: none
  std::span<const Attribute> attributes{};  // without xmlns
  // The namespaces this element declares: name is the prefix (empty: the default one), value the
  // URI.
  std::span<const Attribute> declarations{};
  Position where{};  // where its start tag ends

  // The value of an attribute, by default one without a namespace; nullopt: no such attribute.
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view attribute_name,
                                                          std::string_view attribute_ns = {}) const;
};

struct Doctype {
  std::string_view root{};
  std::string_view public_id{};  // empty: none
  std::string_view system_id{};
};

// Receives the events of a document. Every event is ignored by default. One thread.
class Handler {
 public:
  Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  virtual ~Handler() = default;

  virtual void doctype(const Doctype& /*doctype*/, Position /*where*/) {}
  // False: the DTD is not available and the document cannot be read without it; parsing stops.
  virtual bool has_dtd(const Doctype& /*doctype*/) { return true; }
  virtual void start(const Element& /*element*/) {}
  // The same name and namespace as in start(); the position is where the end tag ends.
  virtual void end(const Element& /*element without attributes*/) {}
  // Text between tags, in any number of parts; entities and CDATA resolved.
  virtual void text(std::string_view /*part*/, Position /*where*/) {}
  virtual void instruction(std::string_view /*target*/, std::string_view /*data*/,
                           Position /*where*/) {}
  // <!ENTITY name SYSTEM "…"> in the internal subset.
  virtual void external_entity(std::string_view /*name*/, std::string_view /*system_id*/,
                               Position /*where*/) {}
};

struct Mistake {
  enum class Kind : std::uint8_t {
    malformed,          // not well-formed XML
    undeclared_entity,  // &nbsp; without a doctype that declares it
    undeclared_prefix,  // <a:b> without xmlns:a
    too_deep,
    entity_bomb,
    too_large,
    encoding,     // bytes that are not in the encoding they claim
    missing_dtd,  // Handler::has_dtd() returned false
  };
  Kind kind = Kind::malformed;
  std::string text{};  // human-readable
  Position where{};
};

// What the document declares about itself before its first tag.
struct Prolog {
  std::string version{};            // "1.0"; empty: no XML declaration
  std::string declared_encoding{};  // as written; empty: none declared
  enum class Mark : std::uint8_t { none, utf8, utf16le, utf16be, utf32 } mark = Mark::none;
  // The encoding guessed from the first bytes: UTF-16 and UTF-32 show in the position of the zeros.
  Mark looks_like = Mark::none;
};

struct ParseOutcome {
  Prolog prolog{};
  std::optional<Mistake> mistake{};  // nullopt: well-formed
  bool has_stray_bytes = false;      // invalid UTF-8, read as U+FFFD
};

struct XmlLimits {
  std::size_t depth = 1024;
  std::size_t attributes = 10'000;   // per element, with xmlns; also <!…> declarations
  std::uint64_t bytes = 64U << 20U;  // of the document
};

// One thread.
class XmlReader {
 public:
  explicit XmlReader(Handler& handler,
                     XmlLimits limits = {});  // the handler must outlive the reader
  XmlReader(const XmlReader&) = delete;
  XmlReader& operator=(const XmlReader&) = delete;
  ~XmlReader();

  // False after the first mistake: feeding more has no effect.
  bool feed(std::string_view bytes);
  // Ends the document. Call once, as the last call.
  [[nodiscard]] ParseOutcome finish();

 private:
  struct State;
  struct Callbacks;
  std::unique_ptr<State> state_;
};

// Reads a document that is already in memory.
[[nodiscard]] ParseOutcome read(std::string_view document, Handler& handler, XmlLimits limits = {});

}  // namespace tidemill::xml
