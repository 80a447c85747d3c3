// RequestReader: bytes of a client become requests of HTTP/1.1 and 1.0. It is strict where guessing
// would be wrong: what is not a request is refused with a status, and the connection is of no use
// after that. Bodies come with a Content-Length; one in chunks is refused (411), as the standard
// allows: so a request is known to be whole without being understood, and a server can wait for it
// without a thread. Bodies are handed over as they came: nothing is unpacked.
//
//   400 no request · 411 in chunks · 413 body too large · 431 head too large · 505 another version
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidemill/base/bytes.h"
#include "tidemill/io/web/listener.h"

namespace tidemill::web {

// One thread.
class RequestReader {
 public:
  static constexpr std::size_t kMostHead = std::size_t{16} << 10U;
  static constexpr std::size_t kMostHeaders = 100;

  enum class State : std::uint8_t {
    head,     // of the next request: not yet whole
    body,     // the head is whole, the body is not
    whole,    // take() it
    refused,  // with refusal(); no more is read
  };

  explicit RequestReader(Bytes most_body) : most_body_(most_body) {}

  State feed(std::string_view bytes);
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] int refusal() const { return refusal_; }
  [[nodiscard]] std::size_t held() const { return bytes_.size(); }  // in memory
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }    // nothing of a request is here

  // Of a request whose head is whole.
  [[nodiscard]] bool stays_open() const { return stays_open_; }  // the connection, after the answer
  // The client waits for "100 Continue" before it sends the body. Says so once.
  [[nodiscard]] bool wants_word();

  // The request that is whole. What came behind it is read then: all of the above is about the
  // next.
  [[nodiscard]] Incoming take();

 private:
  // False: not yet, or refused.
  bool read_head();
  bool read_first_line(std::string_view line);
  bool read_header(std::string_view line);
  bool read_meaning();
  void read_body();
  bool refuse(int status);

  Bytes most_body_;
  std::string bytes_;
  std::size_t looked_ = 0;  // where the search for the end of the head goes on
  std::size_t whole_ = 0;   // size of head and body, once it is known
  std::size_t body_at_ = 0;
  Incoming request_;
  State state_ = State::head;
  int refusal_ = 0;
  bool stays_open_ = false;
  bool wants_word_ = false;
};

}  // namespace tidemill::web
