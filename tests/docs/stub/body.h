// Body: the text of a document as the server keeps it, and the four ways to change it.
#pragma once

#include <string>
#include <vector>

#include "tests/docs/stub/markdown.h"

namespace tidemill::docs_stub {

struct TextEdit {
  std::string mode = "replace";  // or append, prepend, patch
  std::string find{};            // of a patch
  std::string text{};
};

// A value. Without the row `whole` it is a text with words that comments hang on; with it, a tree.
class Body {
 public:
  Body() = default;
  Body(const std::string& text, const Rows& rows);

  [[nodiscard]] const std::string& text() const { return text_; }  // as the API gives it
  [[nodiscard]] Checked<Body> edited(const TextEdit& edit, const Rows& rows) const;
  // By a person in an editor: blocks that read as before keep what hangs on them.
  [[nodiscard]] Body retyped(const std::string& text, const Rows& rows) const;
  // False: these words are not in it.
  [[nodiscard]] bool anchor(const std::string& id, const std::string& words, const Rows& rows);

  [[nodiscard]] std::vector<std::string> anchors() const;  // the ids of those that live
  [[nodiscard]] int empties() const;                       // empty paragraphs

  bool operator==(const Body&) const = default;

 private:
  struct Anchor {
    std::string id{};
    std::string words{};
    bool operator==(const Anchor&) const = default;
  };

  Body(Node tree, const Rows& rows);
  [[nodiscard]] Checked<Body> edited_text(const TextEdit& edit, const Rows& rows) const;

  void keep_anchors(Body& body) const;  // those whose words are in it

  Node tree_{.kind = Node::Kind::document};
  std::string text_;
  std::vector<Anchor> anchors_;  // without the row `whole`
};

}  // namespace tidemill::docs_stub
