// What the server makes of a text: a tree of blocks, whose leaves are spans of letters with marks.
// A person's inline comment is a mark too, and the only one that markdown does not show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tidemill::docs_stub {

struct Mark {
  // In the order in which they enclose each other.
  enum class Kind : std::uint8_t { comment, link, code, strong, em, underline, strike, highlight };
  Kind kind = Kind::comment;
  std::string value{};  // a comment's id, a link's address
  std::string title{};

  bool operator==(const Mark&) const = default;
};

struct Span {
  enum class Kind : std::uint8_t { text, hard_break, image };
  Kind kind = Kind::text;
  std::string text{};  // of an image: how it is written
  std::vector<Mark> marks{};

  bool operator==(const Span&) const = default;
};

struct Node {
  enum class Kind : std::uint8_t {
    document,
    paragraph,
    heading,
    fence,
    rule,
    quote,
    notice,
    bullet_list,
    ordered_list,
    check_list,
    item,
    table,
    row,
    cell,
  };
  Kind kind = Kind::paragraph;
  std::string info{};  // language, kind of notice, letters of a rule, style of a list, alignment
  int number = 0;      // of a heading its level, of a list its first number, of an item 1: checked
  std::vector<Node> children{};
  std::vector<Span> spans{};
  std::string raw{};  // while it is being read: the markdown of its spans

  bool operator==(const Node&) const = default;
  [[nodiscard]] bool is_textblock() const {
    return kind == Kind::paragraph || kind == Kind::heading || kind == Kind::fence;
  }
  [[nodiscard]] bool is_empty_paragraph() const { return kind == Kind::paragraph && spans.empty(); }
};

[[nodiscard]] std::string letters_of(const Node& node);  // without markdown

}  // namespace tidemill::docs_stub
