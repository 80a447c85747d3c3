#include "tidemill/app/serve/access_gate.h"

#include <algorithm>
#include <string_view>

#include "tidemill/app/serve/serve_address.h"
#include "tidemill/app/serve/serve_token.h"

namespace tidemill::app {
namespace {

// The value of this cookie in a header "a=1; b=2"; the first counts.
std::string_view cookie_value(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::string_view one = header.substr(0, header.find(';'));
    header.remove_prefix(std::min(one.size() + 1, header.size()));
    const auto begin = std::min(one.find_first_not_of(' '), one.size());
    const std::string_view pair = one.substr(begin);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      return pair.substr(name.size() + 1);
    }
  }
  return {};
}

// Browsers say since 2020 (Safari: 2023) who asks. What is no browser says nothing.
bool is_of_another_site(const web::Incoming& incoming) {
  const std::string* site = incoming.header("sec-fetch-site");
  if (site == nullptr || *site == "same-origin" || *site == "none") return false;
  const std::string* mode = incoming.header("sec-fetch-mode");
  return mode == nullptr || *mode != "navigate";
}

}  // namespace

std::string AccessGate::cookie_name() const {
  // Cookies are shared by all ports of a host.
  return "tidemill-" + std::to_string(port_);
}

std::string AccessGate::cookie() const {
  return cookie_name() + "=" + token_ + "; HttpOnly; SameSite=Strict; Path=/";
}

GateAnswer AccessGate::check_host(const web::Incoming& incoming) const {
  const std::string* host = incoming.header("host");
  const bool is_ours = host != nullptr && is_own_host(*host, port_);
  return is_ours ? GateAnswer::granted : GateAnswer::foreign_host;
}

GateAnswer AccessGate::check(const web::Incoming& incoming, const web::Form& query) const {
  if (check_host(incoming) != GateAnswer::granted) return GateAnswer::foreign_host;
  if (is_of_another_site(incoming)) return GateAnswer::foreign_site;
  const std::string* header = incoming.header("cookie");
  const std::string* shown = query.value("token");
  const std::string name = cookie_name();
  const bool has_cookie =
      is_same_token(header == nullptr ? std::string_view() : cookie_value(*header, name), token_);
  const bool has_shown = is_same_token(shown == nullptr ? std::string_view() : *shown, token_);
  if (has_shown) return GateAnswer::first_visit;
  return has_cookie ? GateAnswer::granted : GateAnswer::no_token;
}

}  // namespace tidemill::app
