// BlockReader: splits an Input into numbered blocks of complete lines.
//
//   input   ....line 1\n..line 2\n....li|ne 3\n..line 4 (no end)
//   blocks  [line 1\n line 2\n][line 3\n line 4]         a cut line moves to the next block
//
// A block holds at least one line, and more than `size` bytes only if its single line is longer. A
// line longer than `longest` is not kept: the block has its first bytes and its length, so that any
// input is read in bounded memory. Blocks record line numbers and offsets in the decompressed text,
// so callers need not count again. A byte order mark at the beginning of the input is not part of
// the first line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/formats/jsonl/input.h"

namespace tidemill::jsonl {

// The bytes after any line that may be read (not used): at least the widest vector register.
inline constexpr std::size_t kPadding = 64;

// A growable buffer. It grows with realloc, which moves large buffers without copying. One thread.
class Buffer {
 public:
  [[nodiscard]] char* data() { return bytes_.get(); }
  [[nodiscard]] const char* data() const { return bytes_.get(); }
  [[nodiscard]] std::size_t capacity() const { return bytes_ ? capacity_ : 0; }
  // Reserves kPadding bytes more, zeroed. False: out of memory, and the buffer is unchanged.
  [[nodiscard]] bool reserve(std::size_t capacity);

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }  // NOLINT: from realloc
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t capacity_ = 0;
};

// One thread at a time.
struct Block {
  Buffer buffer{};
  std::size_t size = 0;               // bytes in use
  std::uint64_t first_line = 1;       // number of its first line
  std::uint64_t offset = 0;           // of its first byte, in the decompressed text
  std::vector<std::uint32_t> ends{};  // one past the last byte of each line, without '\n'
  std::uint64_t too_long = 0;         // not 0: length of its single line, kept in part
  bool is_cut = false;                // the last line has no '\n': the input ended there

  [[nodiscard]] std::size_t lines() const { return ends.size(); }
  [[nodiscard]] std::string_view line(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1] + std::size_t{1};
    return {buffer.data() + begin, ends[i] - begin};
  }
  [[nodiscard]] std::uint64_t offset_of(std::size_t i) const {
    return offset + (i == 0 ? 0 : ends[i - 1] + std::uint64_t{1});
  }
};

struct BlockOptions {
  Bytes size = mib(1);
  Bytes longest = mib(512);  // below 4 GiB
  Bytes kept = kib(64);      // of a line longer than `longest`
};

// One thread.
class BlockReader {
 public:
  explicit BlockReader(Input& input, BlockOptions options = {});

  // Fills `block` (its buffers are reused, and freed if a giant line made them large). False: the
  // end of the input. When the input fails, the complete lines before the failure are returned
  // first; an incomplete line is dropped.
  [[nodiscard]] Result<bool> next(Block& block);

  // All lines and bytes returned so far, including the bytes of a byte order mark and of newlines.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  [[nodiscard]] Result<void> skip_mark();
  [[nodiscard]] Result<void> start(Block& block);
  [[nodiscard]] bool scan(Block& block);
  [[nodiscard]] Result<void> fill(Block& block);
  void take_last(Block& block) const;
  [[nodiscard]] Result<void> skip_line(Block& block);
  [[nodiscard]] Result<void> cut(Block& block);
  [[nodiscard]] Result<void> carry(const Block& block, std::size_t begin);
  void give_out(Block& block);

  Input& input_;
  BlockOptions options_;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
  Buffer carried_{};              // bytes after the last block
  std::size_t carried_size_ = 0;  // never more than one block
  std::size_t scanned_ = 0;       // bytes of the block, or of carried_, already searched for '\n'
  bool has_begun_ = false;
  bool has_ended_ = false;
  std::optional<Failure> failure_;  // reported after the lines before it
};

}  // namespace tidemill::jsonl
