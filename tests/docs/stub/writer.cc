// The markdown writer: what the server makes of its tree, letter by letter.
#include <algorithm>
#include <cctype>
#include <optional>

#include "tests/docs/stub/letters.h"
#include "tests/docs/stub/markdown.h"

namespace tidemill::docs_stub {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string_view letters_around(Mark::Kind kind) {
  switch (kind) {
    case Mark::Kind::strong:
      return "**";
    case Mark::Kind::em:
      return "*";
    case Mark::Kind::underline:
      return "__";
    case Mark::Kind::strike:
      return "~~";
    case Mark::Kind::highlight:
      return "==";
    default:
      return "";
  }
}

// Blanks at their edges are written outside, and their order may be changed.
bool is_loose(const Mark& mark) {
  return mark.kind != Mark::Kind::link && mark.kind != Mark::Kind::code;
}

std::size_t longest_run(const std::string& text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// "a-" or "27." of a list with letters.
std::string letters_of_number(int number, bool is_lower) {
  std::string result;
  for (int n = number - 1; n >= 0; n = n / 26 - 1) {
    result.insert(result.begin(), static_cast<char>((is_lower ? 'a' : 'A') + n % 26));
  }
  return result;
}

class Writer {
 public:
  Writer(const Rows& rows, bool in_table, bool in_list)
      : rows_(rows), in_table_(in_table), in_list_(in_list) {}

  Written document(const Node& node) {
    Written written;
    for (const auto& child : node.children) {
      const std::size_t from = out_.size();
      block(child);
      written.blocks.push_back({.from = from, .to = out_.size()});
    }
    written.text = out_;
    return written;
  }

  void block(const Node& node) {
    using Kind = Node::Kind;
    switch (node.kind) {
      case Kind::paragraph:
        paragraph(node);
        break;
      case Kind::heading:
        write(std::string(static_cast<std::size_t>(node.number), '#') + " ");
        inline_of(node);
        closed_ = node.kind;
        break;
      case Kind::fence:
        fence(node);
        break;
      case Kind::rule:
        write("\n" + node.info);
        closed_ = node.kind;
        break;
      case Kind::quote:
        wrapped("> ", "> ", node);
        break;
      case Kind::notice:
        notice(node);
        break;
      case Kind::bullet_list:
      case Kind::ordered_list:
      case Kind::check_list:
        list(node);
        break;
      case Kind::table:
        table(node);
        break;
      default:
        for (const auto& child : node.children) block(child);
    }
  }

  [[nodiscard]] const std::string& out() const { return out_; }

 private:
  [[nodiscard]] bool at_blank() const { return out_.empty() || out_.back() == '\n'; }

  void flush(int newlines = 2) {
    if (!closed_) return;
    if (!at_blank()) out_ += '\n';
    std::string prefix = prefix_;
    while (!prefix.empty() && prefix.back() == ' ') prefix.pop_back();
    for (int i = 1; i < newlines; ++i) out_ += prefix + "\n";
    closed_.reset();
  }

  void write(const std::string& text = {}) {
    flush();
    if (at_blank()) out_ += prefix_;
    out_ += text;
  }

  void write_lines(const std::string& text, bool is_escaped) {
    for (std::size_t at = 0; at <= text.size();) {
      const auto end = std::min(text.find('\n', at), text.size());
      const bool starts_line = at_blank() || closed_;
      write();
      const std::string line = text.substr(at, end - at);
      out_ += is_escaped ? escaped(line, starts_line) : line;
      if (end < text.size()) out_ += '\n';
      at = end + 1;
    }
  }

  [[nodiscard]] std::string escaped(const std::string& text, bool starts_line) const {
    std::string result;
    const auto last_target = text.rfind("](");
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      const bool is_mark = std::string_view("`*\\~").find(c) != std::string_view::npos;
      const bool is_link = c == '[' && last_target != std::string::npos && i < last_target;
      if (rows_.escapes && (is_mark || is_link)) result += '\\';
      if (in_table_ && c == '|') result += '\\';
      result += c;
    }
    if (!starts_line || !rows_.escapes || result.empty()) return result;
    if (std::string_view(":#-+").find(result[0]) != std::string_view::npos) return "\\" + result;
    const auto digits = result.find_first_not_of("0123456789");
    if (digits != std::string::npos && digits > 0 && result[digits] == '.') {
      result.insert(digits, "\\");
    }
    return result;
  }

  void paragraph(const Node& node) {
    if (node.spans.empty() && !in_table_) {
      write("\\\n");
      return;
    }
    inline_of(node);
    closed_ = node.kind;
  }

  void fence(const Node& node) {
    const std::string text = letters_of(node);
    const std::size_t run = longest_run(text);
    const std::string around(rows_.is_next && run >= 3 ? run + 1 : 3, '`');
    write(around + node.info + "\n");
    write_lines(text, false);
    if (!at_blank()) out_ += '\n';
    write(around);
    closed_ = node.kind;
  }

  void notice(const Node& node) {
    write("\n:::" + (node.info.empty() ? "info" : node.info) + "\n");
    for (const auto& child : node.children) block(child);
    if (!at_blank()) out_ += '\n';
    write(":::");
    closed_ = node.kind;
  }

  void wrapped(const std::string& prefix, const std::string& first, const Node& node) {
    const std::string old = prefix_;
    write(first);
    prefix_ += prefix;
    for (const auto& child : node.children) block(child);
    prefix_ = old;
    closed_ = node.kind;
  }

  static std::string number_of(const Node& list, std::size_t index, std::size_t width) {
    const int number = list.number + static_cast<int>(index);
    if (list.info.ends_with("alpha")) {
      return letters_of_number(number, list.info.starts_with("lower")) + ". ";
    }
    const std::string digits = std::to_string(number);
    return std::string(width - std::min(width, digits.size()), ' ') + digits + ". ";
  }

  void list(const Node& node) {
    const bool is_ordered = node.kind == Node::Kind::ordered_list;
    if (is_ordered) write("\n");
    if (closed_ == node.kind) {
      flush(3);
    } else if (in_tight_list_) {
      flush(1);
    }
    const bool was_in_list = std::exchange(in_list_, true);
    const bool was_tight = std::exchange(in_tight_list_, true);
    const auto last = node.number + static_cast<int>(node.children.size()) - 1;
    const std::size_t width = std::to_string(last).size();
    const bool has_letters = node.info.ends_with("alpha");
    const std::string prefix(is_ordered ? has_letters ? 4 : width + 2 : 2, ' ');
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) flush(1);
      const std::string first = is_ordered                            ? number_of(node, i, width)
                                : node.kind == Node::Kind::check_list ? "- "
                                                                      : "* ";
      const std::string box = node.kind != Node::Kind::check_list ? ""
                              : node.children[i].number == 1      ? "[x] "
                                                                  : "[ ] ";
      wrapped(prefix, first + box, node.children[i]);
      closed_ = node.kind;
    }
    in_list_ = was_in_list;
    in_tight_list_ = was_tight;
  }

  std::string cell(const Node& node) const {
    Writer writer(rows_, true, in_list_);
    for (const auto& child : node.children) {
      writer.closed_.reset();
      if (!child.is_empty_paragraph()) writer.block(child);
    }
    std::string text = writer.out_;
    while (text.starts_with('\n')) text.erase(0, 1);
    while (text.ends_with('\n')) text.pop_back();
    replace_all(text, "\n", "<br>");
    return text;
  }

  void table(const Node& node) {
    flush(1);
    out_ += '\n';
    std::vector<std::size_t> widths;
    for (const auto& head : node.children[0].children) {
      widths.push_back(std::max<std::size_t>(utf16_length(letters_of(head)), 3));
    }
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      const auto& cells = node.children[i].children;
      for (std::size_t j = 0; j < cells.size(); ++j) {
        const std::string text = cell(cells[j]);
        const std::size_t length = utf16_length(text);
        out_ += (j == 0 ? "| " : " | ") + text;
        out_ += std::string(widths[j] > length ? widths[j] - length : 0, ' ');
      }
      out_ += " |\n";
      if (i == 0) out_ += line_below(cells, widths);
    }
    closed_ = node.kind;
  }

  static std::string line_below(const std::vector<Node>& cells,
                                const std::vector<std::size_t>& widths) {
    std::string line;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      const bool left = cells[j].info == "left" || cells[j].info == "center";
      const bool right = cells[j].info == "right" || cells[j].info == "center";
      const std::size_t dashes = widths[j] + 2 - (left ? 1 : 0) - (right ? 1 : 0);
      line += (left ? "|:" : "|") + std::string(dashes, '-') + (right ? ":" : "");
    }
    return line + "|\n";
  }

  // A link whose text is its address is written in angle brackets.
  static bool is_plain(const Mark& link, const std::vector<Span>& spans, std::size_t at, int side) {
    const auto colon = link.value.find_first_not_of(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (!link.title.empty() || colon == 0 || colon == std::string::npos ||
        link.value[colon] != ':') {
      return false;
    }
    const Span& span = spans[at];
    if (span.kind != Span::Kind::text || span.text != link.value || span.marks.back() != link) {
      return false;
    }
    const bool is_edge = side > 0 ? at + 1 == spans.size() : at == 0;
    if (is_edge) return true;
    const auto& others = spans[side > 0 ? at + 1 : at - 1].marks;
    return std::ranges::find(others, link) == others.end();
  }

  static std::string opening(const Mark& mark, const std::vector<Span>& spans, std::size_t at) {
    if (mark.kind == Mark::Kind::link) return is_plain(mark, spans, at, 1) ? "<" : "[";
    return std::string(letters_around(mark.kind));
  }

  std::string closing(const Mark& mark, const std::vector<Span>& spans, std::size_t at) const {
    if (mark.kind != Mark::Kind::link) return std::string(letters_around(mark.kind));
    if (is_plain(mark, spans, at - 1, -1)) return ">";
    std::string title = mark.title;
    if (!title.empty()) {
      const bool has_double = title.find('"') != std::string::npos;
      const bool has_single = title.find('\'') != std::string::npos;
      title = !has_double   ? " \"" + title + "\""
              : !has_single ? " '" + title + "'"
                            : " (" + title + ")";
    }
    return "](" + escaped(mark.value, false) + title + ")";
  }

  // The marks of a span, in the order in which those that are open were opened.
  static std::vector<Mark> ordered(std::vector<Mark> marks, std::size_t count,
                                   const std::vector<Mark>& active) {
    for (std::size_t i = 0; i < count && is_loose(marks[i]); ++i) {
      for (std::size_t j = 0; j < active.size() && is_loose(active[j]); ++j) {
        if (marks[i] != active[j]) continue;
        const Mark mark = marks[i];
        marks.erase(marks.begin() + static_cast<std::ptrdiff_t>(i));
        const std::size_t place = std::min(i > j ? j : j - (j > i ? 1 : 0), marks.size());
        marks.insert(marks.begin() + static_cast<std::ptrdiff_t>(place), mark);
        break;
      }
    }
    return marks;
  }

  void close_to(std::size_t kept, std::vector<Mark>& active, const std::vector<Span>& spans,
                std::size_t at) {
    for (; active.size() > kept; active.pop_back()) {
      write_lines(closing(active.back(), spans, at), false);
    }
  }

  void inline_of(const Node& node) {
    std::vector<Mark> active;
    std::string trailing;
    for (std::size_t at = 0; at < node.spans.size(); ++at) {
      span(node.spans, at, active, trailing);
    }
    close_to(0, active, node.spans, node.spans.size());
    if (!trailing.empty()) write_lines(trailing, true);
  }

  void span(const std::vector<Span>& spans, std::size_t at, std::vector<Mark>& active,
            std::string& trailing) {
    std::vector<Mark> marks = spans[at].marks;
    std::string text = spans[at].text;
    const bool is_text = spans[at].kind == Span::Kind::text;
    if (spans[at].kind == Span::Kind::hard_break) keep_going(marks, spans, at);
    std::string leading = std::exchange(trailing, {});
    bool has_letters = true;
    if (is_text && std::ranges::any_of(marks, is_loose)) {
      const std::size_t lead = leading_space(text);
      const std::size_t trail = lead == text.size() ? 0 : trailing_space(text);
      leading += text.substr(0, lead);
      trailing = text.substr(text.size() - trail);
      text = text.substr(lead, text.size() - lead - trail);
      has_letters = !text.empty();
      if (!has_letters) marks = active;
    }
    const bool is_code = !marks.empty() && marks.back().kind == Mark::Kind::code;
    const std::size_t count = marks.size() - (is_code ? 1 : 0);
    marks = ordered(std::move(marks), count, active);
    std::size_t kept = 0;
    while (kept < std::min(active.size(), count) && marks[kept] == active[kept]) ++kept;
    close_to(kept, active, spans, at);
    if (!leading.empty()) write_lines(leading, true);
    if (!has_letters) return;
    while (active.size() < count) {
      active.push_back(marks[active.size()]);
      write_lines(opening(active.back(), spans, at), false);
    }
    letters(spans[at].kind, text, is_code);
  }

  // The marks of a break that ends them are not written.
  static void keep_going(std::vector<Mark>& marks, const std::vector<Span>& spans, std::size_t at) {
    std::erase_if(marks, [&](const Mark& mark) {
      if (at + 1 == spans.size()) return true;
      const Span& next = spans[at + 1];
      const bool goes_on = std::ranges::find(next.marks, mark) != next.marks.end();
      const bool has_letters =
          next.kind != Span::Kind::text || leading_space(next.text) < next.text.size();
      return !goes_on || !has_letters;
    });
  }

  void letters(Span::Kind kind, std::string text, bool is_code) {
    if (kind == Span::Kind::hard_break) {
      write(in_table_ ? "<br>" : rows_.breaks ? "\\n" : "\\\n");
    } else if (kind == Span::Kind::image) {
      write((in_list_ ? "" : " ") + text);
    } else if (is_code) {
      const std::size_t run = longest_run(text);
      if (in_table_) replace_all(text, "|", "\\|");
      const std::string around(run + 1, '`');
      const std::string gap = run > 0 ? " " : "";
      write_lines(around + gap + text + gap + around, false);
    } else {
      write_lines(text, true);
    }
  }

  const Rows& rows_;
  bool in_table_;
  bool in_list_;
  bool in_tight_list_ = false;
  std::string out_;
  std::string prefix_;
  std::optional<Node::Kind> closed_;  // a block that ended, and the blank line is still to come
};

}  // namespace

std::string letters_of(const Node& node) {
  std::string letters;
  for (const auto& span : node.spans) {
    letters += span.kind == Span::Kind::hard_break ? "\n" : span.text;
  }
  for (const auto& child : node.children) letters += letters_of(child);
  return letters;
}

Written write_markdown(const Node& document, const Rows& rows) {
  return Writer(rows, false, false).document(document);
}

std::string shown(const std::string& written) {
  std::string result;
  for (std::size_t at = 0; at < written.size();) {
    const bool has_newline = written[at] == '\n';
    const std::size_t slash = at + (has_newline ? 1 : 0);
    const bool begins = has_newline || at == 0;
    const bool is_empty = begins && slash < written.size() && written[slash] == '\\' &&
                          (slash + 1 == written.size() || written[slash + 1] == '\n');
    if (is_empty) {
      result += "\n\n";
      at = slash + 2;
    } else {
      result += written[at++];
    }
  }
  return trimmed(result);
}

}  // namespace tidemill::docs_stub
