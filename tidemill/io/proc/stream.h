// Stream: captures one output stream of a child (stdout or stderr): a new pipe, the first bytes in
// memory, and all bytes in a file when there are more than fit.
//
// Our write end stays open until the child has ended. So a stream that the child closes, or its
// exit, causes no event here: for a silent child the only thing to wait for is its end, which is
// one wake-up instead of three. Such a pipe never reaches end of file, and no code waits for that,
// because a background grandchild may hold the pipe open anyway.
//
// A spill file that cannot be written is a Failure with the step "output" that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::proc {

struct Captured {
  std::string head{};       // the first bytes, at most the cap
  std::uint64_t total = 0;  // bytes written by the child
  std::string spill{};      // file with all bytes if there were more than the cap, else empty
};

// One thread.
class Stream {
 public:
  // `spill` is the file to create when there are more than `cap` bytes; empty: bytes beyond the cap
  // are counted, not kept.
  [[nodiscard]] Result<void> open(std::size_t cap, std::string spill);

  [[nodiscard]] int read_end() const { return read_end_.number(); }
  [[nodiscard]] int write_end() const { return write_end_.number(); }

  // Reads once, after poll() has reported data. Returns 0 if there is none after all.
  [[nodiscard]] Result<std::size_t> take(std::span<char> buffer);

  // Reads what is in the pipe now, but not what a grandchild writes later.
  [[nodiscard]] Result<void> take_rest(std::span<char> buffer);

  [[nodiscard]] Captured finish();  // closes the pipe
  void discard();                   // closes the pipe, removes the file

 private:
  [[nodiscard]] Result<void> keep(std::span<const char> bytes);
  [[nodiscard]] Result<void> start_spill();
  [[nodiscard]] Result<void> write_spill(std::span<const char> bytes);
  void close();

  std::size_t cap_ = 0;
  std::string spill_path_;
  Descriptor read_end_;
  Descriptor write_end_;
  Descriptor spill_;
  bool is_nonblocking_ = false;
  Captured captured_;
};

}  // namespace tidemill::proc
