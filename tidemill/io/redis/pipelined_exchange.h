// PipelinedExchange: one pipeline on one connection, and the evaluation of its replies.
//
// Some errors are about the server and not about a command (LOADING, READONLY, …): they fail the
// pipeline. A cluster redirect can be followed only when every reply is a redirect of the same
// kind: then nothing was executed, and the complete pipeline may be sent to another node. A
// redirect among other replies, as inside MULTI and EXEC, fails the pipeline (Cure::retry): nothing
// is resent, because that would change the order.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/call_deadline.h"
#include "tidemill/io/redis/connection.h"
#include "tidemill/io/redis/redirect.h"

namespace tidemill::redis {

using Taker = std::function<void(std::size_t index, Reply& reply)>;

// One thread.
class PipelinedExchange {
 public:
  PipelinedExchange(RedisConnection& connection, const Taker& taker, bool follows)
      : connection_(connection), taker_(taker), follows_(follows) {}

  // Returns nothing when all replies were passed to the taker.
  [[nodiscard]] Result<std::optional<Redirect>> run(std::string_view bytes, std::size_t count,
                                                    const CallDeadline& deadline);

 private:
  [[nodiscard]] bool take(std::size_t index, Reply& reply);
  [[nodiscard]] bool take_error(std::size_t index, Reply& reply);
  [[nodiscard]] bool take_redirect(std::size_t index, const Redirect& redirect);
  [[nodiscard]] bool leave(Failure failure);

  RedisConnection& connection_;
  const Taker& taker_;
  bool follows_;
  std::optional<Redirect> redirect_{};
  std::optional<Failure> failure_{};
};

}  // namespace tidemill::redis
