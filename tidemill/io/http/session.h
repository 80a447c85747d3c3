// Session: sends HTTP requests and waits for the responses, with libcurl. Connections are kept open
// between requests.
//
// A response with any status is a success here; judge() (response_check.h) interprets it. Failures
// are those of the connection:
//   url      invalid address or unsupported scheme                   give_up
//   socket   no file descriptor is left                              retry
//   connect  unknown host, refused, unreachable: nothing was sent    retry
//   tls      certificate not trusted; the hint names --ca-file       give_up
//   timeout  the response was not complete in time                   retry
//   cut      the connection ended before the response was complete   retry
//   answer   larger than allowed, or not HTTP                        give_up
//   stopped  by the stop token                                       resume
// After timeout and cut it is unknown whether the server acted: the caller must be able to handle
// that. A failure of kind shortage says nothing about the server. Redirects are not followed: they
// would send the secret to another host, or over plain HTTP.
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
  std::chrono::milliseconds timeout{30'000};  // for the complete exchange
  Bytes most_body = mib(16);                  // of a response
  std::string ca_file{};                      // instead of the system's certificates
  // Empty: from http_proxy and the like, but none for this machine (is_loopback()).
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

  // A stop ends it at once, in any phase.
  [[nodiscard]] Result<HttpResponse> exchange(const HttpRequest& request,
                                              const std::stop_token& stop = {});

 private:
  struct State;  // the handles of libcurl

  explicit Session(SessionOptions options);

  const SessionOptions options_;
  std::unique_ptr<State> state_;
};

}  // namespace tidemill::http
