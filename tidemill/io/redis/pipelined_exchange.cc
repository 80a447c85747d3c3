#include "tidemill/io/redis/pipelined_exchange.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/redis/client.h"

namespace tidemill::redis {
namespace {

bool is_about_the_server(std::string_view error) {
  constexpr std::array<std::string_view, 4> kWords = {"LOADING ", "READONLY ", "MASTERDOWN ",
                                                      "CLUSTERDOWN "};
  // Older servers wrap errors from scripts.
  if (error.starts_with("ERR ") && error.contains("-READONLY ")) return true;
  return std::ranges::any_of(kWords,
                             [&](std::string_view word) { return error.starts_with(word); });
}

}  // namespace

Result<std::optional<Redirect>> PipelinedExchange::run(std::string_view bytes, std::size_t count,
                                                       const CallDeadline& deadline) {
  TRY(connection_.exchange(
      bytes, count, [this](std::size_t index, Reply& reply) { return take(index, reply); },
      deadline));
  if (failure_) return std::unexpected(*std::move(failure_));
  if (redirect_ && redirect_->host.name.empty()) {
    redirect_->host.name = connection_.endpoint().host.name;
  }
  return redirect_;
}

bool PipelinedExchange::take(std::size_t index, Reply& reply) {
  if (reply.is_error()) return take_error(index, reply);
  if (redirect_) {
    return leave(
        fail(Cure::retry, connection_.name() + ": the keys moved during a pipeline").error());
  }
  taker_(index, reply);
  return true;
}

bool PipelinedExchange::take_error(std::size_t index, Reply& reply) {
  if (is_about_the_server(reply.text)) return leave(failure_of(reply.text, connection_.name()));
  if (const auto redirect = redirect_of(reply.text)) return take_redirect(index, *redirect);
  if (redirect_) return leave(failure_of(reply.text, connection_.name()));
  taker_(index, reply);
  return true;
}

bool PipelinedExchange::take_redirect(std::size_t index, const Redirect& redirect) {
  if (!follows_) {
    Failure failure =
        fail(Cure::give_up, connection_.name() + ": the keys are on another node").error();
    failure.hint = "use redis+cluster:// for a cluster";
    return leave(std::move(failure));
  }
  const bool fits = redirect_ ? redirect_->is_for_good == redirect.is_for_good : index == 0;
  if (!fits) {
    return leave(
        fail(Cure::retry, connection_.name() + ": the keys moved during a pipeline").error());
  }
  redirect_ = redirect;
  return true;
}

bool PipelinedExchange::leave(Failure failure) {
  failure_ = std::move(failure);
  return false;
}

}  // namespace tidemill::redis
