// Opens the board of a fleet for the subverbs of `fleet`.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/fleet/board.h"
#include "tidemill/ui/cli/cli_context.h"
#include "tidemill/ui/command/verb.h"
#include "tidemill/ui/redis_flags/fleet_flags.h"

namespace tidemill::app {

[[nodiscard]] command::Argument fleet_argument();

// One thread.
class OpenBoard {
 public:
  // Does not connect yet.
  [[nodiscard]] static Result<std::unique_ptr<OpenBoard>> open(const cli::CliContext& cli);

  [[nodiscard]] fleet::FleetBoard& board() { return board_; }
  [[nodiscard]] const redis_flags::FleetChoice& choice() const { return choice_; }
  // Whether runs with a signature of another key would be found.
  [[nodiscard]] bool is_verified() const { return choice_.key.is_given(); }

  // The value, or its failure with advice.
  template <class T>
  [[nodiscard]] Result<T> advised(Result<T> result) const {
    if (result) return result;
    return std::unexpected(redis_flags::with_advice(std::move(result).error(), choice_));
  }

 private:
  OpenBoard(redis_flags::FleetChoice choice, std::unique_ptr<redis::Client> client)
      : choice_(std::move(choice)),
        client_(std::move(client)),
        board_(*client_, choice_.fleet, choice_.key) {}

  const redis_flags::FleetChoice choice_;
  const std::unique_ptr<redis::Client> client_;
  fleet::FleetBoard board_;
};

}  // namespace tidemill::app
