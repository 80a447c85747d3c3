#include "tidemill/jobs/batch/send/lines_outlet.h"

#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"

namespace tidemill::batch {
namespace {

// One thread.
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

}  // namespace

std::unique_ptr<queue::Outlet> make_lines_outlet(command::Console& console,
                                                 queue::Standing standing) {
  return std::make_unique<LinesOutlet>(console, std::move(standing));
}

}  // namespace tidemill::batch
