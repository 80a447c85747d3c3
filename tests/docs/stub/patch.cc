#include "tests/docs/stub/patch.h"

#include <algorithm>
#include <optional>

#include "tests/docs/stub/inline.h"

namespace tidemill::docs_stub {
namespace {

struct Match {
  const std::string& markdown;
  Range found{};
  Range block{};
  const std::string& replacement;
};

std::string without_newlines(std::string text) {
  text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
  return text;
}

std::string replaced(const Match& match, Range range) {
  const std::string& all = match.markdown;
  return all.substr(range.from, match.found.from - range.from) + match.replacement +
         all.substr(match.found.to, range.to - match.found.to);
}

// The spans of the letters in this range. A break counts as one letter.
std::vector<Span> cut(const std::vector<Span>& spans, std::size_t from, std::size_t to) {
  std::vector<Span> result;
  std::size_t begin = 0;
  for (const auto& span : spans) {
    const bool is_break = span.kind == Span::Kind::hard_break;
    const std::size_t end = begin + (is_break ? 1 : span.text.size());
    const std::size_t first = std::max(begin, from);
    const std::size_t last = std::min(end, to);
    if (first < last) {
      Span part = span;
      if (span.kind == Span::Kind::text) part.text = span.text.substr(first - begin, last - first);
      add_span(result, std::move(part));
    }
    begin = end;
  }
  return result;
}

// Letters of the markdown are letters of the text as long as there is no markup in front of them.
std::optional<Range> place_in_letters(const Match& match, const std::string& letters) {
  const std::string block =
      match.markdown.substr(match.block.from, match.block.to - match.block.from);
  const std::size_t begin = match.block.from + block.size() - without_newlines(block).size();
  if (match.found.from < begin) return std::nullopt;
  if (match.markdown.compare(begin, letters.size(), letters) == 0) {
    return Range{.from = match.found.from - begin, .to = match.found.to - begin};
  }
  const std::string find =
      match.markdown.substr(match.found.from, match.found.to - match.found.from);
  const auto at = letters.find(find);
  if (at == std::string::npos) return std::nullopt;
  return Range{.from = at, .to = at + find.size()};
}

std::optional<Node> patched_inline(const Node& block, const Match& match, const Rows& rows) {
  const std::string letters = letters_of(block);
  const auto place = place_in_letters(match, letters);
  if (!place || block.spans.empty()) return std::nullopt;
  const Node parsed = read_markdown(match.replacement, rows);
  if (parsed.children.size() != 1 || !parsed.children[0].is_textblock()) return std::nullopt;
  std::vector<Span> middle = parsed.children[0].spans;
  const bool is_plain =
      middle.size() == 1 && middle[0].kind == Span::Kind::text && middle[0].marks.empty();
  if (is_plain) middle[0].text = match.replacement;  // with its escapes and blanks
  Node result = block;
  result.spans = cut(block.spans, 0, place->from);
  for (auto& span : middle) add_span(result.spans, std::move(span));
  for (auto& span : cut(block.spans, place->to, letters.size())) {
    add_span(result.spans, std::move(span));
  }
  return result;
}

bool has_same_markup(const Node& a, const Node& b) {
  return a.kind == b.kind && a.info == b.info && a.number == b.number;
}

// The new node, with those of the old children that the patch left alone. `again` is the old node
// after being written and read: what differs from that was meant.
Node merged(const Node& old, const Node& fresh, const Node* again) {
  if (old.is_textblock() || old.kind == Node::Kind::rule) return fresh;
  if (old.children.size() != fresh.children.size()) return fresh;
  Node result = fresh;
  for (std::size_t i = 0; i < old.children.size(); ++i) {
    const Node& before = old.children[i];
    const Node& after = fresh.children[i];
    if (before.kind != after.kind) return fresh;
    const Node* same =
        again != nullptr && i < again->children.size() ? &again->children[i] : nullptr;
    const bool has_same_text = letters_of(before) == letters_of(after);
    if (has_same_text && (!has_same_markup(before, after) || same == nullptr || after == *same)) {
      result.children[i] = before;
      result.children[i].info = after.info;
      result.children[i].number = after.number;
    } else if (!before.is_textblock()) {
      result.children[i] = merged(before, after, same);
    }
  }
  return result;
}

std::optional<Node> first_of(const Node& document, Node::Kind kind) {
  const auto found = std::ranges::find(document.children, kind, &Node::kind);
  return found == document.children.end() ? std::nullopt : std::optional(*found);
}

std::optional<Node> patched_block(const Node& block, const Match& match, const Rows& rows) {
  if (block.is_textblock()) return patched_inline(block, match, rows);
  const std::string old =
      match.markdown.substr(match.block.from, match.block.to - match.block.from);
  const Node parsed = read_markdown(without_newlines(replaced(match, match.block)), rows);
  const auto fresh = first_of(parsed, block.kind);
  if (!fresh) return std::nullopt;
  const auto again = first_of(read_markdown(without_newlines(old), rows), block.kind);
  return merged(block, *fresh, again ? &*again : nullptr);
}

}  // namespace

Checked<Node> patched(const Node& document, const std::string& find, const std::string& text,
                      const Rows& rows) {
  const Written written = write_markdown(document, rows);
  const auto at = written.text.find(find);
  if (at == std::string::npos) return refuse(404);
  const auto& blocks = written.blocks;
  const Range found{.from = at, .to = at + find.size()};
  std::size_t first = 0;
  while (first < blocks.size() && blocks[first].to <= found.from) ++first;
  std::size_t end = first;
  while (end < blocks.size() && blocks[end].from < found.to) ++end;
  if (first == end) return refuse(400, "Could not map the matched text to document content");
  const Match match{
      .markdown = written.text, .found = found, .block = blocks[first], .replacement = text};
  std::vector<Node> fresh;
  auto alone =
      end - first == 1 ? patched_block(document.children[first], match, rows) : std::nullopt;
  if (alone) {
    fresh.push_back(*std::move(alone));
  } else {
    const Range region{.from = blocks[first].from, .to = blocks[end - 1].to};
    fresh = read_markdown(replaced(match, region), rows).children;
  }
  Node result = document;
  auto& children = result.children;
  const auto begin = children.begin();
  children.erase(begin + static_cast<std::ptrdiff_t>(first),
                 begin + static_cast<std::ptrdiff_t>(end));
  children.insert(children.begin() + static_cast<std::ptrdiff_t>(first), fresh.begin(),
                  fresh.end());
  return result;
}

}  // namespace tidemill::docs_stub
