// What goes over the sockets between the program, the nursery and a cell, and the few calls that
// move it. For this folder only.
//
// All are processes of one program, forked and never executed anew: the structs go over as they lie
// in memory. Answers and readiness come from the cell and are checked by whoever reads them.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/result.h"
#include "tidemill/io/sandbox/limits.h"

namespace tidemill::sandbox {

inline constexpr std::uint32_t kRequestMark = 0x5444'5251;
inline constexpr std::uint32_t kAnswerMark = 0x5444'414e;
inline constexpr std::uint32_t kReadyMark = 0x5444'5259;
inline constexpr int kOutOfMemoryExit = 83;
inline constexpr std::size_t kMostDescriptors = 16;

// Program to cell; the descriptors ride on it, the bytes follow.
struct RequestHead {
  std::uint32_t mark = kRequestMark;
  std::uint32_t sequence = 0;
  std::uint64_t length = 0;
};

// Cell to program; the bytes follow.
struct AnswerHead {
  std::uint32_t mark = kAnswerMark;
  std::uint32_t sequence = 0;
  std::uint64_t length = 0;
  std::uint64_t peak = 0;  // the largest resident size so far, in bytes
};

// Cell to program, once, before any request.
struct Ready {
  std::uint32_t mark = kReadyMark;
  Confinement confinement{};
  bool is_confined = false;
  std::array<char, 160> reason{};  // why not
};

// Nursery to program: first Born with the pidfd on it, then Ended.
struct Notice {
  enum class Kind : std::uint32_t { born, not_born, ended };
  Kind kind = Kind::not_born;
  int value = 0;                     // the process id, errno, or the status as of waitpid()
  std::chrono::microseconds cpu{0};  // of its whole life, when ended
};

struct Pair {
  Descriptor ours;
  Descriptor theirs;
};
[[nodiscard]] Result<Pair> make_pair(int type);  // close-on-exec, blocking

[[nodiscard]] std::unexpected<Failure> fail_with(int error, std::string step, std::string subject);

// sendmsg() and recvmsg() with descriptors; what they return, after EINTR too. No SIGPIPE.
[[nodiscard]] ssize_t send_with(int socket, std::span<const std::byte> bytes,
                                std::span<const int> descriptors, int flags);
[[nodiscard]] ssize_t receive_with(int socket, std::span<std::byte> bytes,
                                   std::vector<Descriptor>& descriptors);

// Blocking, whole. False at the end of the stream and on any error.
[[nodiscard]] bool write_all(int socket, std::span<const std::byte> bytes);
[[nodiscard]] bool read_all(int socket, std::span<std::byte> bytes);

template <class T>
[[nodiscard]] std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}
template <class T>
[[nodiscard]] std::span<std::byte> writable_bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace tidemill::sandbox
