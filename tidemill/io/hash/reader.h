// Reader: what a worker needs to read file after file: buffers, a hasher, and care. A file is
// opened so that nothing can hang or be followed (O_NONBLOCK | O_NOFOLLOW), and what was read
// counts only if the file has the stamp that was asked for after it was read; a large one is not
// even begun without it. What took the place of a file is never waited for, and no byte is taken
// out of a FIFO or a terminal.
//
// Failures: "open" and "read" with the system's words; "gone" (kind not_found) when there is no
// such name any more; "changed" (kind changed) with Cure::retry when another file stands there or
// it was written to meanwhile; "stop" with Cure::resume when the token said so, which is looked at
// for every buffer. A file that is not as long as the system says (/proc has such) is "read" too.
// Reasons do not name the file: the caller knows it.
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

// Where a file is: a name in an open folder, and what is known of it. `name` ends in a NUL.
struct Place {
  int folder = -1;
  const char* name = nullptr;
  FileStamp stamp{};
  bool is_link = false;  // the name is a symlink that is to be followed; the stamp is its target's
};

// One thread.
class Reader {
 public:
  static constexpr std::size_t kBuffer = std::size_t{256} << 10U;
  static constexpr std::uint64_t kSmall = std::uint64_t{64} << 10U;  // read whole at the first look
  static constexpr std::size_t kEdge = 4096;

  [[nodiscard]] static Result<Reader> make(Algorithm algorithm);

  // Of the whole file, by the reader's algorithm.
  [[nodiscard]] Result<Digest> whole(const Place& place, const std::stop_token& stop);
  // XXH3 of the first and the last kEdge bytes, one behind the other. For files larger than kSmall.
  [[nodiscard]] Result<Digest> edges(const Place& place, const std::stop_token& stop);

  // The bytes of a file that is not larger than kSmall; good until the reader is used again.
  [[nodiscard]] Result<std::span<const std::byte>> small(const Place& place);
  // Whether the bytes of both are the same; they are read until they differ. Neither is opened when
  // the sizes differ.
  [[nodiscard]] Result<bool> same(const Place& one, const Place& other,
                                  const std::stop_token& stop);

  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }
  // Bytes are added to `meter` as they are read, also in the middle of a file.
  void count_into(std::atomic<std::uint64_t>& meter) { meter_ = &meter; }

 private:
  Reader(Hasher hasher, Hasher edge_hasher);

  [[nodiscard]] Result<std::size_t> fill(int file, std::span<std::byte> room, std::uint64_t from,
                                         std::uint64_t left);
  [[nodiscard]] Result<Digest> large(const Place& place, const std::stop_token& stop);
  [[nodiscard]] Result<Digest> digest_of(int file, std::uint64_t size, const std::stop_token& stop);
  [[nodiscard]] Result<Digest> edges_of(int file, std::uint64_t size);
  [[nodiscard]] Result<bool> compare(int one, int other, std::uint64_t size,
                                     const std::stop_token& stop);

  Hasher hasher_;
  Hasher edge_hasher_;
  std::unique_ptr<std::byte[]> buffer_;
  std::unique_ptr<std::byte[]> other_{};  // for same() alone, from its first call on
  std::uint64_t bytes_read_ = 0;
  std::atomic<std::uint64_t>* meter_ = nullptr;
};

}  // namespace tidemill::hash
