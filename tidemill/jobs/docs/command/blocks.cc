#include "tidemill/jobs/docs/command/blocks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tidemill/formats/text/utf8.h"
#include "tidemill/jobs/docs/command/commands.h"
#include "tidemill/jobs/docs/command/markdown.h"

namespace tidemill::docs {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD
constexpr std::string_view kEmpty = " \t\r\n\v\f";

std::string_view without_empty_ends(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kEmpty);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kEmpty) - first + 1);
}

// The replacement of a character: itself, nothing, or a harmless one. Invisible characters are
// dropped: a server may drop them as well, and would join what they separate.
std::string_view stand_in(char32_t code, std::string_view character) {
  if (code == '\n' || code == 0x85 || code == 0x2028 || code == 0x2029) return "\n";
  if (code == '\t') return "    ";
  if (code == 0xa0 || code == 0x202f) return " ";
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return {};
  if ((code >= 0x200b && code <= 0x200f) || (code >= 0x202a && code <= 0x202e)) return {};
  if ((code >= 0x2060 && code <= 0x206f) || code == 0xfeff || code == 0xad) return {};
  return character;
}

enum class Shape : std::uint8_t { as_is, tame, tame_line };

void append_tame(std::string& result, std::string_view piece, Shape shape) {
  for (char c : piece) {
    if (shape == Shape::tame_line && (c == '\n' || c == ' ')) {
      if (result.empty() || result.ends_with(' ')) continue;
      c = ' ';
    }
    if (shape != Shape::as_is && c == '[' && result.ends_with('!')) result += '\\';
    result += c;
  }
}

// Stops once the result is longer than `most`, so that the caller sees that there was more.
std::string with_tame_characters(std::string_view text, std::size_t most, Shape shape) {
  std::string result;
  result.reserve(std::min(text.size(), most) + 8);
  while (!text.empty() && result.size() <= most) {
    const text::Character character = text::front_character(text);
    if (character.length == 0) {
      append_tame(result, kReplacement, shape);
      text.remove_prefix(1);
    } else if (text.starts_with('\r')) {  // "\r\n" is one line end, and so is "\r" alone
      if (!text.starts_with("\r\n")) append_tame(result, "\n", shape);
      text.remove_prefix(1);
    } else {
      append_tame(result, stand_in(character.code, text.substr(0, character.length)), shape);
      text.remove_prefix(character.length);
    }
  }
  return result;
}

// The longest prefix of valid UTF-8 with at most `most` bytes and complete characters.
std::string_view cut_at_character(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  return text.substr(0, most);
}

