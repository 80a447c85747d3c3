// XmlEdit: small changes to the bytes of an XML document. A scanner finds tags, attributes and text
// with their offsets, without believing that the document is well-formed; changes are collected and
// applied at the end. All bytes outside of the changes stay as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tidemill::epub {

// Bytes [begin, end) of the document.
struct Span {
  constexpr Span() = default;
  constexpr Span(std::size_t from, std::size_t to) : begin(from), end(to) {}

  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] std::string_view in(std::string_view document) const {
    return document.substr(begin, end - begin);
  }
};

struct ScannedAttribute {
  Span whole{};  // with the space before it
  Span name{};   // with its prefix
  Span value{};  // without quotes, entities as written
};

struct Scanned {
  enum class Kind : std::uint8_t { start, end, empty, text, cdata, comment, instruction, doctype };
  Kind kind = Kind::text;
  Span whole{};
  Span name{};  // of a tag, with its prefix; of an instruction its target
  std::vector<ScannedAttribute> attributes{};

  [[nodiscard]] const ScannedAttribute* attribute(std::string_view document,
                                                  std::string_view name_wanted) const;
};

// The document in pieces, in order, without gaps. What cannot be understood is text. Linear. UTF-8
// and other supersets of ASCII only: of UTF-16 nothing is found.
[[nodiscard]] std::vector<Scanned> scan(std::string_view document);

// One thread. The document must outlive it.
class XmlEdit {
 public:
  explicit XmlEdit(std::string_view document) : document_(document) {}

  void replace(Span span, std::string text);
  void insert(std::size_t at, std::string text) { replace({at, at}, std::move(text)); }
  void remove(Span span) { replace(span, {}); }
  [[nodiscard]] bool is_empty() const { return changes_.empty(); }

  [[nodiscard]] std::string applied() const;  // of changes that overlap the first is made
  // The changed lines before and after, a few lines around, at most `most` lines.
  [[nodiscard]] std::string diff(std::size_t most = 40) const;

 private:
  struct Replacement {
    Span span{};
    std::string text{};
  };
  std::string_view document_;
  std::vector<Replacement> changes_;
};

// The character that a reference means, without & and ;, as XML and HTML know it: "amp", "#160",
// "nbsp". 0: not known.
[[nodiscard]] std::uint32_t character_of(std::string_view name);

// Bytes in ISO-8859-1 in UTF-8; as they are when some of them are letters in windows-1252, which is
// often called so.
[[nodiscard]] std::string utf8_of_latin1(std::string_view bytes);

// The document in UTF-8: what has the mark of UTF-16, and what declares itself ISO-8859-1 and can
// be nothing else. Everything else is as it was.
[[nodiscard]] std::string utf8_of_document(std::string_view document);

// The text that a reader sees: what stands between tags, entities resolved, in order. Two documents
// with the same text have the same hash of it. Of a document that is not well-formed too.
[[nodiscard]] std::string text_of_document(std::string_view document);

}  // namespace tidemill::epub
