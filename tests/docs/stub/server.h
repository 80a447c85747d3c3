// Server: the stub's sockets, on 127.0.0.1 alone.
#pragma once

#include <memory>

#include "tests/docs/stub/stub.h"

namespace tidemill::docs_stub {

// listen() belongs to one thread; stop() may be called by any.
class Server {
 public:
  explicit Server(Stub& stub);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  [[nodiscard]] int bind(int port);  // 0: any; gives the port, or -1
  void listen();                     // returns after stop(), and when no connection is left
  void stop();                       // no new ones

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace tidemill::docs_stub
