// What a reference in a book points to. A book is its own small world: its root is the root of the
// archive, and a reference either stays inside, or is remote, or is none of a book's business.
//
// URLs are read as browsers read them (the URL Standard), so a bad one is mostly still understood;
// `problem` says what is wrong with it, whether it was understood or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tidemill::epub {

struct Target {
  enum class Kind : std::uint8_t {
    inside,    // path is an entry's name
    remote,    // http, https
    data,      // data:
    file,      // file:
    other,     // mailto:, tel:, javascript:, an unknown scheme
    malformed  // cannot be understood at all; problem says why
  };
  Kind kind = Kind::inside;
  std::string scheme{};  // lower case; empty: relative
  // Of inside: percent-decoded, without dots, composed, relative to the root of the archive. Of the
  // others: the URL without its fragment, scheme and host in lower case (of data: only its media
  // type).
  std::string path{};
  std::string fragment{};  // decoded, without '#'
  std::string query{};
  bool has_fragment = false;
  bool has_query = false;
  bool leaks = false;  // has more ".." than folders, or begins with '/': path is what is left of it
  std::string_view problem{};  // empty: a valid URL. Not empty is RSC-020, whatever the kind

  // Neither in the book nor in the URL itself.
  [[nodiscard]] bool is_outside() const {
    return kind == Kind::remote || kind == Kind::file || kind == Kind::other;
  }

  bool operator==(const Target&) const = default;
};

// The address that stands in brackets as a host.
[[nodiscard]] bool is_ip6_address(std::string_view text);

// The URL as it stands in an attribute or in CSS, in the entry `base`. An empty one is the entry
// itself. A base that is a URL with a scheme (of xml:base, <base href>) makes all relative ones
// remote.
[[nodiscard]] Target resolve(std::string_view url, std::string_view base);

}  // namespace tidemill::epub
