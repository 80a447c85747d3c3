// RequestReader: parses the bytes of a client into HTTP/1.1 and 1.0 requests. It does not guess: an
// invalid request is refused with a status, and the connection must not be used after that. Bodies
// need a Content-Length; a chunked body is refused (411), as the standard allows, so that a request
// is known to be complete without decoding and a server can wait for it without a thread. Bodies
// are passed on unchanged: nothing is decompressed.
//
//   400 invalid · 411 chunked · 413 body too large · 431 head too large · 505 unsupported version
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/bytes.h"
#include "tidemill/io/web/incoming.h"

namespace tidemill::web {

// One thread.
class RequestReader {
 public:
  static constexpr std::size_t kMostHead = std::size_t{16} << 10U;
  static constexpr std::size_t kMostHeaders = 100;

  enum class State : std::uint8_t {
    head,     // the head of the next request is incomplete
    body,     // the head is complete, the body is not
    whole,    // complete: call take()
    refused,  // see refusal(); no more is read
  };

  // most_body_of may lower most_body for some requests; empty: for none.
  explicit RequestReader(Bytes most_body, BodyLimit most_body_of = {})
      : most_body_(most_body), most_body_of_(std::move(most_body_of)) {}

  State feed(std::string_view bytes);
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] int refusal() const { return refusal_; }
  [[nodiscard]] std::size_t held() const { return bytes_.size(); }  // bytes in memory
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }    // no part of a request

  // Valid once the head is complete.
  [[nodiscard]] bool stays_open() const { return stays_open_; }  // keep-alive
  // The client waits for "100 Continue" before it sends the body. True once per request.
  [[nodiscard]] bool wants_word();

  // Returns the complete request and parses the bytes after it: the state is then that of the next
  // request.
  [[nodiscard]] Incoming take();

 private:
  // False: incomplete or refused.
  bool read_head();
  bool read_first_line(std::string_view line);
  bool read_header(std::string_view line);
  bool interpret_headers();
  void read_body();
  bool refuse(int status);

  [[nodiscard]] Bytes body_limit() const;

  Bytes most_body_;
  BodyLimit most_body_of_;
  std::string bytes_;
  std::size_t looked_ = 0;  // where the search for the end of the head continues
  std::size_t whole_ = 0;   // size of head and body, once known
  std::size_t body_at_ = 0;
  Incoming request_;
  State state_ = State::head;
  int refusal_ = 0;
  bool stays_open_ = false;
  bool wants_word_ = false;
};

}  // namespace tidemill::web
