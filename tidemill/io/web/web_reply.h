// WebReply: what a client is answered, and how conditional requests are. A reply whose headers
// could be read as something else is never sent: the client gets a 500 without them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/io/web/incoming.h"

namespace tidemill::web {

// A value.
struct WebReply {
  int status = 200;
  std::string body{};
  std::string allow{};                             // for a 405: the supported methods
  std::string type = "text/plain; charset=utf-8";  // of a body that is not empty
  // More headers: ETag, Location, Set-Cookie, Cache-Control, Content-Security-Policy, … Names are
  // tokens and values have no control characters. Those about the body and the connection
  // (Content-Length, Content-Type, Connection, Transfer-Encoding, …) are ours.
  std::vector<std::pair<std::string, std::string>> headers{};
};

// Adds the ETag to a reply. A client that names it in If-None-Match is answered 304, with all
// headers and without the body. `tag` has no quotes: visible ASCII characters but '"'.
[[nodiscard]] WebReply with_etag(const Incoming& incoming, std::string_view tag, WebReply reply);

// Whether If-None-Match contains this tag, or is "*". Weak and strong tags compare equal.
[[nodiscard]] bool knows_etag(const Incoming& incoming, std::string_view tag);

// A tag for these bytes: 64 bits of a hash (not a cryptographic one), and their number.
[[nodiscard]] std::string etag_of(std::string_view bytes);

// The bytes to send. Without its body (HEAD), the length is still that of the body.
[[nodiscard]] std::string bytes_of(const WebReply& reply, bool stays_open, bool has_body);

}  // namespace tidemill::web
