// Spool: a file without a name for what does not fit into memory, beside the catalogue, because
// there is room for much where that is. It goes with the process, however that ends.
//
// What is put in is told by a run: a list of chunks, each read as it was written. A full disk and a
// disk that fails come back as a Failure with step "disk full" or "spool".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::dupes {

struct SpoolChunk {
  std::uint64_t at = 0;
  std::uint64_t size = 0;
};
using SpoolRun = std::vector<SpoolChunk>;

// Thread-safe: a chunk is written by whoever has reserved it, and read after that.
class Spool {
 public:
  // In the folder of this file.
  [[nodiscard]] static Result<std::unique_ptr<Spool>> beside(const std::string& path);

  [[nodiscard]] SpoolChunk reserve(std::size_t size) {
    return {.at = end_.fetch_add(size, std::memory_order_relaxed), .size = size};
  }
  [[nodiscard]] Result<void> write(const SpoolChunk& chunk, std::string_view bytes) const;
  [[nodiscard]] Result<void> read(const SpoolChunk& chunk, std::string& into) const;

 private:
  Spool(Descriptor file, std::string folder) : file_(std::move(file)), folder_(std::move(folder)) {}

  const Descriptor file_;
  const std::string folder_;
  std::atomic<std::uint64_t> end_{0};
};

// Goes through a run, one chunk in memory at a time. One thread.
class SpoolReader {
 public:
  // Both must outlive it.
  SpoolReader(const Spool& spool, const SpoolRun& run) : spool_(&spool), run_(&run) {}

  // What is left of the chunk, or the next one; empty: that was all. The reader of it takes away
  // from the front what it has used.
  [[nodiscard]] Result<std::string_view*> rest();

 private:
  const Spool* spool_;
  const SpoolRun* run_;
  std::size_t next_ = 0;
  std::unique_ptr<std::string> text_ = std::make_unique<std::string>();  // stays when this moves
  std::string_view rest_;
};

}  // namespace tidemill::dupes
