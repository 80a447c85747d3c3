// Reporter: how the findings of a scan are written, whatever the form. The parts come one by one
// and leave in chunks, so a report of a million groups takes no more memory than one of ten.
//
//   begin ── group … | unique … ── same_folders … ── overlap … ── failure … ── end
//
// The parts come in this order; each may be missing. A Failure is the sink's: nobody reads on, or
// the disk is full. After it nothing more may be written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/jobs/dupes/report/group.h"
#include "tidemill/jobs/dupes/report/totals.h"
#include "tidemill/jobs/dupes/scan/failures.h"

namespace tidemill::dupes {

class Folders;
struct SameFolders;
struct Overlap;

using Sink = std::function<Result<void>(std::string_view)>;

// One thread. A form that has no place for folders or failures leaves them out: people are told
// elsewhere.
class Reporter {
 public:
  virtual ~Reporter() = default;

  [[nodiscard]] virtual Result<void> begin(std::uint64_t groups) = 0;  // so many are known
  [[nodiscard]] virtual Result<void> group(const Group& group) = 0;
  [[nodiscard]] virtual bool wants_groups() const { return true; }  // false: it has shown enough
  [[nodiscard]] virtual Result<void> unique(const Copy& file) = 0;  // it has no copy
  [[nodiscard]] virtual Result<void> same_folders(const Folders& /*folders*/,
                                                  const SameFolders& /*same*/) {
    return {};
  }
  [[nodiscard]] virtual Result<void> overlap(const Folders& /*folders*/,
                                             const Overlap& /*overlap*/) {
    return {};
  }
  [[nodiscard]] virtual Result<void> failure(const FileFailure& /*failure*/) { return {}; }
  [[nodiscard]] virtual Result<void> end(const ScanTotals& totals) = 0;
};

// Text on its way to a sink. One thread.
class Chunk {
 public:
  static constexpr std::size_t kFull = std::size_t{64} << 10U;

  explicit Chunk(Sink sink) : sink_(std::move(sink)) {}

  [[nodiscard]] std::string& text() { return text_; }  // append only
  [[nodiscard]] Result<void> pass_on_if_full() {
    return text_.size() < kFull ? Result<void>{} : pass_on();
  }
  [[nodiscard]] Result<void> pass_on() {
    if (text_.empty()) return {};
    auto result = sink_(text_);
    text_.clear();
    return result;
  }

 private:
  Sink sink_;
  std::string text_;
};

}  // namespace tidemill::dupes
