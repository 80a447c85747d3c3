// Rereader: hashes files of a catalogue again, completely, with as many threads as the disk needs.
// A file is found by the path of its folder, which may have any length. A hash is valid only if the
// file has the stamp that is in the catalogue. The failures of files are those of
// recorded_reader.h; one does not affect the others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/progress.h"
#include "tidemill/io/hash/algorithm.h"
#include "tidemill/jobs/dupes/rehash/recorded_reader.h"
#include "tidemill/state/catalogue/catalogue.h"

namespace tidemill::dupes {

// One thread calls read(); progress() is thread-safe.
class Rereader {
 public:
  // `total` is for the progress.
  [[nodiscard]] static Result<std::unique_ptr<Rereader>> make(catalogue::Catalogue& catalogue,
                                                              catalogue::KnownTotal total);
  Rereader(const Rereader&) = delete;
  Rereader& operator=(const Rereader&) = delete;
  ~Rereader();

  // A result for each file, in their order, by the algorithm it names; files of one folder should
  // be adjacent. After a stop, files that were not read have Cure::resume. Fails itself only if the
  // catalogue cannot be read or the threads fail.
  using Answers = std::vector<Result<hash::Digest>>;
  [[nodiscard]] Result<Answers> read(std::span<const catalogue::KnownFile> files,
                                     const std::stop_token& stop);

  [[nodiscard]] engine::ProgressInputs progress() const;

 private:
  Rereader(catalogue::Catalogue& catalogue, catalogue::KnownTotal total, Descriptor top);
  void count_failure(const Failure& failure);

  catalogue::Catalogue& catalogue_;
  const catalogue::KnownTotal total_;
  const Descriptor top_;  // "/"
  std::vector<std::unique_ptr<RecordedReader>> workers_;
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> overtaken_{0};  // deleted or changed since the scan
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace tidemill::dupes
