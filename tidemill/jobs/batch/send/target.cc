#include "tidemill/jobs/batch/send/target.h"

#include <utility>

#include "tidemill/io/redis/client.h"
#include "tidemill/jobs/batch/send/lines_outlet.h"
#include "tidemill/state/queue/redis_outlet.h"

namespace tidemill::batch {
namespace {

using command::Tone;

redis::ClientOptions client_options(const Options& options, const Surroundings& around) {
  return {.address = around.address,
          .tls = {.authorities = options.tls_authorities,
                  .certificate = options.tls_certificate,
                  .key = options.tls_key},
          .name = "tidemill-batch"};
}

}  // namespace

Result<std::unique_ptr<queue::Outlet>> make_outlet(const Options& options,
                                                   const Surroundings& around, const Recipe& recipe,
                                                   const std::string& run, const Sent& sent,
                                                   command::Context& context) {
  if (options.sink.kind == Sink::Kind::lines) {
    return make_lines_outlet(context.console, {.last = sent.last, .run = run});
  }
  queue::OutletOptions outlet{.client = client_options(options, around),
                              .job = recipe.job,
                              .run = run,
                              .owner = around.owner,
                              .lease = options.lease};
  if (options.sink.kind == Sink::Kind::stream) {
    return queue::make_stream_outlet(std::move(outlet), {.stream = options.sink.name},
                                     context.clock, context.log);
  }
  const Root& root = recipe.roots.at(0);
  return queue::make_bull_outlet(std::move(outlet),
                                 {.queue = options.sink.name,
                                  .prefix = options.bull_prefix,
                                  .directory = recipe.roots.path(0, root.only, Paths::absolute),
                                  .resends = options.resend},
                                 context.clock, context.log);
}

// What could lose batches on the other side is said at the start, once.
void tell_worries(const Options& options, const Surroundings& around, command::Context& context) {
  if (options.sink.kind == Sink::Kind::lines) return;
  redis::ClientOptions how = client_options(options, around);
  how.home = options.sink.name;
  auto client = redis::Client::make(std::move(how), context.clock);
  if (!client) return;
  const auto found = queue::worries(**client, context.stop);
  if (!found) return;
  for (const std::string& worry : *found) context.console.say(Tone::warning, worry);
}

}  // namespace tidemill::batch
