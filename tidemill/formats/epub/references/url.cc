#include "tidemill/formats/epub/references/url.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>

#include "tidemill/formats/epub/references/percent_code.h"
#include "tidemill/formats/epub/unicode.h"
#include "tidemill/formats/epub/words.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::epub {
namespace {

// Characters stripped from both ends of a URL: more than the white space of HTML.
bool is_url_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f');
}
bool is_slash(char c) { return c == '/' || c == '\\'; }

// ASCII characters allowed in a URL without escaping.
bool is_url_character(char c) {
  constexpr std::string_view kMarks = "!$&'()*+,-./:;=?@_~";
  return is_letter(c) || is_digit(c) || kMarks.find(c) != std::string_view::npos;
}

// The same beyond ASCII: no control characters, no Unicode specials and no noncharacters.
bool is_url_letter(char32_t code) {
  const bool is_special = (code >= 0xfdd0 && code <= 0xfdef) || (code >= 0xfff0 && code <= 0xffff);
  return code >= 0xa0 && !is_special && (code & 0xfffeU) != 0xfffeU;
}

// The problem with the characters of a path, query or fragment; empty: none.
std::string_view problem_of(std::string_view text, bool backslash_is_slash) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '%') {
      if (!is_percent_code(text, at)) return "a % without two hexadecimal digits after it";
    } else if (is_beyond_ascii(c)) {
      const text::Character character = text::front_character(text.substr(at));
      if (character.length == 0 || !is_url_letter(character.code)) {
        return "a character that must be escaped";
      }
      at += character.length - 1;
    } else if (!is_url_character(c)) {
      if (c == ' ') return "a space";
      if (c == '\t' || c == '\n' || c == '\r') return "a tab or a line break";
      if (c == '\\' && backslash_is_slash) return "a backslash instead of a slash";
      return "a character that must be escaped";
    }
  }
  return {};
}

std::string without_breaks(std::string_view text) {
  std::string out;
  std::ranges::copy_if(text, std::back_inserter(out),
                       [](char c) { return c != '\t' && c != '\n' && c != '\r'; });
  return out;
}

std::string_view without_space_around(std::string_view text) {
  while (!text.empty() && is_url_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_url_space(text.back())) text.remove_suffix(1);
  return text;
}

// The scheme of an absolute URL, without its colon; nullopt: a relative URL.
std::optional<std::string_view> scheme_of(std::string_view url) {
  if (url.empty() || !is_letter(url.front())) return std::nullopt;
  for (std::size_t at = 1; at < url.size(); ++at) {
    const char c = url[at];
    if (c == ':') return url.substr(0, at);
    if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return std::nullopt;
  }
  return std::nullopt;
}

void note(LinkTarget& target, std::string_view problem) {
  if (target.problem.empty()) target.problem = problem;
}

// Removes "#…" and "?…" from the end of the URL. Opaque URLs have them too.
std::string_view take_tail(std::string_view url, LinkTarget& target) {
  if (const auto hash = url.find('#'); hash != std::string_view::npos) {
    const std::string_view fragment = url.substr(hash + 1);
    note(target, problem_of(fragment, false));
    target.has_fragment = true;
    target.fragment = percent_decoded(without_breaks(fragment));
    url = url.substr(0, hash);
  }
  if (const auto mark = url.find('?'); mark != std::string_view::npos) {
    target.query = url.substr(mark + 1);
    note(target, problem_of(target.query, false));
    target.has_query = true;
    url = url.substr(0, mark);
  }
  return url;
}

// "1.2.3.4"
bool is_ip4_address(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    const std::size_t end = part < 3 ? text.find('.') : text.size();
    if (end == 0 || end > 3 || end > text.size()) return false;
    unsigned value = 0;
    for (const char c : text.substr(0, end)) {
      if (!is_digit(c)) return false;
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    if (value > 255) return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// The number of groups in "1:2:3"; a final IPv4 address counts as two. nullopt: malformed.
std::optional<std::size_t> ip6_groups(std::string_view text) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, end);
    const bool is_last = end == text.size();
    const bool is_hex =
        !group.empty() && group.size() <= 4 && std::ranges::all_of(group, is_hex_digit);
    if (!is_hex && !(is_last && is_ip4_address(group))) return std::nullopt;
    count += is_hex ? 1 : 2;
    if (is_last) return count;
    text.remove_prefix(end + 1);
    if (text.empty()) return std::nullopt;
  }
  return count;
}

