// AccessGate: who may read the pages. A browser shows the token once, in the URL that `serve`
// prints, and has a cookie from then on.
//
// What it keeps out: other users and programs of this machine, which do not have the token; a page
// of another site that a browser of the user has open, which cannot read the cookie and has none
// sent along (SameSite); the same under a name that was pointed at 127.0.0.1 (DNS rebinding), by
// the Host header. Whatever is wrong, the answer is the same and takes the same time.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tidemill/io/web/form.h"
#include "tidemill/io/web/incoming.h"

namespace tidemill::app {

enum class GateAnswer : std::uint8_t {
  granted,
  first_visit,  // with the token in the URL: to be given the cookie, and sent to the URL without it
  no_token,
  foreign_host,  // the Host header names another machine or port
  foreign_site,  // a page of another origin asks, and does not just link to us
};

// Thread-safe.
class AccessGate {
 public:
  // port: 0 at a Unix socket, where the client or a proxy chooses the name.
  AccessGate(std::string token, std::uint16_t port) : token_(std::move(token)), port_(port) {}

  // For everything, also what needs no token: `foreign_host` or `granted`.
  [[nodiscard]] GateAnswer check_host(const web::Incoming& incoming) const;
  // For everything that shows data.
  [[nodiscard]] GateAnswer check(const web::Incoming& incoming, const web::Form& query) const;

  [[nodiscard]] std::string cookie() const;  // the value of Set-Cookie

 private:
  [[nodiscard]] std::string cookie_name() const;

  std::string token_;
  std::uint16_t port_;
};

}  // namespace tidemill::app
