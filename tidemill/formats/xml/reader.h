// Reader: one XML document as a stream of events with line and column, from bytes that may be
// hostile.
//
// Bytes are fed as they come (a document is never held whole); what they say is handed to a
// Handler. Nothing outside the document is ever opened: an external DTD or entity is an event, not
// a file. A document that is not well-formed ends at its first mistake, which is part of the
// Outcome; so does one that is nested too deep or whose entities multiply. Entities that a known
// XHTML or NCX doctype declares (nbsp, eacute) are text. Bytes of a UTF-8 document that are not
// UTF-8 are read as U+FFFD, and the Outcome says so.
//
// How it fails: parse mistakes are an Outcome, never a Failure and never an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tidemill::xml {

// From 1; 0 when it is not known.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  auto operator<=>(const Position&) const = default;
};

inline constexpr std::string_view kXmlNamespace = "http://www.w3.org/XML/1998/namespace";

// The views live as long as the call that hands them over.
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

  // The value of an attribute without (or with) a namespace; nothing: not there.
  [[nodiscard]] std::optional<std::string_view> attribute(std::string_view attribute_name,
                                                          std::string_view attribute_ns = {}) const;
};

struct Doctype {
  std::string_view root{};
  std::string_view public_id{};  // empty: none
  std::string_view system_id{};
};

// What a document says. Every call has a default that ignores it. One thread.
class Handler {
 public:
  Handler() = default;
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;
  virtual ~Handler() = default;

  virtual void doctype(const Doctype& /*doctype*/, Position /*where*/) {}
  // False: the DTD it names cannot be had, and the document cannot be read without it.
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
    missing_dtd,  // the handler has not the DTD
  };
  Kind kind = Kind::malformed;
  std::string text{};  // for a person
  Position where{};
};

// What the document says of itself before its first tag.
struct Prolog {
  std::string version{};            // "1.0"; empty: no XML declaration
  std::string declared_encoding{};  // as written; empty: none declared
  enum class Mark : std::uint8_t { none, utf8, utf16le, utf16be, utf32 } mark = Mark::none;
  // What the first bytes look like without a mark: UTF-16 and UTF-32 are seen by their zeros.
  Mark looks_like = Mark::none;
};

struct Outcome {
  Prolog prolog{};
  std::optional<Mistake> mistake{};  // nothing: well-formed
  bool has_stray_bytes = false;      // read as U+FFFD
};

struct Limits {
  std::size_t depth = 1024;
  std::size_t attributes = 10'000;   // of one element, with xmlns; and declarations of its type
  std::uint64_t bytes = 64U << 20U;  // of the document
};

// One thread.
class Reader {
 public:
  explicit Reader(Handler& handler, Limits limits = {});  // the handler must outlive the reader
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  // False when more is of no use: the first mistake was found.
  bool feed(std::string_view bytes);
  // The end of the document. To be called once, and nothing after it.
  [[nodiscard]] Outcome finish();

 private:
  struct State;
  struct Callbacks;
  std::unique_ptr<State> state_;
};

// The document is at hand.
[[nodiscard]] Outcome read(std::string_view document, Handler& handler, Limits limits = {});

}  // namespace tidemill::xml
