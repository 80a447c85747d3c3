// The block half of the markdown reader. Lines go in, with the prefixes of what encloses them taken
// off; when all blocks are there, inline.cc reads what is in them.
#include <algorithm>
#include <cctype>
#include <regex>

#include "tests/docs/stub/inline.h"
#include "tests/docs/stub/letters.h"
#include "tests/docs/stub/lines.h"
#include "tests/docs/stub/markdown.h"

namespace tidemill::docs_stub {
namespace {

class Blocks {
 public:
  explicit Blocks(const Rows& rows) : rows_(rows) {}

  Node document(const std::string& text) {
    Node node{.kind = Node::Kind::document};
    node.children = blocks_of(lines_of(text));
    fill(node);
    return node;
  }

 private:
  // Letters in front of a dot count as numbers: "a. x" begins a list, wherever it stands.
  Lines lines_of(const std::string& text) {
    Lines lines;
    for (std::size_t at = 0; at <= text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      std::string line = text.substr(at, end - at);
      const auto letter = std::min(line.find_first_not_of(" \t"), line.size());
      const auto blank = letter + 2;
      if (blank < line.size() && std::isalpha(static_cast<unsigned char>(line[letter])) != 0 &&
          line[letter + 1] == '.' && is_space(letter_at(line, blank))) {
        const bool is_lower = std::islower(static_cast<unsigned char>(line[letter])) != 0;
        styles_[lines.size()] = is_lower ? "lower-alpha" : "upper-alpha";
        const int number = line[letter] - (is_lower ? 'a' : 'A') + 1;
        const std::string rest = line.substr(blank + leading_space(line.substr(blank)));
        line = line.substr(0, letter) + std::to_string(number) + ". " + rest;
      }
      lines.push_back({.text = std::move(line), .number = lines.size()});
      at = end + 1;
    }
    return lines;
  }

  std::vector<Node> blocks_of(const Lines& lines) {
    std::vector<Node> nodes;
    for (std::size_t at = 0; at < lines.size();) {
      if (is_blank(lines[at].text)) {
        ++at;
      } else if (indent_of(lines[at].text) >= kCode) {
        nodes.push_back(code(lines, at));
      } else if (!add_marked(nodes, lines, at)) {
        add_paragraph(nodes, lines, at);
      }
    }
    return nodes;
  }

  // What its first letters show.
  bool add_marked(std::vector<Node>& nodes, const Lines& lines, std::size_t& at) {
    const std::string& line = lines[at].text;
    if (const auto aligned = table_at(lines, at); !aligned.empty()) {
      nodes.push_back(table(lines, at, aligned));
    } else if (const auto container = fence_of(line, kContainers)) {
      nodes.push_back(notice(lines, at, *container));
    } else if (const auto fence = fence_of(line, kFences)) {
      nodes.push_back(fenced(lines, at, *fence));
    } else if (is_quote(line)) {
      nodes.push_back(quote(lines, at));
    } else if (const auto rule = rule_of(line)) {
      nodes.push_back({.kind = Node::Kind::rule, .info = *rule});
      ++at;
    } else if (marker_of(line)) {
      nodes.push_back(list(lines, at));
    } else if (auto heading = heading_of(line)) {
      nodes.push_back(*std::move(heading));
      ++at;
    } else {
      return read_definition(line) && ++at > 0;
    }
    return true;
  }

  // May the line end a paragraph? An item only with a text, and a numbered one only with a 1,
  // unless the line does not belong to the paragraph's own block.
  static bool interrupts(const Lines& lines, std::size_t at, bool is_lazy) {
    const std::string& line = lines[at].text;
    if (indent_of(line) >= kCode) return false;
    const auto marker = marker_of(line);
    const bool is_item =
        marker &&
        (is_lazy || (!marker->rest.empty() && (!marker->is_ordered || marker->number == 1)));
    return is_item || fence_of(line, kContainers) || fence_of(line, kFences) || is_quote(line) ||
           rule_of(line) || heading_of(line) || !table_at(lines, at).empty();
  }

  static void add_paragraph(std::vector<Node>& nodes, const Lines& lines, std::size_t& at) {
    std::string text = lines[at++].text;
    for (; at < lines.size() && !is_blank(lines[at].text); ++at) {
      if (const int level = underline_of(lines[at].text)) {
        ++at;
        nodes.push_back({.kind = Node::Kind::heading, .number = level, .raw = ascii_trimmed(text)});
        return;
      }
      if (interrupts(lines, at, false)) break;
      text += '\n' + lines[at].text;
    }
    nodes.push_back({.raw = ascii_trimmed(text)});
  }