// The ranges from each start marker to the end marker after it. Empty if the markers are broken.
std::optional<std::vector<Range>> pairs_in(std::string_view text, MarkedBlock block) {
  std::vector<Range> pairs;
  bool is_open = false;
  for (const Marker& marker : markers_in(text)) {
    const bool is_stranger = marker.block != block;
    if (is_stranger && is_open) return std::nullopt;
    if (is_stranger) continue;
    if (marker.is_start == is_open) return std::nullopt;
    is_open = marker.is_start;
    if (is_open) {
      pairs.push_back(marker.range);
    } else {
      pairs.back().end = marker.range.end;
    }
  }
  if (is_open) return std::nullopt;
  return pairs;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// The command's word at `at`, if it is not part of a longer word; else empty.
std::string_view command_word_at(std::string_view text, std::size_t at) {
  const bool follows_break = text.substr(0, at).ends_with(kHardBreak);
  if (at > 0 && is_word_character(text[at - 1]) && !follows_break) return {};
  const std::string_view word = leading_command_word(text.substr(at));
  const std::size_t end = at + word.size();
  const bool goes_on =
      end < text.size() && (is_word_character(text[end]) || text[end] == '-' || text[end] == '_');
  return goes_on ? std::string_view() : word;
}

// Whether an entity ("&…;") begins there: markdown would read it as one character.
bool is_entity(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const std::size_t end = text.substr(0, kLongest).find(';');
  if (!text.starts_with('&') || end == std::string_view::npos || end < 2) return false;
  return std::ranges::all_of(text.substr(1, end - 1),
                             [](char c) { return is_word_character(c) || c == '#'; });
}

// Builds one paragraph of plain text.
class Quoting {
 public:
  explicit Quoting(std::string_view line) : line_(line) {}

  std::string run() && {
    escape_start();
    while (at_ < line_.size()) step();
    return std::move(out_);
  }

 private:
  // Escapes what would be a heading, a list or a rule; step() escapes quotes and tables.
  void escape_start() {
    if (line_.empty()) return;
    if (std::string_view("#+-:").contains(line_.front())) out_ += '\\';
    // "12." and, in Outline, also "a.".
    std::size_t digits = line_.find_first_not_of("0123456789");
    if (digits == 0 && is_word_character(line_.front())) digits = 1;
    if (digits == 0 || digits > 9 || digits == line_.size()) return;
    if (line_[digits] != '.' && line_[digits] != ')') return;
    out_.append(line_.substr(0, digits)) += '\\';
    at_ = digits;
  }

  void step() {
    const std::string_view rest = line_.substr(at_);
    if (at_ == dropped_) {
      ++at_;
      return;
    }
    if (const std::string_view word = command_word_at(line_, at_); !word.empty()) {
      out_ += word.front();  // the backtick after it hides the command from a search
      ++at_;
      return put_code(word.substr(1));
    }
    // After another backtick it would be a longer run for some parsers, and end elsewhere.
    const bool follows_mark = at_ > 0 && line_[at_ - 1] == '`';
    const std::string_view code = follows_mark ? std::string_view() : code_span(rest);
    if (!code.empty()) {
      ++at_;
      if (holds_command(code)) {
        dropped_ = at_ + code.size();
      } else {
        put_code(code);
        ++at_;
      }
      return;
    }
    const bool is_marker = rest.starts_with("<!--");
    const bool is_one_character = is_entity(rest);
    if (std::string_view("\\`*_[]<>~$&|=").contains(rest.front())) out_ += '\\';
    out_ += rest.front();
    if (is_marker || is_one_character) out_ += ' ';
    ++at_;
  }

  // Keeps the code span `…` if nothing in it could end it early or break the line.
  static std::string_view code_span(std::string_view text) {
    if (!text.starts_with('`') || text.starts_with("``")) return {};
    const std::size_t end = text.find('`', 1);
    if (end == std::string_view::npos || text.substr(end).starts_with("``")) return {};
    const std::string_view code = text.substr(1, end - 1);
    if (trimmed(code).size() != code.size() || code.contains('\\')) return {};
    return code;
  }

  static bool holds_command(std::string_view code) {
    for (std::size_t at = code.find_first_of("/?"); at != std::string_view::npos;
         at = code.find_first_of("/?", at + 1)) {
      if (!command_word_at(code, at).empty()) return true;
    }
    return false;
  }

  void put_code(std::string_view code) {
    if (out_.size() == code_end_) out_ += ' ';  // two adjacent spans would be one
    out_ += '`';
    out_.append(code) += '`';
    code_end_ = out_.size();
    at_ += code.size();
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string out_;
  std::size_t code_end_ = std::string_view::npos;  // of the last one
  std::size_t dropped_ = std::string_view::npos;   // the end of a code span that is not kept as one
};

// As many complete paragraphs, and as much of the next one, as fit.
std::string quoted_paragraphs(std::string_view text, std::size_t most) {
  std::string result;
  LineReader reader(text);
  while (const auto line = reader.next()) {
    const std::string_view words = trimmed(line->body);
    if (words.empty()) continue;
    const std::string_view gap = result.empty() ? "" : "\n\n";
    const std::size_t used = result.size() + gap.size();
    if (used >= most) break;
    std::string made = Quoting(words).run();
    const bool is_cut = made.size() > most - used;
    // A cut word may be a command now, and a cut code span a stray backtick: quote again.
    for (std::size_t room = most - used; made.size() > most - used && room > 0;
         room -= (room + 7) / 8) {
      made = Quoting(trimmed(cut_at_character(words, room))).run();
    }
    if (made.empty() || made.size() > most - used) break;
    result.append(gap).append(made);
    if (is_cut) break;
  }
  return result;
}

}  // namespace

std::vector<Range> whole_blocks(std::string_view text, MarkedBlock block) {
  return pairs_in(text, block).value_or(std::vector<Range>{});
}

BlockReading read_block(std::string_view text, MarkedBlock block) {
  const auto pairs = pairs_in(text, block);
  if (!pairs) return {.state = BlockState::broken};
  if (pairs->empty()) return {};
  const auto content_of = [&](const Range& range) {
    std::string_view content = range.of(text);
    content.remove_prefix(text_of(block, true).size());
    content.remove_suffix(text_of(block, false).size());
    return without_empty_ends(content);
  };
  BlockReading reading{.state = BlockState::whole,
                       .content = std::string(content_of(pairs->front())),
                       .range = pairs->front()};
  if (pairs->size() == 1) return reading;
  const bool are_same = std::ranges::all_of(
      *pairs, [&](const Range& range) { return is_same(content_of(range), reading.content); });
  if (!are_same) return {.state = BlockState::broken};
  reading.state = BlockState::doubled;
  return reading;
}

std::string framed(MarkedBlock block, std::string_view content) {
  std::string text(text_of(block, true));
  text.append("\n\n").append(content).append("\n\n");
  return text.append(text_of(block, false));
}

std::string canonical(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (const char c : text) {
    if (is_word_character(c) || static_cast<unsigned char>(c) >= 0x80U) kept += c;
  }
  return kept;
}

bool is_same(std::string_view a, std::string_view b) { return canonical(a) == canonical(b); }

std::string quoted(std::string_view text, std::size_t most) {
  return quoted_paragraphs(with_tame_characters(text, most, Shape::as_is), most);
}

std::string quoted_line(std::string_view text, std::size_t most) {
  std::string line = with_tame_characters(text, most, Shape::as_is);
  std::ranges::replace(line, '\n', ' ');
  return quoted_paragraphs(line, most);
}

std::string tamed(std::string_view text, std::size_t most) {
  return std::string(cut_at_character(with_tame_characters(text, most, Shape::tame), most));
}

std::string tamed_line(std::string_view text, std::size_t most) {
  const std::string line = with_tame_characters(text, most, Shape::tame_line);
  return std::string(trimmed(cut_at_character(trimmed(line), most)));
}

std::string cleaned(std::string_view text, std::size_t most) {
  return std::string(cut_at_character(with_tame_characters(text, most, Shape::as_is), most));
}

std::vector<std::string> command_like(std::string_view quoted_text) {
  std::vector<std::string> found;
  std::string plain(quoted_text);
  std::erase(plain, '`');
  const std::string_view text = plain;
  for (std::size_t at = text.find_first_of("/?"); at != std::string_view::npos;
       at = text.find_first_of("/?", at + 1)) {
    if (command_word_at(text, at).empty()) continue;
    const std::string_view rest = text.substr(at);
    for (const std::string_view end : {"\n", "\n\n"}) {
      const std::string_view words = rest.substr(0, rest.find(end));
      if (canonical(words) != canonical(leading_command_word(words))) {
        found.push_back(canonical(words));
      }
    }
  }
  return found;
}

}  // namespace tidemill::docs
