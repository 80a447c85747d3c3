// BlockReader: cuts an Input into blocks of whole lines, numbered.
//
//   input   ....line 1\n..line 2\n....li|ne 3\n..line 4 (no end)
//   blocks  [line 1\n line 2\n][line 3\n line 4]         a cut line moves to the next block
//
// A block holds at least one line, and more than `size` bytes only when its one line is longer. A
// line longer than `longest` is not kept: the block has its first bytes and says how long it was,
// so that any input is read in bounded memory. The lines know their number and where they begin,
// counted in the decompressed text, so nobody has to count again. A byte order mark at the very
// beginning is left out of the first line.
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

// So many bytes behind any line may be read (not used): a vector of the widest kind, and some.
inline constexpr std::size_t kPadding = 64;

// Growable bytes that move when they grow, without being copied page by page. One thread.
class Buffer {
 public:
  [[nodiscard]] char* data() { return bytes_.get(); }
  [[nodiscard]] const char* data() const { return bytes_.get(); }
  [[nodiscard]] std::size_t capacity() const { return bytes_ ? capacity_ : 0; }
  // And kPadding more, zeroed. False: there is no memory for it, and all is as before.
  [[nodiscard]] bool reserve(std::size_t capacity);

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }  // NOLINT: from realloc
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t capacity_ = 0;
};

// One thread; may be handed from one to the next.
struct Block {
  Buffer buffer{};
  std::size_t size = 0;               // bytes in use
  std::uint64_t first_line = 1;       // number of its first line
  std::uint64_t offset = 0;           // of its first byte, in the decompressed text
  std::vector<std::uint32_t> ends{};  // of its lines: behind the last byte, without '\n'
  std::uint64_t too_long = 0;         // not 0: one line of so many bytes; only its front is here
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
  Bytes kept = kib(64);      // of a line that is longer
};

// One thread.
class BlockReader {
 public:
  explicit BlockReader(Input& input, BlockOptions options = {});

  // Fills `block` (its buffers are used again, and given back when a giant line blew them up);
  // false: there is no more. When the input fails, the whole lines before come first; a line that
  // it broke off in is not given out.
  [[nodiscard]] Result<bool> next(Block& block);

  // All lines and bytes given out so far; also the bytes of a mark and of line ends.
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
  Buffer carried_{};              // what the last block did not take
  std::size_t carried_size_ = 0;  // never more than one block
  std::size_t scanned_ = 0;       // bytes of the block, or of what is carried, looked at for '\n'
  bool has_begun_ = false;
  bool has_ended_ = false;
  std::optional<Failure> failure_;  // comes when the lines before it have been given out
};

}  // namespace tidemill::jsonl
