#include "tidemill/app/fleet/place.h"

#include "tidemill/base/try.h"

namespace tidemill::app {

command::Argument fleet_argument() {
  return {.name = "FLEET",
          .help = "fleet, as redis:NAME",
          .kind = command::ValueKind::text,
          .is_required = true};
}

Result<std::unique_ptr<OpenBoard>> OpenBoard::open(const cli::CliContext& cli) {
  LET(auto choice, redis_flags::fleet_of(cli.values.argument("FLEET").front(), cli,
                                         redis_flags::KeyUse::optional));
  LET(auto client, redis::Client::make(choice.client, cli.clock));
  return std::unique_ptr<OpenBoard>(new OpenBoard(std::move(choice), std::move(client)));
}

}  // namespace tidemill::app