// The problem that makes a host name invalid; empty: it is valid.
std::string_view problem_of_host(std::string_view host) {
  if (host.empty()) return "there is no host";
  if (host.front() == '[') {
    if (host.back() != ']') return "a [ is not closed";
    return is_ip6_address(host.substr(1, host.size() - 2)) ? std::string_view{}
                                                           : "not an IPv6 address";
  }
  const std::string decoded = percent_decoded(host);
  constexpr std::string_view kForbidden = " #%/:?@[\\]";
  for (const char c : decoded) {
    if (c == ' ') return "a space in the host";
    if (c == '\0' || kForbidden.find(c) != std::string_view::npos) {
      return "a character that is not allowed in a host";
    }
  }
  if (decoded.front() == '.' || decoded.find("..") != std::string::npos) {
    return "an empty part in the host name";
  }
  return {};
}

// The digits after the host's colon. False: not a port.
bool read_port(std::string_view port, LinkTarget& target) {
  unsigned value = 0;
  for (const char c : port) {
    if (c == '\t' || c == '\n' || c == '\r') {
      note(target, "a tab or a line break");
      continue;
    }
    if (!is_digit(c)) return false;
    value = std::min(value * 10 + static_cast<unsigned>(c - '0'), 100'000U);
  }
  if (value > 65'535) note(target, "a port above 65535");
  return true;
}

LinkTarget& give_up(LinkTarget& target, std::string_view problem) {
  target.kind = LinkTarget::Kind::malformed;
  target.problem = problem;
  return target;
}

// "host:port/path" of http and similar schemes, without the leading slashes.
void read_authority(std::string_view rest, LinkTarget& target) {
  const std::size_t end = std::min(rest.find_first_of("/\\"), rest.size());
  std::string_view authority = rest.substr(0, end);
  const std::string_view path = rest.substr(end);
  note(target, problem_of(path, true));
  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    if (authority.find('@') != at) note(target, "two @ before the host");
    note(target, problem_of(authority.substr(0, at), false));
    authority.remove_prefix(at + 1);
  }
  const auto bracket = authority.rfind(']');
  const auto colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  const std::string host = without_breaks(authority.substr(0, colon));
  if (host.size() != std::min(colon, authority.size())) note(target, "a tab or a line break");
  if (const auto problem = problem_of_host(host); !problem.empty()) {
    give_up(target, problem);
    return;
  }
  if (colon != std::string_view::npos && !read_port(authority.substr(colon + 1), target)) {
    give_up(target, "a port that is not a number");
    return;
  }
  target.path = target.scheme + "://" + lowered(authority);
  target.path += path.empty() ? std::string("/") : without_breaks(path);
  if (target.has_query) target.path += "?" + target.query;
}

// http, https, ftp, ws: "//host…" follows the colon; any other number of slashes is accepted and
// noted as a problem.
void read_network(std::string_view rest, LinkTarget& target) {
  rest = take_tail(rest, target);
  target.kind = LinkTarget::Kind::remote;
  std::size_t slashes = 0;
  while (slashes < rest.size() && is_slash(rest[slashes])) ++slashes;
  if (!rest.starts_with("//")) note(target, "there is no // before the host");
  if (slashes > 2) note(target, "more than two slashes before the host");
  read_authority(rest.substr(slashes), target);
}

void read_data(std::string_view rest, LinkTarget& target) {
  target.kind = LinkTarget::Kind::data;
  std::string packed;  // data: URLs may contain white space for readability
  std::ranges::copy_if(rest, std::back_inserter(packed), [](char c) { return !is_url_space(c); });
  const std::string_view body = take_tail(packed, target);
  note(target, problem_of(body, false));
  target.path = lowered(body.substr(0, body.find_first_of(",;")));
}

// "file:/a" is "file:///a"; with two slashes a host follows.
std::string file_url(std::string_view body) {
  const std::size_t slashes = std::min(body.find_first_not_of("/\\"), body.size());
  return std::string(slashes == 2 ? "file://" : "file:///") + std::string(body.substr(slashes));
}

void read_opaque(std::string_view rest, LinkTarget& target) {
  const bool is_file = target.scheme == "file";
  target.kind = is_file ? LinkTarget::Kind::file : LinkTarget::Kind::other;
  const std::string_view body = take_tail(rest, target);
  note(target, problem_of(body, is_file));
  target.path = is_file ? file_url(body) : target.scheme + ":" + std::string(body);
  if (target.has_query) target.path += "?" + target.query;
}

// A "." or ".." segment in any of its spellings.
enum class Dots : std::uint8_t { none, here, up };
Dots dots_of(std::string_view segment) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < segment.size(); ++count) {
    if (segment[at] == '.') {
      ++at;
    } else if (segment.size() - at >= 3 && segment[at] == '%' && segment[at + 1] == '2' &&
               lower(segment[at + 2]) == 'e') {
      at += 3;
    } else {
      return Dots::none;
    }
  }
  return count == 1 ? Dots::here : count == 2 ? Dots::up : Dots::none;
}

