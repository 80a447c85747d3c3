// Failures: the files and folders of a scan that could not be examined or read, each with the
// reason. They are part of the report and determine the exit status.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/ui/command/console.h"

namespace tidemill::dupes {

struct FileFailure {
  std::string path{};
  Failure failure{};
};

// Thread-safe.
class Failures {
 public:
  // Without a console, single failures are not reported.
  explicit Failures(command::Console* console = nullptr) : console_(console) {}

  void add(std::string path, Failure failure) {
    if (console_ != nullptr && console_->wants_items()) {
      console_->settled(
          {.name = path, .state = command::ItemState::failed, .details = {text_of(failure)}});
    }
    list_.lock()->push_back({.path = std::move(path), .failure = std::move(failure)});
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::vector<FileFailure> list() const { return *list_.lock(); }

 private:
  command::Console* const console_;
  mutable Guarded<std::vector<FileFailure>> list_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace tidemill::dupes
