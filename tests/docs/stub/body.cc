#include "tests/docs/stub/body.h"

#include <algorithm>

#include "tests/docs/stub/inline.h"
#include "tests/docs/stub/letters.h"
#include "tests/docs/stub/patch.h"
#include "tidemill/base/try.h"

namespace tidemill::docs_stub {
namespace {

bool begins_with_line(const std::string& text) {
  return text.substr(0, leading_space(text)).find('\n') != std::string::npos;
}

bool ends_with_line(const std::string& text) {
  return text.substr(text.size() - trailing_space(text)).find('\n') != std::string::npos;
}

bool are_paragraphs(const Node& a, const Node& b) {
  return a.kind == Node::Kind::paragraph && b.kind == Node::Kind::paragraph;
}

// One behind the other; two paragraphs that meet become one if they are to be joined.
Node together(Node first, Node second, bool is_joined) {
  auto& front = first.children;
  auto& back = second.children;
  auto from = back.begin();
  if (is_joined && are_paragraphs(front.back(), back.front())) {
    for (auto& span : back.front().spans) add_span(front.back().spans, std::move(span));
    ++from;
  }
  front.insert(front.end(), std::make_move_iterator(from), std::make_move_iterator(back.end()));
  return first;
}

// Without the row `whole` empty paragraphs stay: as many as there are newlines too many.
std::string with_empties(const std::string& text) {
  if (text.find("```") != std::string::npos) return text;
  std::string result;
  std::size_t newlines = 0;
  for (const char c : text) {
    newlines = c == '\n' ? newlines + 1 : 0;
    result += newlines > 2 ? "\\\n\n" : std::string(1, c);
  }
  return result;
}

void collect(const Node& node, std::vector<std::string>& ids) {
  for (const auto& span : node.spans) {
    for (const auto& mark : span.marks) {
      const bool is_new = std::ranges::find(ids, mark.value) == ids.end();
      if (mark.kind == Mark::Kind::comment && is_new) ids.push_back(mark.value);
    }
  }
  for (const auto& child : node.children) collect(child, ids);
}

// Marks the first place with these letters.
bool mark(Node& node, const std::string& words, const Mark& comment) {
  for (auto& child : node.children) {
    if (mark(child, words, comment)) return true;
  }
  const std::string letters = node.is_textblock() ? letters_of(node) : std::string();
  const auto from = letters.find(words);
  if (from == std::string::npos || words.empty()) return false;
  std::vector<Span> spans;
  std::size_t begin = 0;
  for (const auto& span : node.spans) {
    const std::size_t length = span.kind == Span::Kind::hard_break ? 1 : span.text.size();
    const std::size_t first = std::clamp(from, begin, begin + length) - begin;
    const std::size_t last = std::clamp(from + words.size(), begin, begin + length) - begin;
    begin += length;
    if (span.kind != Span::Kind::text || first == last) {
      add_span(spans, span);
      continue;
    }
    Span marked = span;
    marked.text = span.text.substr(first, last - first);
    marked.marks.insert(marked.marks.begin(), comment);
    add_span(spans, {.text = span.text.substr(0, first), .marks = span.marks});
    add_span(spans, std::move(marked));
    add_span(spans, {.text = span.text.substr(last), .marks = span.marks});
  }
  node.spans = std::move(spans);
  return true;
}

}  // namespace

Body::Body(const std::string& text, const Rows& rows) : text_(text) {
  if (!rows.has_markdown()) return;
  tree_ = read_markdown(rows.whole ? text : with_empties(text), rows);
  text_ = shown(write_markdown(tree_, rows).text);
}

Body::Body(Node tree, const Rows& rows)
    : tree_(std::move(tree)), text_(shown(write_markdown(tree_, rows).text)) {}

Checked<Body> Body::edited_text(const TextEdit& edit, const Rows& rows) const {
  std::string text = edit.text;
  if (edit.mode == "append") {
    text = text_ + text;
  } else if (edit.mode == "prepend") {
    text += text_;
  } else if (edit.mode == "patch") {
    const auto at = text_.find(edit.find);
    if (at == std::string::npos) return refuse(400, "findText was not found in the document");
    text = std::string(text_).replace(at, edit.find.size(), text);
  }
  Body body(text, rows);
  keep_anchors(body);
  return body;
}

void Body::keep_anchors(Body& body) const {
  body.anchors_ = anchors_;
  std::erase_if(body.anchors_, [&](const Anchor& anchor) {
    return body.text_.find(anchor.words) == std::string::npos;
  });
}

Checked<Body> Body::edited(const TextEdit& edit, const Rows& rows) const {
  if (!rows.whole) return edited_text(edit, rows);
  if (edit.mode == "patch") {
    LET(auto tree, patched(tree_, edit.find, edit.text, rows));
    return Body(std::move(tree), rows);
  }
  Node fresh = read_markdown(edit.text, rows);
  if (edit.mode == "append") {
    return Body(together(tree_, std::move(fresh), !begins_with_line(edit.text)), rows);
  }
  if (edit.mode == "prepend") {
    return Body(together(std::move(fresh), tree_, !ends_with_line(edit.text)), rows);
  }
  return Body(std::move(fresh), rows);
}

Body Body::retyped(const std::string& text, const Rows& rows) const {
  Body body(text, rows);
  keep_anchors(body);
  std::vector<const Node*> old;
  for (const auto& child : tree_.children) old.push_back(&child);
  for (auto& child : body.tree_.children) {
    const auto same = std::ranges::find_if(old, [&](const Node* other) {
      return other->kind == child.kind && letters_of(*other) == letters_of(child);
    });
    if (same == old.end()) continue;
    child = **same;
    old.erase(same);
  }
  return body;
}

bool Body::anchor(const std::string& id, const std::string& words, const Rows& rows) {
  if (rows.whole) return mark(tree_, words, {.kind = Mark::Kind::comment, .value = id});
  if (words.empty() || text_.find(words) == std::string::npos) return false;
  anchors_.push_back({.id = id, .words = words});
  return true;
}

std::vector<std::string> Body::anchors() const {
  std::vector<std::string> ids;
  for (const auto& anchor : anchors_) ids.push_back(anchor.id);
  collect(tree_, ids);
  return ids;
}

int Body::empties() const {
  return static_cast<int>(std::ranges::count_if(tree_.children, &Node::is_empty_paragraph));
}

}  // namespace tidemill::docs_stub
