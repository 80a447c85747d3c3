#include "tidemill/formats/jsonl/blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::jsonl {
namespace {

constexpr std::string_view kMark = "\xef\xbb\xbf";
constexpr std::size_t kMostTimesSize = 4;  // a buffer larger than this many blocks is freed

// Line ends are stored in 32 bits, and up to one block is read beyond the longest line. A byte
// order mark must fit into a block.
BlockOptions within_limits(BlockOptions options) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  options.size = std::clamp(options.size, Bytes{kMark.size()}, mib(1024));
  options.longest = std::clamp(options.longest, Bytes{1}, Bytes{kMost} - options.size);
  options.kept = std::min(options.kept, options.longest);
  return options;
}

std::unexpected<Failure> no_memory(std::size_t size) {
  return fail(Cure::retry, "read",
              "not enough memory for a line of " + std::to_string(size) + " bytes");
}

// The first '\n'; nullptr: none.
const char* line_end(const char* begin, const char* end) {
  if (begin == end) return nullptr;
  return static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

}  // namespace

bool Buffer::reserve(std::size_t capacity) {
  if (bytes_ && capacity <= capacity_) return true;
  void* grown = std::realloc(bytes_.get(), capacity + kPadding);  // NOLINT: moves pages, not bytes
  if (grown == nullptr) return false;
  static_cast<void>(bytes_.release());
  bytes_.reset(static_cast<char*>(grown));
  std::memset(bytes_.get() + capacity, 0, kPadding);
  capacity_ = capacity;
  return true;
}

BlockReader::BlockReader(Input& input, BlockOptions options)
    : input_(input), options_(within_limits(options)) {}

Result<bool> BlockReader::next(Block& block) {
  if (failure_) return std::unexpected(*failure_);
  TRY(skip_mark());
  TRY(start(block));
  while (!scan(block)) {
    if (block.ends.empty() && block.size > options_.longest.count) {
      TRY(skip_line(block));
      give_out(block);
      return true;
    }
    if (has_ended_) take_last(block);
    // A block without a complete line keeps growing.
    const bool is_full = !block.ends.empty() && block.size >= options_.size.count;
    if (has_ended_ || is_full) break;
    if (auto filled = fill(block); !filled) {
      failure_ = std::move(filled).error();
      break;
    }
  }
  if (block.ends.empty() && failure_) return std::unexpected(*failure_);
  if (block.ends.empty()) return false;
  TRY(cut(block));
  give_out(block);
  return true;
}

// The byte order mark may arrive in pieces.
Result<void> BlockReader::skip_mark() {
  if (has_begun_) return {};
  if (!carried_.reserve(kMark.size())) return no_memory(kMark.size());
  while (carried_size_ < kMark.size() && !has_ended_) {
    LET(const std::size_t size,
        input_.read({carried_.data() + carried_size_, kMark.size() - carried_size_}));
    has_ended_ = size == 0;
    carried_size_ += size;
  }
  has_begun_ = true;
  if (std::string_view(carried_.data(), carried_size_) == kMark) {
    carried_size_ = 0;
    bytes_ = kMark.size();
  }
  return {};
}

Result<void> BlockReader::start(Block& block) {
  if (block.buffer.capacity() > kMostTimesSize * options_.size.count) block.buffer = {};
  const std::size_t needed = std::max<std::size_t>(options_.size.count, carried_size_);
  if (!block.buffer.reserve(needed)) return no_memory(needed);
  std::memcpy(block.buffer.data(), carried_.data(), carried_size_);
  block.size = std::exchange(carried_size_, 0);
  block.first_line = lines_ + 1;
  block.offset = bytes_;
  block.ends.clear();
  block.too_long = 0;
  block.is_cut = false;
  return {};
}

