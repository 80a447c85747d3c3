// Reporter: writes the findings of a scan in some format. The findings are passed one by one and
// written in chunks, so a report of a million groups takes no more memory than one of ten.
//
//   begin ── group … | unique … ── same_folders … ── overlap … ── failure … ── end
//
// The calls come in this order; each may be missing. A Failure is that of the sink: a closed pipe
// or a full disk. After it nothing more may be written.
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

using TextSink = std::function<Result<void>(std::string_view)>;

// One thread. A format without folders or failures ignores them.
class Reporter {
 public:
  virtual ~Reporter() = default;

  [[nodiscard]] virtual Result<void> begin(std::uint64_t groups) = 0;  // the number of groups
  [[nodiscard]] virtual Result<void> group(const Group& group) = 0;
  [[nodiscard]] virtual bool wants_groups() const { return true; }  // false: enough were shown
  [[nodiscard]] virtual Result<void> unique(const Copy& file) = 0;  // a file without a copy
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

// A buffer in front of a sink. One thread.
class Chunk {
 public:
  static constexpr std::size_t kFull = std::size_t{64} << 10U;

  explicit Chunk(TextSink sink) : sink_(std::move(sink)) {}

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
  TextSink sink_;
  std::string text_;
};

}  // namespace tidemill::dupes
