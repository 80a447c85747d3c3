// Arrival: an answer while it comes in, piece by piece. It never grows above its limits: what says
// false took nothing, and the answer is not wanted any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidemill/base/bytes.h"
#include "tidemill/io/http/field.h"
#include "tidemill/io/http/message.h"

namespace tidemill::http {

// One thread.
class Arrival {
 public:
  static constexpr std::size_t kMostHeaders = std::size_t{64} << 10U;

  explicit Arrival(Bytes most_body) : most_body_(most_body.count) {}

  // One line, its end included; a status line too.
  [[nodiscard]] bool add_header(std::string_view line) {
    is_too_large_ = is_too_large_ || line.size() > kMostHeaders - header_bytes_;
    if (is_too_large_) return false;
    header_bytes_ += line.size();  // of all blocks: a server may send 100 for ever
    auto& headers = response.headers;
    if (line.starts_with("HTTP/")) {  // what came before was a 100 or another word in between
      headers.clear();
    } else if (line.starts_with(' ') || line.starts_with('\t')) {  // the old way to go on
      const auto rest = trimmed(line);
      if (!headers.empty() && !rest.empty()) headers.back().second.append(" ").append(rest);
    } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
      headers.emplace_back(lower(trimmed(line.substr(0, colon))), trimmed(line.substr(colon + 1)));
    }
    return true;
  }

  [[nodiscard]] bool add_body(std::string_view part) {
    is_too_large_ = is_too_large_ || part.size() > most_body_ - response.body.size();
    if (is_too_large_) return false;
    response.body.append(part);
    return true;
  }

  [[nodiscard]] bool is_too_large() const { return is_too_large_; }

  Response response{};

 private:
  std::uint64_t most_body_;
  std::size_t header_bytes_ = 0;
  bool is_too_large_ = false;
};

}  // namespace tidemill::http
