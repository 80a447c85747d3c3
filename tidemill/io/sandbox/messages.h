// The messages on the sockets between the program, the fork server and the sandboxes, and the calls
// that send and receive them. Internal to this folder.
//
// All of them are forks of one program without an exec, so the structs are sent as they lie in
// memory. AnswerHead and Ready come from the sandbox: the reader must validate them.
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

// Program to sandbox. Carries the descriptors; the bytes of the request follow.
struct RequestHead {
  std::uint32_t mark = kRequestMark;
  std::uint32_t sequence = 0;
  std::uint64_t length = 0;
};

// Sandbox to program; the bytes of the answer follow.
struct AnswerHead {
  std::uint32_t mark = kAnswerMark;
  std::uint32_t sequence = 0;
  std::uint64_t length = 0;
  std::uint64_t peak = 0;  // peak resident size so far, in bytes
};

// Sandbox to program, once, before any request.
struct Ready {
  std::uint32_t mark = kReadyMark;
  Confinement confinement{};
  bool is_confined = false;
  std::array<char, 160> reason{};  // if not confined
};

// Fork server to program: first `started`, which carries the pidfd, or `not_started`; then `ended`.
struct Notice {
  enum class Kind : std::uint32_t { started, not_started, ended };
  Kind kind = Kind::not_started;
  int value = 0;                     // process id, errno, or wait status, by kind
  std::chrono::microseconds cpu{0};  // total of the process, when ended
};

struct Pair {
  Descriptor ours;
  Descriptor theirs;
};
[[nodiscard]] Result<Pair> make_pair(int type);  // close-on-exec, blocking

[[nodiscard]] std::unexpected<Failure> fail_with(int error, std::string step, std::string subject);

// sendmsg() and recvmsg() with descriptors, and their return values. Retry on EINTR; no SIGPIPE.
[[nodiscard]] ssize_t send_with(int socket, std::span<const std::byte> bytes,
                                std::span<const int> descriptors, int flags);
[[nodiscard]] ssize_t receive_with(int socket, std::span<std::byte> bytes,
                                   std::vector<Descriptor>& descriptors);

// Block until all bytes are transferred. False at the end of the stream and on any error.
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
