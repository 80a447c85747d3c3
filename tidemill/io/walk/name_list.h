// NameList: reads names from a descriptor one by one: `find -print0 | ...`, a file of paths.
//
// Names end with a newline or a NUL; the terminator of the last one may be missing. Bytes are not
// changed, '\r' included. Empty lines are not names and are counted as blank; with NUL, an empty
// name is a name. Reads blocks of 256 KiB and copies no name; a longer name makes the buffer grow,
// and a later read gives the memory back. The descriptor may be a pipe that never ends: a stop ends
// a blocked read at once. When reading fails, every complete name has been returned before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"

namespace tidemill::walk {

enum class NameEnd : char { newline = '\n', nul = '\0' };

// One thread.
class NameList {
 public:
  static constexpr std::size_t kBlock = std::size_t{256} << 10U;

  // The caller keeps `source` and must keep it open. It may be non-blocking.
  [[nodiscard]] static Result<NameList> open(int source, NameEnd end);

  // The next name, valid until the next call; nothing at the end. A stop is a Failure with
  // Cure::resume, never an end, so that a truncated list does not look complete; count() says where
  // to resume.
  [[nodiscard]] Result<std::optional<std::string_view>> next(const std::stop_token& stop);

  // Skips up to n names; returns how many there were.
  [[nodiscard]] Result<std::uint64_t> skip(std::uint64_t n, const std::stop_token& stop);

  [[nodiscard]] std::uint64_t count() const { return count_; }  // names, including skipped ones
  [[nodiscard]] std::uint64_t blanks() const { return blanks_; }

 private:
  NameList(int source, NameEnd end, Descriptor alarm);

  [[nodiscard]] std::optional<std::string_view> name_in_buffer();
  [[nodiscard]] Result<void> fill(const std::stop_token& stop);
  [[nodiscard]] Result<void> wait(const std::stop_token& stop) const;
  void make_room();

  int source_;
  NameEnd end_;
  Descriptor alarm_;  // an eventfd that a stop signals
  std::unique_ptr<char[]> buffer_;
  std::size_t room_ = kBlock;
  std::size_t begin_ = 0;    // of the next name
  std::size_t scanned_ = 0;  // no terminator between begin_ and here
  std::size_t filled_ = 0;
  bool is_at_end_ = false;
  std::uint64_t count_ = 0;
  std::uint64_t blanks_ = 0;
};

}  // namespace tidemill::walk
