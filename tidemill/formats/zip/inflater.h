// Inflater: the bytes of one entry, unpacked in parts, with a bound on what comes out. Its buffers
// are kept for the next entry. What a header claims is never allocated.
//
// How it fails: damaged data ("inflate"), more than is allowed (kind over_limit, bomb), a file
// that cannot be read (unreadable) or ends too early (truncated). All of them will be so again:
// give_up.
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

// What came out; is_whole is false when the sink had enough.
struct Unpacked {
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  bool is_whole = true;
};

// One thread.
class Inflater {
 public:
  using Sink = std::function<bool(std::string_view)>;
  // Asked before each part is handed on, with the size so far; a Failure ends it.
  using Guard = std::function<Result<void>(std::uint64_t)>;

  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() = default;

  static constexpr std::size_t kPart = 64U << 10U;

  // In parts of at most `part` bytes: who wants only the beginning need not have more inflated.
  [[nodiscard]] Result<Unpacked> copy(const Packed& source, const Guard& guard, const Sink& sink,
                                      std::size_t part = kPart);
  [[nodiscard]] Result<Unpacked> inflate(const Packed& source, const Guard& guard, const Sink& sink,
                                         std::size_t part = kPart);

 private:
  struct End {
    void operator()(inflate_state* state) const;
  };

  [[nodiscard]] Result<void> refill(Packed& left, std::size_t most);
  [[nodiscard]] static Result<bool> hand_on(std::string_view part, Unpacked& unpacked,
                                            const Guard& guard, const Sink& sink);

  std::string in_{};
  std::string out_{};
  std::unique_ptr<inflate_state, End> state_{};
};

}  // namespace tidemill::zip
