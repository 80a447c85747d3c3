#include "tidemill/formats/text/shell.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "tidemill/formats/text/printable.h"

namespace tidemill::text {
namespace {

constexpr std::string_view kLettersAndDigits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

// Some words need quotes in command position: a=b is an assignment there, %1 a job in bash.
bool is_plain_command(std::string_view word) {
  constexpr std::array<std::string_view, 23> kReserved = {
      "-",    "case", "coproc",    "do",     "done",    "elif",  "else",   "end",
      "esac", "fi",   "for",       "if",     "foreach", "in",    "select", "function",
      "then", "time", "nocorrect", "noglob", "repeat",  "until", "while"};
  return word.find_first_of("=%:,@") == word.npos &&
         std::ranges::find(kReserved, word) == kReserved.end();
}

bool is_plain(std::string_view word, bool is_command) {
  static constexpr std::string_view kHarmless = "_-./=:,@%+";
  const auto is_harmless = [](char c) {
    return kLettersAndDigits.contains(c) || kHarmless.contains(c);
  };
  if (word == "{}") return !is_command;
  if (word.empty() || word.front() == '=') return false;  // zsh: =ls is the path of ls
  return std::ranges::all_of(word, is_harmless) && (!is_command || is_plain_command(word));
}

// A backslash is harmless: printable() doubles it only to be reversible. It is replaced rather than
// removed, because the bytes around it could join into one printable character.
bool can_be_shown(std::string_view word) {
  std::string plain(word);
  std::ranges::replace(plain, '\\', '/');
  return printable(plain) == plain;
}

// Quotes any bytes for any shell.
std::string quoted(std::string_view word, bool is_command) {
  if (is_plain(word, is_command)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// \ooo is the only escape for arbitrary bytes that every printf supports. It does not work for a
// percent sign: dash resolves escapes before it parses conversions.
std::string escape(char c) {
  if (c == '%') return "%%";
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (c == '\r') return "\\r";
  if (c == '\\') return "\\\\";
  const auto byte = static_cast<unsigned char>(c);
  const auto digit = [&](unsigned shift) {
    return static_cast<char>('0' + ((byte >> shift) & 7U));
  };
  return {'\\', digit(6), digit(3), digit(0)};
}

// "$(printf …)" that yields these bytes. The shell strips newlines at the end.
std::string printed(std::string_view bytes) {
  constexpr std::string_view kHarmless = " _-./=:,@+";
  std::string text = "\"$(printf '";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char c = bytes[i];
    const bool is_option = i == 0 && c == '-';
    const bool is_harmless = kLettersAndDigits.contains(c) || kHarmless.contains(c);
    text += is_harmless && !is_option ? std::string(1, c) : escape(c);
  }
  return text + "')\"";
}

}  // namespace

std::string shell_line(std::span<const std::string> words) {
  const bool is_cut =
      std::ranges::any_of(words, [](const std::string& word) { return word.ends_with('\n'); });
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) line += ' ';
    const bool is_raw = is_cut || can_be_shown(words[i]);
    line += is_raw ? quoted(words[i], i == 0) : printed(words[i]);
  }
  return is_cut ? "eval " + printed(line) : line;
}

}  // namespace tidemill::text
