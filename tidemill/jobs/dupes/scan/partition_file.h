// PartitionFile: an unnamed temporary file for data that does not fit into memory. It is in the
// folder of the catalogue, where there is room for much data, and vanishes with the process,
// however that ends.
//
// Data is addressed by a run: a list of chunks, each read as it was written. A full disk is a
// Failure with step "disk full", any other I/O error one with step "partition file".
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

struct PartitionChunk {
  std::uint64_t at = 0;
  std::uint64_t size = 0;
};
using PartitionChunks = std::vector<PartitionChunk>;

// Thread-safe: a chunk is written by the thread that reserved it, and read after that.
class PartitionFile {
 public:
  // In the same folder as `path`.
  [[nodiscard]] static Result<std::unique_ptr<PartitionFile>> beside(const std::string& path);

  [[nodiscard]] PartitionChunk reserve(std::size_t size) {
    return {.at = end_.fetch_add(size, std::memory_order_relaxed), .size = size};
  }
  [[nodiscard]] Result<void> write(const PartitionChunk& chunk, std::string_view bytes) const;
  [[nodiscard]] Result<void> read(const PartitionChunk& chunk, std::string& into) const;

 private:
  PartitionFile(Descriptor file, std::string folder)
      : file_(std::move(file)), folder_(std::move(folder)) {}

  const Descriptor file_;
  const std::string folder_;
  std::atomic<std::uint64_t> end_{0};
};

// Reads a run, with one chunk in memory at a time. One thread.
class PartitionReader {
 public:
  // Both must outlive it.
  PartitionReader(const PartitionFile& partition_file, const PartitionChunks& run)
      : partition_file_(&partition_file), run_(&run) {}

  // The rest of the current chunk, or the next chunk; empty: the end. The caller removes from the
  // front what it has consumed.
  [[nodiscard]] Result<std::string_view*> rest();

 private:
  const PartitionFile* partition_file_;
  const PartitionChunks* run_;
  std::size_t next_ = 0;
  std::unique_ptr<std::string> text_ = std::make_unique<std::string>();  // rest_ survives a move
  std::string_view rest_;
};

}  // namespace tidemill::dupes
