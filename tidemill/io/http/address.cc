#include "tidemill/io/http/address.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "tidemill/io/http/field.h"

namespace tidemill::http {
namespace {

struct Free {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
  void operator()(char* text) const { curl_free(text); }
};

std::unexpected<Failure> refuse(std::string reason) {
  return fail(Cure::give_up, "url", std::move(reason));
}

std::string part_of(CURLU* url, CURLUPart which) {
  char* found = nullptr;
  curl_url_get(url, which, &found, CURLU_DEFAULT_PORT);
  const std::unique_ptr<char, Free> text(found);
  return text ? text.get() : "";
}

// The host of a proxy, which may have no scheme or one other than HTTP.
std::string host_of(const std::string& proxy) {
  const std::unique_ptr<CURLU, Free> url(curl_url());
  constexpr unsigned kAnyScheme = CURLU_DEFAULT_SCHEME | CURLU_NON_SUPPORT_SCHEME;
  if (curl_url_set(url.get(), CURLUPART_URL, proxy.c_str(), kAnyScheme) != CURLUE_OK) return "";
  return part_of(url.get(), CURLUPART_HOST);
}

}  // namespace

Result<HttpAddress> address_of(const std::string& url) {
  if (std::ranges::any_of(url, [](unsigned char c) { return c <= ' ' || c == 0x7f; })) {
    return refuse("the address contains a space or a control character");
  }
  const std::string start = lower(std::string_view(url).substr(0, 8));
  if (!start.starts_with("http://") && !start.starts_with("https://")) {
    return refuse("the address does not start with http:// or https://");
  }
  const std::unique_ptr<CURLU, Free> parts(curl_url());
  if (const auto code = curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), 0);
      code != CURLUE_OK) {
    return refuse(std::string("not a valid address: ") + curl_url_strerror(code));
  }
  return HttpAddress{.host = part_of(parts.get(), CURLUPART_HOST),
                     .port = part_of(parts.get(), CURLUPART_PORT),
                     .is_encrypted = start == "https://",
                     .has_user = !part_of(parts.get(), CURLUPART_USER).empty() ||
                                 !part_of(parts.get(), CURLUPART_PASSWORD).empty()};
}

bool is_loopback(std::string_view host) {
  if (lower(host) == "localhost") return true;
  in_addr four{};
  if (inet_pton(AF_INET, std::string(host).c_str(), &four) == 1) {
    return ntohl(four.s_addr) >> 24U == 127;
  }
  if (!host.starts_with('[') || !host.ends_with(']')) return false;
  in6_addr six{};
  if (inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &six) != 1) {
    return false;
  }
  return IN6_IS_ADDR_LOOPBACK(&six) != 0 ||
         (IN6_IS_ADDR_V4MAPPED(&six) != 0 && six.s6_addr[12] == 127);
}

bool is_exposed(const std::string& url, const std::string& proxy) {
  const auto address = address_of(url);
  if (!address || address->is_encrypted) return false;
  const bool stays_here =
      is_loopback(address->host) && (proxy.empty() || is_loopback(host_of(proxy)));
  return !stays_here;
}

}  // namespace tidemill::http
