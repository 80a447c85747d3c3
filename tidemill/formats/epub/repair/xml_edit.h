// XmlEdit: small changes to the bytes of an XML document. A scanner finds tags, attributes and text
// with their offsets; the document need not be well-formed. Changes are collected and applied at
// the end. All bytes outside the changes stay the same.
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
  Span whole{};  // including the space before it
  Span name{};   // including its prefix
  Span value{};  // without quotes, entities as written
};

struct Scanned {
  enum class Kind : std::uint8_t { start, end, empty, text, cdata, comment, instruction, doctype };
  Kind kind = Kind::text;
  Span whole{};
  Span name{};  // tags: with the prefix; instructions: the target
  std::vector<ScannedAttribute> attributes{};

  [[nodiscard]] const ScannedAttribute* attribute(std::string_view document,
                                                  std::string_view name_wanted) const;
};

// Splits the document into pieces, in order and without gaps. Anything that is not valid markup is
// text. Linear time. Supports UTF-8 and other supersets of ASCII; finds nothing in UTF-16.
[[nodiscard]] std::vector<Scanned> scan(std::string_view document);

// One thread. The document must outlive it.
class XmlEdit {
 public:
  explicit XmlEdit(std::string_view document) : document_(document) {}

  void replace(Span span, std::string text);
  void insert(std::size_t at, std::string text) { replace({at, at}, std::move(text)); }
  void remove(Span span) { replace(span, {}); }
  [[nodiscard]] bool is_empty() const { return changes_.empty(); }

  [[nodiscard]] std::string applied() const;  // of overlapping changes only the first is applied
  // The changed lines before and after with some context, at most `most` lines.
  [[nodiscard]] std::string diff(std::size_t most = 40) const;

 private:
  struct Replacement {
    Span span{};
    std::string text{};
  };
  std::string_view document_;
  std::vector<Replacement> changes_;
};

// The character of an XML or HTML character reference, given without & and ;: "amp", "#160",
// "nbsp". 0: unknown.
[[nodiscard]] std::uint32_t character_of(std::string_view name);

// Converts ISO-8859-1 to UTF-8. Returns the bytes unchanged if some of them are printable only in
// windows-1252, which is often mislabelled as ISO-8859-1.
[[nodiscard]] std::string utf8_of_latin1(std::string_view bytes);

// Converts a document to UTF-8 if it has the byte order mark of UTF-16, or declares ISO-8859-1 and
// cannot be UTF-8 or windows-1252. Returns any other document unchanged.
[[nodiscard]] std::string utf8_of_document(std::string_view document);

// The text that a reader sees: the content between tags, in order, with entities resolved. The
// document need not be well-formed.
[[nodiscard]] std::string text_of_document(std::string_view document);

}  // namespace tidemill::epub
