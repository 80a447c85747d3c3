// Session: sends requests to servers and waits for the answers, over libcurl. Connections are kept
// open between requests.
//
// An answer with any status is an answer; what it means is for judge() (verdict.h). Failures are
// those of the way there and back:
//   url      no such address, no such scheme                         give_up
//   socket   no file descriptor is left for one                      retry
//   connect  no name, refused, unreachable: nothing was sent         retry
//   tls      the certificate is not trusted; the hint names --ca-file  give_up
//   timeout  the answer was not whole in time                        retry
//   cut      the connection ended before the answer was whole        retry
//   answer   larger than allowed, or no HTTP                         give_up
//   stopped  the token asked for it                                  resume
// After timeout and cut nobody knows whether the server acted: the caller's effect must bear that.
// Kind shortage says nothing of the server.
// Redirects are not followed: they would carry the secret to another place, or over plain HTTP.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/io/http/message.h"

namespace tidemill::http {

struct SessionOptions {
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds timeout{30'000};  // for the whole exchange
  Bytes most_body = mib(16);                  // of an answer
  std::string ca_file{};                      // instead of the system's
  // Empty: as http_proxy and its like say; none for this machine itself (is_loopback()).
  std::string proxy{};
  std::string agent = "tidemill";
};

// One thread.
class Session {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Session>> open(SessionOptions options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // A stop ends it at once, wherever it waits.
  [[nodiscard]] Result<Response> exchange(const Request& request, const std::stop_token& stop = {});

 private:
  struct Parts;  // libcurl's

  explicit Session(SessionOptions options);

  const SessionOptions options_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tidemill::http
