// Stream: what one child writes to its standard output or error: a fresh pipe, the first bytes in
// memory, and all of them in a file when they are more than fits.
//
// Our own end for writing stays open until the child has ended. So a stream that is closed, or a
// child that exits, is no event here: of a silent child the only thing to wait for is its end, and
// there is one wake-up instead of three. Whoever waits for the end of file of such a pipe waits for
// ever; nobody does, because a background grandchild may hold it open anyway.
//
// A file that cannot be written is a Failure of the step "output" that names it.
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
  std::uint64_t total = 0;  // how many there were
  std::string spill{};      // a file with all of them when they are more than the cap, else empty
};

// One thread.
class Stream {
 public:
  // `spill`: the file to make when there are more than `cap` bytes; empty: what is beyond the cap
  // is counted, not kept.
  [[nodiscard]] Result<void> open(std::size_t cap, std::string spill);

  [[nodiscard]] int read_end() const { return read_end_.number(); }
  [[nodiscard]] int write_end() const { return write_end_.number(); }

  // One read of what is there; poll() has said that there is something.
  [[nodiscard]] Result<std::size_t> take(std::span<char> buffer);

  // What is in the pipe at this moment, and not what a grandchild goes on to write.
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
