// Reader: the thread that reads the files, one behind the other, and cuts them into blocks.
//
// A file ends with a batch that says how it was (its record) or why it could not be read to its
// end. A file whose key turned out not to ascend is read again when the others have been read.
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
class Reader {
 public:
  // Small enough for the caches and for many workers, large enough for few leaves that are not
  // full.
  static constexpr Bytes kBlock = kib(512);

  // So many places a file has in all that is read, however much of it is read: places ascend with
  // the files and depend on nothing else. A file that is read again has places behind all others.
  static constexpr std::uint64_t kPlaces = std::uint64_t{1} << 40U;

  // `files` are those that are to be read.
  Reader(std::span<const SourceFile* const> files, Bytes longest_line, Flow& flow,
         const Clock& clock, std::stop_token stop)
      : files_(files),
        longest_line_(longest_line),
        flow_(flow),
        clock_(clock),
        stop_(std::move(stop)) {}

  void run();

  struct Progress {
    Bytes read{};                      // packed, of all files
    const SourceFile* file = nullptr;  // the one at hand
  };
  [[nodiscard]] Progress progress();

 private:
  [[nodiscard]] bool read(const SourceFile& file, std::uint32_t reading);  // false: stopped
  [[nodiscard]] Result<FileRecord> read_blocks(const SourceFile& file, std::uint32_t reading,
                                               bool& is_over);
  [[nodiscard]] bool send(BatchPtr batch, const SourceFile& file, std::uint32_t reading);

  struct AtHand {
    const SourceFile* file = nullptr;
    const jsonl::Input* input = nullptr;
    Bytes before{};  // of the files that are finished
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