// Records the line ends in the bytes not searched yet. True: the block is complete, because its
// last line ends beyond the size of a block, or because a line that is too long needs its own
// block.
bool BlockReader::scan(Block& block) {
  const char* const begin = block.buffer.data();
  const char* const end = begin + block.size;
  std::size_t line = block.ends.empty() ? 0 : block.ends.back() + std::size_t{1};
  while (const char* found = line_end(begin + scanned_, end)) {
    const auto at = static_cast<std::size_t>(found - begin);
    const bool is_too_long = at - line > options_.longest.count;
    scanned_ = at;
    if (is_too_long && line > 0) return true;
    block.ends.push_back(static_cast<std::uint32_t>(at));
    scanned_ = line = at + 1;
    if (is_too_long || at >= options_.size.count) return true;
  }
  scanned_ = block.size;
  return false;
}

// Reads at most one block at a time: the bytes after the end of a long line must be carried.
Result<void> BlockReader::fill(Block& block) {
  const std::size_t most = options_.size.count;
  const std::size_t room = block.size < most ? most - block.size : most;
  const std::size_t needed = block.size + room;
  if (needed > block.buffer.capacity()) {
    const std::size_t doubled =
        std::min<std::size_t>(2 * block.buffer.capacity(), options_.longest.count + most);
    if (!block.buffer.reserve(std::max(needed, doubled))) return no_memory(needed);
  }
  LET(const std::size_t size, input_.read({block.buffer.data() + block.size, room}));
  has_ended_ = size == 0;
  block.size += size;
  return {};
}

// The last line may have no newline. If it is too long, it waits for its own block.
void BlockReader::take_last(Block& block) const {
  const std::size_t line = block.ends.empty() ? 0 : block.ends.back() + std::size_t{1};
  const std::size_t length = block.size - line;
  if (length == 0 || length > options_.longest.count) return;
  block.ends.push_back(static_cast<std::uint32_t>(block.size));
  block.is_cut = true;
}

// The block holds the front of a line that is too long: keeps some of it and skips to its end.
Result<void> BlockReader::skip_line(Block& block) {
  const std::size_t kept = options_.kept.count;
  std::uint64_t length = block.size;
  Buffer front;
  if (!front.reserve(kept + options_.size.count)) return no_memory(kept + options_.size.count);
  std::memcpy(front.data(), block.buffer.data(), kept);
  block.buffer = std::move(front);
  block.is_cut = true;
  scanned_ = 0;
  while (block.is_cut && !has_ended_) {
    const std::span piece(block.buffer.data() + kept, options_.size.count);
    auto size = input_.read(piece);
    if (!size) {
      failure_ = std::move(size).error();
      return std::unexpected(*failure_);
    }
    has_ended_ = *size == 0;
    const char* const found = line_end(piece.data(), piece.data() + *size);
    block.is_cut = found == nullptr;
    if (block.is_cut) {
      length += *size;
      continue;
    }
    length += static_cast<std::size_t>(found - piece.data());
    block.size = kept + *size;
    scanned_ = static_cast<std::size_t>(found - block.buffer.data()) + 1;
    TRY(carry(block, scanned_));
  }
  block.too_long = length;
  block.size = kept;
  block.ends.assign(1, static_cast<std::uint32_t>(kept));
  return {};
}

// Leaves only complete lines in the block. A line that is too long is alone in it, and is shortened
// here.
Result<void> BlockReader::cut(Block& block) {
  const std::size_t end = block.is_cut ? block.size : block.ends.back() + std::size_t{1};
  TRY(carry(block, end));
  block.size = end;
  if (block.ends.front() > options_.longest.count) {
    block.too_long = block.ends.front();
    block.size = options_.kept.count;
    block.ends.front() = static_cast<std::uint32_t>(block.size);
  }
  return {};
}

// Bytes already searched for '\n' are not searched again in the next block.
Result<void> BlockReader::carry(const Block& block, std::size_t begin) {
  const std::size_t size = block.size - begin;
  if (!carried_.reserve(size)) return no_memory(size);
  std::memcpy(carried_.data(), block.buffer.data() + begin, size);
  carried_size_ = size;
  scanned_ -= begin;
  return {};
}

void BlockReader::give_out(Block& block) {
  std::memset(block.buffer.data() + block.size, 0, kPadding);
  lines_ += block.lines();
  const std::uint64_t size = block.too_long > 0 ? block.too_long : block.ends.back();
  bytes_ += size + (block.is_cut ? 0 : 1);
}

}  // namespace tidemill::jsonl
