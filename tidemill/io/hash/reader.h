// FileReader: reads and hashes one file after another for a worker, with reused buffers and a
// hasher. A file is opened so that the call cannot block or follow a symlink (O_NONBLOCK |
// O_NOFOLLOW). The result counts only if the file has the expected stamp after it was read; whole()
// and same() also check a large file before they read it. If something else has replaced the file,
// the reader never blocks on it, and never consumes bytes from a FIFO or a terminal.
//
// Failures: "open" and "read" with the text of the errno; "gone" (kind not_found) when the name no
// longer exists; "changed" (kind changed) with Cure::retry when the file was replaced or written
// to; "stop" with Cure::resume after a stop, which is checked once per buffer. A file whose length
// differs from the one that the system reports (as in /proc) is "read" too. Reasons do not name the
// file: the caller knows it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"
#include "tidemill/io/hash/hasher.h"

namespace tidemill::hash {

// A file: a name in an open folder, and its expected stamp. `name` is NUL-terminated.
struct FilePlace {
  int folder = -1;
  const char* name = nullptr;
  FileStamp stamp{};
  bool is_link = false;  // follow the symlink at the name; the stamp is its target's
};

// One thread.
class FileReader {
 public:
  static constexpr std::size_t kBuffer = std::size_t{256} << 10U;
  static constexpr std::uint64_t kSmall = std::uint64_t{64} << 10U;  // read in one piece
  static constexpr std::size_t kEdge = 4096;

  [[nodiscard]] static Result<FileReader> make(Algorithm algorithm);

  // The hash of the complete file, with the reader's algorithm.
  [[nodiscard]] Result<Digest> whole(const FilePlace& place, const std::stop_token& stop);
  // XXH3 of the first and the last kEdge bytes, concatenated. For files larger than kSmall.
  [[nodiscard]] Result<Digest> edges(const FilePlace& place, const std::stop_token& stop);

  // The bytes of a file that is not larger than kSmall; valid until the reader is used again.
  [[nodiscard]] Result<std::span<const std::byte>> small(const FilePlace& place);
  // Whether both files have the same bytes; reads until the first difference. Opens neither when
  // the sizes differ.
  [[nodiscard]] Result<bool> same(const FilePlace& one, const FilePlace& other,
                                  const std::stop_token& stop);

  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  // Adds the bytes to `meter` as they are read, also in the middle of a file.
  void count_into(std::atomic<std::uint64_t>& meter) { meter_ = &meter; }

 private:
  FileReader(Hasher hasher, Hasher edge_hasher);

  [[nodiscard]] Result<std::size_t> fill(int file, std::span<std::byte> room, std::uint64_t from,
                                         std::uint64_t left);
  [[nodiscard]] Result<Digest> large(const FilePlace& place, const std::stop_token& stop);
  [[nodiscard]] Result<Digest> digest_of(int file, std::uint64_t size, const std::stop_token& stop);
  [[nodiscard]] Result<Digest> edges_of(int file, std::uint64_t size);
  [[nodiscard]] Result<bool> compare(int one, int other, std::uint64_t size,
                                     const std::stop_token& stop);

  Hasher hasher_;
  Hasher edge_hasher_;
  std::unique_ptr<std::byte[]> buffer_;
  std::unique_ptr<std::byte[]> other_{};  // for same(); allocated by its first call
  std::uint64_t bytes_read_ = 0;
  std::atomic<std::uint64_t>* meter_ = nullptr;
};

}  // namespace tidemill::hash
