// Asset: bytes that never change while the program runs, such as a style sheet or a script, with
// their type and ETag. They are compressed once, and a client that accepts gzip gets the compressed
// ones; bytes that do not get smaller, or for which there is no memory, are sent as they are.
#pragma once

#include <string>

#include "tidemill/io/web/incoming.h"
#include "tidemill/io/web/web_reply.h"

namespace tidemill::web {

// Immutable.
class Asset {
 public:
  Asset(std::string bytes, std::string type);  // "text/css; charset=utf-8"

  // 200, or 304 if the client has it. Add Cache-Control and the like to its headers.
  [[nodiscard]] WebReply reply_to(const Incoming& incoming) const;

 private:
  std::string bytes_;
  std::string type_;
  std::string tag_;
  std::string zipped_;  // empty: not smaller
};

// Whether Accept-Encoding names gzip, and not with q=0.
[[nodiscard]] bool accepts_gzip(const Incoming& incoming);

}  // namespace tidemill::web
