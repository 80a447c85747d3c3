// Resolver: the addresses of a host, in bounded time. A numeric address needs no lookup. Any other
// name is looked up by getaddrinfo() on a separate thread, because that call cannot be cancelled.
//
// The thread is detached, against the rule of this project: joining it would make the program wait
// at exit for a name server that does not answer. It only touches its own shared state, and there
// is at most one per resolver: while it hangs, the next lookup waits for it.
#pragma once

#include <sys/socket.h>

#include <memory>
#include <string>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/address.h"
#include "tidemill/io/redis/call_deadline.h"

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

  // Returns at least one. An unknown name is Cure::retry: a name server may be down for a while.
  [[nodiscard]] Result<std::vector<SocketAddress>> find(const Host& host,
                                                        const CallDeadline& deadline);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace tidemill::redis
