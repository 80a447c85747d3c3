// SourceReader: the thread that reads the files, one after the other, and cuts them into blocks.
//
// The last batch of a file holds its record, or the reason why it could not be read to its end. A
// file whose key does not ascend is read again after all others.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <stop_token>
#include <utility>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/formats/jsonl/input.h"
#include "tidemill/jobs/import/flow.h"
#include "tidemill/jobs/import/read/source_file.h"

namespace tidemill::import {

// run() on one thread; progress() from any.
class SourceReader {
 public:
  // Small enough for the CPU caches and for many workers, large enough that few leaf pages are not
  // full.
  static constexpr Bytes kBlock = kib(512);

  // A place is the position of a byte in the whole import. Every file has this many places,
  // whatever its size, so places ascend with the files and depend on nothing else. A file that is
  // read again gets places after all others.
  static constexpr std::uint64_t kPlaces = std::uint64_t{1} << 40U;

  SourceReader(std::span<const SourceFile* const> files, Bytes longest_line, Flow& flow,
               const Clock& clock, std::stop_token stop)
      : files_(files),
        longest_line_(longest_line),
        flow_(flow),
        clock_(clock),
        stop_(std::move(stop)) {}

  void run();

  struct Progress {
    Bytes read{};                      // compressed, of all files
    const SourceFile* file = nullptr;  // the current one
  };
  [[nodiscard]] Progress progress();

 private:
  [[nodiscard]] bool read(const SourceFile& file, std::uint32_t reading);  // false: stopped
  [[nodiscard]] Result<SourceRecord> read_blocks(const SourceFile& file, std::uint32_t reading,
                                                 bool& is_over);
  [[nodiscard]] bool send(BatchPtr batch, const SourceFile& file, std::uint32_t reading);

  struct AtHand {
    const SourceFile* file = nullptr;
    const jsonl::Input* input = nullptr;
    Bytes before{};  // size of the finished files
  };

  const std::span<const SourceFile* const> files_;
  const Bytes longest_line_;
  Flow& flow_;
  const Clock& clock_;
  const std::stop_token stop_;
  std::uint64_t order_ = 0;
  std::uint64_t base_ = 0;
  Guarded<AtHand> at_hand_;
};

}  // namespace tidemill::import
