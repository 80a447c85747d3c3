// ParcelSize: how many tasks travel together, so that a parcel is about a second of work, and how
// many parcels of them are on their way.
#pragma once

#include <chrono>
#include <cstddef>

namespace tidemill::engine {

// A value; one thread.
class ParcelSize {
 public:
  struct Options {
    std::chrono::microseconds work{750'000};  // of one place
    std::size_t most = 256;
    // In flight for one place beside the parcel in work: longer than a report, its commit and the
    // next parcel are on their way.
    std::chrono::microseconds ahead{20'000};
    std::size_t most_parcels = 16;
  };

  explicit ParcelSize(Options options) : options_(options) {}

  void note(std::chrono::microseconds took);  // a task ended after that time

  // The size for `ready` tasks that wait for `places`. Before any task has ended: one. If no more
  // tasks will come, they are spread, so that no place is idle while another has a full parcel.
  [[nodiscard]] std::size_t next(std::size_t ready, std::size_t places, bool is_the_rest) const;
  // Parcels in flight for one place: one in work, one on its way, and more if they are short.
  [[nodiscard]] std::size_t parcels_a_place() const;

 private:
  [[nodiscard]] std::size_t usual() const;

  Options options_;
  bool is_known_ = false;
  double average_ = 0;  // microseconds; recent tasks count more
};

}  // namespace tidemill::engine
