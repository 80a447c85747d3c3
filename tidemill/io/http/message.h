// HttpRequest and HttpResponse: one HTTP exchange, as values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tidemill::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method = "POST";
  std::string url{};  // http:// or https://
  Headers headers{};
  std::string body{};
};

struct HttpResponse {
  int status = 0;
  Headers headers{};  // names in lower case
  std::string body{};

  // The first with this name (lower case); null when there is none.
  [[nodiscard]] const std::string* header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return &value;
    }
    return nullptr;
  }
};

}  // namespace tidemill::http
