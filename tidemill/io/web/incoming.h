// Incoming: a request as the client sent it, complete. Nothing in it is decoded: `path` and `query`
// are the bytes of the request line, so compare a path as a whole, or take segments_of() it
// (path.h), and parse a query or the body of a form with parse_form() (form.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/bytes.h"

namespace tidemill::web {

// A value.
struct Incoming {
  std::string method{};                                        // an Answer sees HEAD as GET
  std::string path{};                                          // without the query
  std::vector<std::pair<std::string, std::string>> headers{};  // names in lower case
  std::string body{};
  std::string query{};  // behind the first '?', without it
  // Of a client at a Unix socket: the user that its process had when it connected.
  std::optional<std::uint32_t> peer_user{};

  // The first with this name (lower case); null when there is none.
  [[nodiscard]] const std::string* header(std::string_view name) const;
};

// How large the body of a request may be, by its method and path as they were sent. Called before
// the body is read, on the thread that serves all connections: it must be fast and not throw.
using BodyLimit = std::function<Bytes(std::string_view method, std::string_view path)>;

}  // namespace tidemill::web
