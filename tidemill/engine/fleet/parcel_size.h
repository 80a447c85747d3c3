// ParcelSize: how many tasks travel together, so that a parcel is about a second of work.
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
  };

  explicit ParcelSize(Options options) : options_(options) {}

  void note(std::chrono::microseconds took);  // a task ended after that time

  // The size for `ready` tasks that wait for `places`. Before any task has ended: one. If no more
  // tasks will come, they are spread, so that no place is idle while another has a full parcel.
  [[nodiscard]] std::size_t next(std::size_t ready, std::size_t places, bool is_the_rest) const;

 private:
  Options options_;
  bool is_known_ = false;
  double average_ = 0;  // microseconds; recent tasks count more
};

}  // namespace tidemill::engine
