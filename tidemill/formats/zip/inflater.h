// Inflater: unpacks the bytes of one entry in parts, within a limit on the output. Its buffers are
// reused for the next entry. Sizes claimed by a header are never allocated.
//
// How it fails: damaged data (step "inflate"), a Failure of the guard (kind over_limit or bomb), a
// file that cannot be read (unreadable) or ends too early (truncated). A retry would not help, so
// all of them are give_up.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/base/result.h"

struct inflate_state;  // ISA-L gives the name. NOLINT(readability-identifier-naming)

namespace tidemill::zip {

struct Packed {
  int fd = -1;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// The result; is_whole is false if the sink returned false.
struct Inflated {
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  bool is_whole = true;
};

// One thread.
class Inflater {
 public:
  using Sink = std::function<bool(std::string_view)>;
  // Called before each part reaches the sink, with the size so far; a Failure ends the unpacking.
  using Guard = std::function<Result<void>(std::uint64_t)>;

  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() = default;

  static constexpr std::size_t kPart = 64U << 10U;

  // Both work in parts of at most `part` bytes: a small part saves work if only the beginning is
  // needed. copy() is for stored entries.
  [[nodiscard]] Result<Inflated> copy(const Packed& source, const Guard& guard, const Sink& sink,
                                      std::size_t part = kPart);
  [[nodiscard]] Result<Inflated> inflate(const Packed& source, const Guard& guard, const Sink& sink,
                                         std::size_t part = kPart);

 private:
  struct End {
    void operator()(inflate_state* state) const;
  };

  [[nodiscard]] Result<void> refill(Packed& left, std::size_t most);
  [[nodiscard]] static Result<bool> deliver(std::string_view part, Inflated& unpacked,
                                            const Guard& guard, const Sink& sink);

  std::string in_{};
  std::string out_{};
  std::unique_ptr<inflate_state, End> state_{};
};

}  // namespace tidemill::zip
