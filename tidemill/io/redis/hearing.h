// Hearing: one pipeline on one connection, and what the replies as a whole mean.
//
// Some errors are not about a command but about the server (LOADING, READONLY, …): they end the
// whole. A redirect of a cluster is good news only when every reply is one of the same kind: then
// nothing was carried out, and all of it may be sent elsewhere. A redirect among other replies, as
// inside of MULTI and EXEC, ends the whole (Cure::retry): nothing of it is sent again, because that
// would change its order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/connection.h"
#include "tidemill/io/redis/patience.h"
#include "tidemill/io/redis/redirect.h"

namespace tidemill::redis {

using Taker = std::function<void(std::size_t index, Reply& reply)>;

// One thread.
class Hearing {
 public:
  Hearing(Connection& connection, const Taker& taker, bool follows)
      : connection_(connection), taker_(taker), follows_(follows) {}

  // Nothing: all replies were taken.
  [[nodiscard]] Result<std::optional<Redirect>> run(std::string_view bytes, std::size_t count,
                                                    const Patience& patience);

 private:
  [[nodiscard]] bool take(std::size_t index, Reply& reply);
  [[nodiscard]] bool take_error(std::size_t index, Reply& reply);
  [[nodiscard]] bool take_redirect(std::size_t index, const Redirect& redirect);
  [[nodiscard]] bool leave(Failure failure);

  Connection& connection_;
  const Taker& taker_;
  bool follows_;
  std::optional<Redirect> redirect_{};
  std::optional<Failure> failure_{};
};

}  // namespace tidemill::redis
