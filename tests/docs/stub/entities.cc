#include <charconv>
#include <cstdint>
#include <map>
#include <string_view>

#include "tests/docs/stub/inline.h"
#include "tests/docs/stub/letters.h"

namespace tidemill::docs_stub {
namespace {

// Those of ASCII, for they hide markdown and commands, and those that prose has.
const std::map<std::string_view, char32_t>& entities() {
  static const std::map<std::string_view, char32_t> kEntities = {
      {"amp", U'&'},      {"lt", U'<'},       {"gt", U'>'},      {"quot", U'"'},
      {"apos", U'\''},    {"nbsp", 0xA0},     {"sol", U'/'},     {"bsol", U'\\'},
      {"ast", U'*'},      {"lowbar", U'_'},   {"grave", U'`'},   {"num", U'#'},
      {"excl", U'!'},     {"quest", U'?'},    {"colon", U':'},   {"semi", U';'},
      {"comma", U','},    {"period", U'.'},   {"plus", U'+'},    {"equals", U'='},
      {"percnt", U'%'},   {"dollar", U'$'},   {"commat", U'@'},  {"lpar", U'('},
      {"rpar", U')'},     {"lbrack", U'['},   {"lsqb", U'['},    {"rbrack", U']'},
      {"rsqb", U']'},     {"lcub", U'{'},     {"rcub", U'}'},    {"vert", U'|'},
      {"verbar", U'|'},   {"Hat", U'^'},      {"Tab", U'\t'},    {"NewLine", U'\n'},
      {"copy", 0xA9},     {"reg", 0xAE},      {"trade", 0x2122}, {"sect", 0xA7},
      {"para", 0xB6},     {"middot", 0xB7},   {"deg", 0xB0},     {"plusmn", 0xB1},
      {"times", 0xD7},    {"divide", 0xF7},   {"frac12", 0xBD},  {"euro", 0x20AC},
      {"pound", 0xA3},    {"yen", 0xA5},      {"cent", 0xA2},    {"laquo", 0xAB},
      {"raquo", 0xBB},    {"hyphen", 0x2010}, {"ndash", 0x2013}, {"mdash", 0x2014},
      {"lsquo", 0x2018},  {"rsquo", 0x2019},  {"ldquo", 0x201C}, {"rdquo", 0x201D},
      {"bull", 0x2022},   {"hellip", 0x2026}, {"ensp", 0x2002},  {"emsp", 0x2003},
      {"thinsp", 0x2009}, {"zwnj", 0x200C},   {"zwj", 0x200D},   {"shy", 0xAD},
      {"larr", 0x2190},   {"rarr", 0x2192},   {"auml", 0xE4},    {"ouml", 0xF6},
      {"uuml", 0xFC},     {"szlig", 0xDF},    {"eacute", 0xE9},  {"egrave", 0xE8},
      {"frasl", 0x2044},  {"minus", 0x2212}};
  return kEntities;
}

bool is_letter(std::uint32_t code) {
  const bool is_control =
      code < 0x20 && code != '\t' && code != '\n' && code != '\f' && code != '\r';
  return !is_control && (code < 0x7F || code > 0x9F) && (code < 0xD800 || code > 0xDFFF) &&
         code <= 0x10FFFF;
}

bool read_number(std::string_view digits, int base, std::string& decoded) {
  if (digits.empty() || digits.size() > (base == 16 ? 6U : 7U)) return false;
  std::uint32_t code = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code, base);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return false;
  add_letter(decoded, is_letter(code) ? code : 0xFFFD);
  return true;
}

}  // namespace

bool read_entity(const std::string& text, std::size_t& at, std::string& decoded) {
  const auto end = text.find(';', at);
  if (end == std::string::npos || end - at > 33) return false;
  const std::string_view name = std::string_view(text).substr(at + 1, end - at - 1);
  if (name.starts_with('#')) {
    const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    if (!read_number(name.substr(is_hex ? 2 : 1), is_hex ? 16 : 10, decoded)) return false;
  } else {
    const auto found = entities().find(name);
    if (found == entities().end()) return false;
    add_letter(decoded, found->second);
  }
  at = end + 1;
  return true;
}

}  // namespace tidemill::docs_stub
