// Resolver: addresses of a host, in bounded time. A name that is a number needs no question. Any
// other is asked for by getaddrinfo() on a thread of its own, because nothing can end that call.
//
// That thread is not joined, against the rule of this project: joining would make the end of the
// program wait for a name server that does not answer. It touches nothing but its own shared state,
// and there is at most one for each resolver: while it hangs, the next question waits for it.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/patience.h"

namespace tidemill::redis {

struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

// One thread.
class Resolver {
 public:
  Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;
  ~Resolver();

  // At least one. A name that nobody knows is worth a retry: name servers come and go.
  [[nodiscard]] Result<std::vector<SocketAddress>> find(const Host& host, const Patience& patience);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace tidemill::redis