  bool read_definition(const std::string& line) {
    static const std::regex kLabel(R"([ \t]*\[((?:\\.|[^\]\\])+)\]:[ \t]*)");
    std::smatch found;
    if (!std::regex_search(line, found, kLabel, std::regex_constants::match_continuous))
      return false;
    auto at = static_cast<std::size_t>(found.length());
    Link link;
    if (!read_destination(line, at, link) || !is_blank(line.substr(at))) return false;
    references_.emplace(label_of(found[1]), link);
    return true;
  }

  static Node text_node(Node::Kind kind, const std::string& info, const std::string& text) {
    Node node{.kind = kind, .info = info};
    add_span(node.spans, {.text = text.substr(0, text.size() - (text.ends_with('\n') ? 1 : 0))});
    return node;
  }

  static Node code(const Lines& lines, std::size_t& at) {
    std::string text;
    std::size_t blank = 0;
    for (; at < lines.size(); ++at) {
      const std::string& line = lines[at].text;
      if (!is_blank(line) && indent_of(line) < kCode) break;
      text += outdented(line, kCode) + '\n';
      blank = is_blank(line) ? blank + outdented(line, kCode).size() + 1 : 0;
    }
    text.resize(text.size() - blank);
    return text_node(Node::Kind::fence, "", text);
  }

  Node fenced(const Lines& lines, std::size_t& at, const Fence& fence) const {
    const std::size_t indent = indent_of(lines[at].text);
    std::string text;
    for (++at; at < lines.size() && !closes(lines[at].text, fence); ++at) {
      text += outdented(lines[at].text, indent) + '\n';
    }
    if (at < lines.size()) ++at;
    std::string info = fence.info;
    if (rows_.is_next) {
      info = ascii_trimmed(info);
      info.resize(std::min(info.find_first_of(" \t"), info.size()));
    }
    return text_node(Node::Kind::fence, info, text);
  }

  Node notice(const Lines& lines, std::size_t& at, const Fence& fence) {
    Lines inside;
    for (++at; at < lines.size() && !closes(lines[at].text, fence); ++at) {
      inside.push_back(lines[at]);
    }
    if (at < lines.size()) ++at;
    return {.kind = Node::Kind::notice, .info = fence.info, .children = blocks_of(inside)};
  }

  Node quote(const Lines& lines, std::size_t& at) {
    Lines inside;
    for (; at < lines.size() && !is_blank(lines[at].text); ++at) {
      if (is_quote(lines[at].text)) {
        inside.push_back(
            {.text = outdented(stripped(lines[at].text).substr(1), 1), .number = lines[at].number});
      } else if (!interrupts(lines, at, true) && ends_in_paragraph(inside)) {
        inside.push_back({.text = stripped(lines[at].text), .number = lines[at].number});
      } else {
        break;
      }
    }
    return {.kind = Node::Kind::quote, .children = blocks_of(inside)};
  }

  // So that a line that is not indented may still belong to it.
  bool ends_in_paragraph(const Lines& lines) const {
    if (lines.empty() || is_blank(lines.back().text)) return false;
    const auto nodes = Blocks(rows_).blocks_of(lines);
    const Node* last = nodes.empty() ? nullptr : &nodes.back();
    while (last != nullptr && !last->children.empty()) last = &last->children.back();
    return last != nullptr && last->kind == Node::Kind::paragraph;
  }

  Node list(const Lines& lines, std::size_t& at) {
    const Marker first = marker_of(lines[at].text).value_or(Marker{});
    Node node{.kind = first.is_ordered ? Node::Kind::ordered_list : Node::Kind::bullet_list,
              .number = first.number};
    if (first.is_ordered) node.info = take_style(lines[at].number);
    while (at < lines.size()) {
      const std::string& line = lines[at].text;
      const auto marker = marker_of(line);
      if (!marker || marker->is_ordered != first.is_ordered || marker->letter != first.letter)
        break;
      if (!node.children.empty() && rule_of(line)) break;
      node.children.push_back(item(lines, at, *marker));
    }
    return node;
  }

