#include "tidemill/jobs/docs/blocks.h"

#include <algorithm>
#include <utility>

#include "tidemill/jobs/docs/commands.h"
#include "tidemill/jobs/docs/markdown.h"
#include "tidemill/text/utf8.h"

namespace tidemill::docs {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

const Place& place_of(const Places& places, Block block) {
  return places.blocks.at(static_cast<std::size_t>(block));
}

std::string framed(Block block, std::string_view content) {
  std::string text(text_of(Marker{.block = block, .is_start = true}));
  text.append("\n").append(content).append("\n");
  text.append(text_of(Marker{.block = block, .is_start = false}));
  return text;
}

// The text with something put in at `at`, an empty line before and behind it.
std::string put_in(std::string_view text, std::size_t at, std::string_view what) {
  const std::string_view before = text.substr(0, at);
  const std::string_view behind = text.substr(at);
  std::string result(before);
  if (!before.empty()) {
    if (!before.ends_with('\n')) result += '\n';
    if (!before.ends_with("\n\n") && !before.ends_with("\n\r\n")) result += '\n';
  }
  result.append(what).append("\n");
  if (!behind.empty()) result.append("\n").append(behind);
  return result;
}

// What stands for a character: itself, nothing, or something tamer.
std::string_view stand_in(char32_t code, std::string_view character) {
  if (code == '\n' || code == 0x85 || code == 0x2028 || code == 0x2029) return "\n";
  if (code == '\t') return "    ";
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return {};
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return {};
  if (code == 0xfeff) return {};  // the byte order mark, which some reader may take away
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

// Stops once there is more than `most`: who cuts sees that there was more.
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

// Of valid UTF-8: at most `most` bytes, whole characters.
std::string_view cut_at_character(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  return text.substr(0, most);
}

bool is_ours(std::string_view line) {
  return parse_command(line).has_value() || marker_of(line).has_value();
}

// As much from the front as fits with every backslash that it may need.
std::string_view what_fits(std::string_view text, std::size_t most) {
  std::size_t used = 0;
  LineReader reader(text);
  while (const auto line = reader.next()) {
    const bool may_grow = is_ours(line->body) || fence_of(line->body);
    const std::size_t size = line->size() + (may_grow ? 1 : 0);
    if (size > most - used) {  // what is left of a line that is cut may be a command
      const std::size_t room = std::max<std::size_t>(most - used, 1) - 1;
      return text.substr(0, line->start + cut_at_character(text.substr(line->start), room).size());
    }
    used += size;
  }
  return text;
}

// Commands and markers get their backslash in code as well: whether it is code depends on what the
// text is put behind. Behind a fence that is never closed no other may be one either.
std::string escaped(std::string_view text) {
  const std::size_t never_closed = places_in(text).open_fence.value_or(text.size());
  std::string result;
  result.reserve(text.size() + 8);
  LineReader reader(text);
  while (const auto line = reader.next()) {
    const auto fence = line->start >= never_closed ? fence_of(line->body) : std::nullopt;
    std::size_t plain = line->body.size();
    if (is_ours(line->body)) plain = margin_of(line->body).value_or(0);
    if (fence) plain = fence->at;
    result.append(line->body.substr(0, plain));
    if (plain < line->body.size()) result += '\\';
    result.append(line->body.substr(plain)).append(line->end);
  }
  return result;
}

}  // namespace

BlockReading read_block(std::string_view text, Block block) {
  const Places places = places_in(text);
  const Place& place = place_of(places, block);
  if (place.state != BlockState::whole) return {.state = place.state, .content = {}};
  std::string_view content = text.substr(place.start, place.end - place.start);
  if (content.ends_with('\n')) content.remove_suffix(1);
  if (content.ends_with('\r')) content.remove_suffix(1);
  return {.state = BlockState::whole, .content = std::string(content)};
}

std::optional<std::string> with_block(std::string_view text, Block block,
                                      std::string_view content) {
  const Places places = places_in(text);
  const Place& place = place_of(places, block);
  if (place.state == BlockState::broken) return std::nullopt;
  if (place.state == BlockState::none) {
    const std::size_t end = places.open_fence.value_or(text.size());
    return put_in(text, block == Block::summary ? 0 : end, framed(block, content));
  }
  std::string result(text.substr(0, place.start));
  result.append(content).append("\n").append(text.substr(place.end));
  return result;
}

std::string tamed(std::string_view text, std::size_t most) {
  return escaped(what_fits(with_tame_characters(text, most, Shape::tame), most));
}

std::string tamed_line(std::string_view text, std::size_t most) {
  const std::string line = with_tame_characters(text, most, Shape::tame_line);
  return escaped(trimmed(what_fits(trimmed(line), most)));
}

std::string cleaned(std::string_view text, std::size_t most) {
  return std::string(cut_at_character(with_tame_characters(text, most, Shape::as_is), most));
}

}  // namespace tidemill::docs
