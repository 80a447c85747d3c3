// Resolves a URL in a book to its target. The root of the archive is the root of the book; a target
// is inside the book, remote, or of another kind (data:, file:, mailto:, …).
//
// URLs are parsed as in browsers (the URL Standard), so most invalid URLs still resolve; `problem`
// says what is wrong with the URL, whether it resolved or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::epub {

struct LinkTarget {
  enum class Kind : std::uint8_t {
    inside,    // path is an entry's name
    remote,    // http, https
    data,      // data:
    file,      // file:
    other,     // mailto:, tel:, javascript:, an unknown scheme
    malformed  // cannot be parsed; problem says why
  };
  Kind kind = Kind::inside;
  std::string scheme{};  // lower case; empty: relative
  // inside: percent-decoded, "." and ".." resolved, NFC, relative to the root of the archive.
  // Other kinds: the URL without its fragment, scheme and host in lower case (data: the media type
  // only).
  std::string path{};
  std::string fragment{};  // decoded, without '#'
  std::string query{};
  bool has_fragment = false;
  bool has_query = false;
  bool leaks = false;          // more ".." than folders, or a leading '/'; path is what remains
  std::string_view problem{};  // empty: a valid URL; otherwise RSC-020, whatever the kind

  // The target is neither an entry of the book nor data in the URL itself.
  [[nodiscard]] bool is_outside() const {
    return kind == Kind::remote || kind == Kind::file || kind == Kind::other;
  }

  bool operator==(const LinkTarget&) const = default;
};

// The text is an IPv6 address, without the brackets it has as a host.
[[nodiscard]] bool is_ip6_address(std::string_view text);

// Resolves a URL from an attribute or from CSS in the entry `base`. An empty URL is the entry
// itself. If the base has a scheme (from xml:base or <base href>), relative URLs are remote.
[[nodiscard]] LinkTarget resolve(std::string_view url, std::string_view base);

}  // namespace tidemill::epub