  Node item(const Lines& lines, std::size_t& at, const Marker& marker) {
    Lines inside = {{.text = marker.rest, .number = lines[at].number}};
    const bool ends_at_once =
        marker.rest.empty() && at + 1 < lines.size() && is_blank(lines[at + 1].text);
    for (++at; at < lines.size() && !ends_at_once; ++at) {
      const std::string& line = lines[at].text;
      if (is_blank(line)) {
        inside.push_back({.text = "", .number = lines[at].number});
      } else if (indent_of(line) >= marker.content) {
        inside.push_back({.text = outdented(line, marker.content), .number = lines[at].number});
      } else if (!interrupts(lines, at, true) && ends_in_paragraph(inside)) {
        inside.push_back({.text = stripped(line), .number = lines[at].number});
      } else {
        break;
      }
    }
    while (at < lines.size() && is_blank(lines[at].text)) ++at;
    return {.kind = Node::Kind::item, .children = blocks_of(inside)};
  }

  std::string take_style(std::size_t number) {
    for (std::size_t back = 0; back <= 2 && back <= number; ++back) {
      if (auto style = styles_.extract(number - back)) return style.mapped();
    }
    return "number";
  }

  static Node table(const Lines& lines, std::size_t& at, const std::vector<std::string>& aligned) {
    Node node{.kind = Node::Kind::table};
    const std::size_t head = at;
    for (; at < lines.size(); ++at) {
      if (at == head + 1) continue;
      const std::string& line = lines[at].text;
      if (at > head &&
          (is_blank(line) || indent_of(line) >= kCode || interrupts(lines, at, true))) {
        break;
      }
      auto cells = cells_of(line);
      cells.resize(aligned.size());
      Node row{.kind = Node::Kind::row};
      for (std::size_t i = 0; i < cells.size(); ++i) {
        row.children.push_back({.kind = Node::Kind::cell, .info = aligned[i]});
        row.children.back().children.push_back({.raw = cells[i]});
      }
      node.children.push_back(std::move(row));
    }
    return node;
  }

  // Reads what stands in the blocks. What has to hold something holds an empty paragraph.
  void fill(Node& node, bool is_task_list = false) const {
    std::vector<Node> filled;
    for (auto& child : node.children) {
      if (child.kind != Node::Kind::paragraph && child.kind != Node::Kind::heading) {
        if (!keeps_boxes(child)) continue;
        fill(child, node.kind == Node::Kind::check_list);
        if (may_hold(child)) filled.push_back(std::move(child));
        continue;
      }
      const bool is_task = is_task_list && &child == node.children.data();
      auto text = read_inline(child.raw, rows_, references_, is_task);
      if (text.empties > 0) child.kind = Node::Kind::paragraph;
      for (int i = 0; i < text.empties; ++i) filled.emplace_back();
      child.raw.clear();
      child.spans = std::move(text.spans);
      if (text.has_rest) filled.push_back(std::move(child));
    }
    node.children = std::move(filled);
    if (!node.children.empty() || node.is_textblock() || node.kind == Node::Kind::rule) return;
    if (node.kind == Node::Kind::notice) {  // the first kind of block that it may hold
      node.children.push_back({.kind = Node::Kind::check_list});
      node.children[0].children.push_back({.kind = Node::Kind::item, .children = {Node{}}});
    } else {
      node.children.emplace_back();
    }
  }

  // A notice with a notice or a table in it is lost too.
  static bool may_hold(const Node& node) {
    return node.kind != Node::Kind::notice ||
           std::ranges::none_of(node.children, [](const Node& child) {
             return child.kind == Node::Kind::notice || child.kind == Node::Kind::table;
           });
  }

  // A box in its first item makes a task list of a bullet list. Any other list with a box is lost:
  // the server makes a task of the item, which the list may not hold.
  static bool keeps_boxes(Node& list) {
    const bool is_bullet = list.kind == Node::Kind::bullet_list;
    if (!is_bullet && list.kind != Node::Kind::ordered_list) return true;
    bool has_any = false;
    for (auto& item : list.children) {
      bool is_ticked = false;
      const bool begins = !item.children.empty() && item.children[0].kind == Node::Kind::paragraph;
      if (!begins || !has_box(item.children[0].raw, is_ticked)) continue;
      item.number = is_ticked ? 1 : 0;
      if (is_bullet && &item == list.children.data()) list.kind = Node::Kind::check_list;
      has_any = true;
    }
    return !has_any || list.kind == Node::Kind::check_list;
  }

  const Rows& rows_;
  References references_;
  std::map<std::size_t, std::string> styles_;  // of lists with letters, by line
};

}  // namespace

Node read_markdown(const std::string& text, const Rows& rows) {
  std::string lines;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!is_pair) lines += text[i] == '\r' ? '\n' : text[i];
  }
  return Blocks(rows).document(lines);
}

}  // namespace tidemill::docs_stub