// Appends a relative path to the folder in target.path ("" or "a/b/").
void walk(std::string_view path, LinkTarget& target) {
  while (true) {
    const std::size_t end = std::min(path.find_first_of("/\\"), path.size());
    const bool is_last = end == path.size();
    const std::string segment = without_breaks(path.substr(0, end));
    switch (dots_of(segment)) {
      case Dots::up:
        if (target.path.empty()) {
          target.leaks = true;
        } else {
          target.path.pop_back();
          target.path.resize(target.path.rfind('/') + 1);  // npos + 1 is 0
        }
        break;
      case Dots::here:
        break;
      case Dots::none:
        target.path += percent_decoded(segment);
        if (!is_last) target.path += '/';
    }
    if (is_last) return;
    path.remove_prefix(end + 1);
  }
}

void read_relative(std::string_view url, std::string_view base, LinkTarget& target) {
  url = take_tail(url, target);
  note(target, problem_of(url, true));
  if (url.empty()) {
    target.path = base;
    return;
  }
  if (is_slash(url.front())) {
    target.leaks = true;
    url.remove_prefix(1);
  } else {
    target.path = base.substr(0, base.rfind('/') + 1);
  }
  walk(url, target);
  target.path = composed(target.path);
}

bool is_network(std::string_view scheme) {
  constexpr std::array<std::string_view, 5> kSchemes = {"http", "https", "ftp", "ws", "wss"};
  return std::ranges::find(kSchemes, scheme) != kSchemes.end();
}

// Resolves a relative URL against a remote base.
LinkTarget resolve_remote(std::string_view url, std::string_view base, std::string_view scheme) {
  LinkTarget target;
  target.scheme = lowered(scheme);
  target.kind = is_network(target.scheme) ? LinkTarget::Kind::remote
                : target.scheme == "file" ? LinkTarget::Kind::file
                                          : LinkTarget::Kind::other;
  url = take_tail(url, target);
  note(target, problem_of(url, true));
  target.path = std::string(base.substr(0, base.rfind('/') + 1)) + std::string(url);
  return target;
}

}  // namespace

bool is_ip6_address(std::string_view text) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return ip6_groups(text) == 8;
  const auto before = ip6_groups(text.substr(0, gap));
  const auto behind = ip6_groups(text.substr(gap + 2));
  return before && behind && *before + *behind < 8;
}

LinkTarget resolve(std::string_view url, std::string_view base) {
  url = without_space_around(url);
  LinkTarget target;
  if (const auto scheme = scheme_of(url)) {
    target.scheme = lowered(*scheme);
    const std::string_view rest = url.substr(scheme->size() + 1);
    if (is_network(target.scheme)) {
      read_network(rest, target);
      if (target.kind == LinkTarget::Kind::remote && target.scheme != "http" &&
          target.scheme != "https") {
        target.kind = LinkTarget::Kind::other;
      }
    } else if (target.scheme == "data") {
      read_data(rest, target);
    } else {
      read_opaque(rest, target);
    }
    return target;
  }
  if (url.size() >= 2 && is_slash(url[0]) && is_slash(url[1])) {
    target.scheme = "https";
    read_network(url, target);
    return target;
  }
  if (const auto scheme = scheme_of(base)) return resolve_remote(url, base, *scheme);
  read_relative(url, base, target);
  return target;
}

}  // namespace tidemill::epub
