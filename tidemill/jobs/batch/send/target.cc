#include "tidemill/jobs/batch/send/target.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/io/redis/client.h"
#include "tidemill/state/queue/outlet.h"
#include "tidemill/state/queue/redis_outlet.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::batch {
namespace {

// Prints batches as JSON lines on standard output. The only record of what was printed is the
// journal, so the standing comes from there: after a kill a line may be printed twice, with the
// same id. One thread.
class LinesOutlet final : public queue::Outlet {
 public:
  LinesOutlet(command::Console& console, queue::Standing standing)
      : console_(console), standing_(std::move(standing)) {}

  [[nodiscard]] Result<std::optional<queue::Standing>> look(
      const std::stop_token& /*stop*/) override {
    return standing_;
  }

  [[nodiscard]] Result<std::optional<queue::Standing>> open(
      const std::stop_token& /*stop*/) override {
    return standing_;
  }

  [[nodiscard]] Result<std::vector<queue::Arrival>> send(std::span<const queue::Parcel> parcels,
                                                         const std::stop_token& /*stop*/) override {
    std::string lines;
    for (const queue::Parcel& parcel : parcels) {
      lines += parcel.payload;
      lines += '\n';
    }
    TRY(console_.out(lines));
    TRY(console_.sync());  // before the journal calls them sent
    standing_.last = parcels.back().number;
    standing_.cursor = parcels.back().cursor;
    return std::vector<queue::Arrival>();
  }

  [[nodiscard]] Result<std::uint64_t> depth(const std::stop_token& /*stop*/) override { return 0; }
  [[nodiscard]] Result<void> complete(const std::stop_token& /*stop*/) override { return {}; }
  [[nodiscard]] bool has_answered() const override { return true; }
  void close() override {}
  [[nodiscard]] std::string name() const override { return "standard output"; }

 private:
  command::Console& console_;
  queue::Standing standing_;
};

std::unique_ptr<queue::Outlet> make_lines_outlet(command::Console& console,
                                                 queue::Standing standing) {
  return std::make_unique<LinesOutlet>(console, std::move(standing));
}

using command::Tone;

redis::ClientOptions client_options(const BatchOptions& options,
                                    const BatchContext& batch_context) {
  return {.address = batch_context.address,
          .tls = {.authorities = options.tls_authorities,
                  .certificate = options.tls_certificate,
                  .key = options.tls_key},
          .name = "tidemill-batch"};
}

}  // namespace

Result<std::unique_ptr<queue::Outlet>> make_outlet(const BatchOptions& options,
                                                   const BatchContext& batch_context,
                                                   const BatchRecipe& recipe,
                                                   const std::string& run, const Sent& sent,
                                                   command::Context& context) {
  if (options.sink.kind == Destination::Kind::lines) {
    return make_lines_outlet(context.console, {.last = sent.last, .run = run});
  }
  queue::OutletOptions outlet{.client = client_options(options, batch_context),
                              .job = recipe.job,
                              .run = run,
                              .owner = batch_context.owner,
                              .lease = options.lease};
  if (options.sink.kind == Destination::Kind::stream) {
    return queue::make_stream_outlet(std::move(outlet), {.stream = options.sink.name},
                                     context.clock, context.log);
  }
  // A list from standard input has no name: use the folder.
  const bool has_name = options.list.is_given() && options.list_name != "-";
  const std::string& first = has_name ? options.list_name : recipe.roots.at(0).only;
  return queue::make_bull_outlet(std::move(outlet),
                                 {.queue = options.sink.name,
                                  .prefix = options.bull_prefix,
                                  .directory = recipe.roots.path(0, first, Paths::absolute),
                                  .resends = options.resend},
                                 context.clock, context.log);
}

void tell_worries(const BatchOptions& options, const BatchContext& batch_context,
                  command::Context& context) {
  if (options.sink.kind == Destination::Kind::lines) return;
  redis::ClientOptions how = client_options(options, batch_context);
  how.home = options.sink.name;
  auto client = redis::Client::make(std::move(how), context.clock);
  if (!client) return;
  const auto found = queue::worries(**client, context.stop);
  if (!found) return;
  for (const std::string& worry : *found) context.console.say(Tone::warning, worry);
}

}  // namespace tidemill::batch
