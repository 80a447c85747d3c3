// Rereader: reads files that a catalogue knows once more, whole, by as many threads as the disk
// needs. A file is found by the path of its folder, however long, and what was read counts only if
// the file has the stamp that the catalogue knows.
//
// A file that is gone, with or without its folder, is kind not_found; the others are those of
// io/hash/reader.h, kind changed above all. They are answers of their own: one file's failure ends
// nothing.
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
#include "tidemill/io/hash/reader.h"
#include "tidemill/state/catalogue/catalogue.h"

namespace tidemill::dupes {

// One thread calls read(); progress() may be asked by any.
class Rereader {
 public:
  // The total is for the progress.
  [[nodiscard]] static Result<std::unique_ptr<Rereader>> make(catalogue::Catalogue& catalogue,
                                                              catalogue::KnownTotal total);
  Rereader(const Rereader&) = delete;
  Rereader& operator=(const Rereader&) = delete;
  ~Rereader();

  // An answer for each file, in their order, by the algorithm it names; neighbours in a folder
  // should stand together. After a stop what was not read has Cure::resume. Fails as a whole only
  // when the catalogue cannot be read.
  using Answers = std::vector<Result<hash::Digest>>;
  [[nodiscard]] Result<Answers> read(std::span<const catalogue::KnownFile> files,
                                     const std::stop_token& stop);

  [[nodiscard]] engine::ProgressInputs progress() const;

 private:
  class Worker;

  Rereader(catalogue::Catalogue& catalogue, catalogue::KnownTotal total, Descriptor top);
  void count_failure(const Failure& failure);

  catalogue::Catalogue& catalogue_;
  const catalogue::KnownTotal total_;
  const Descriptor top_;  // "/"
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<std::uint64_t> files_{0};
  std::atomic<std::uint64_t> failed_{0};
  std::atomic<std::uint64_t> overtaken_{0};  // gone, or written to since the scan
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace tidemill::dupes
