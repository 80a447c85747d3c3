#include "tidemill/io/sandbox/messages.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tidemill/base/system_text.h"

namespace tidemill::sandbox {
namespace {

constexpr std::size_t kControlSize = CMSG_SPACE(sizeof(int) * kMostDescriptors);

struct Message {
  alignas(cmsghdr) std::array<char, kControlSize> control{};
  iovec piece{};
  msghdr header{};

  Message(void* bytes, std::size_t size) : piece{.iov_base = bytes, .iov_len = size} {
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
};

void attach(Message& message, std::span<const int> descriptors) {
  if (descriptors.empty()) return;
  message.header.msg_control = message.control.data();
  message.header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* const head = CMSG_FIRSTHDR(&message.header);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
}

void detach(msghdr& header, std::vector<Descriptor>& descriptors) {
  for (cmsghdr* head = CMSG_FIRSTHDR(&header); head != nullptr; head = CMSG_NXTHDR(&header, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t at = 0; at < count; ++at) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + at * sizeof(int), sizeof number);
      descriptors.emplace_back(number);
    }
  }
}

}  // namespace

Result<Pair> make_pair(int type) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_with(errno, "start", "socketpair");
  }
  return Pair{.ours = Descriptor(ends[0]), .theirs = Descriptor(ends[1])};
}

std::unexpected<Failure> fail_with(int error, std::string step, std::string subject) {
  const bool is_shortage = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
  return fail(is_shortage ? Cure::retry : Cure::give_up, std::move(step),
              std::move(subject) + ": " + system_text(error));
}

ssize_t send_with(int socket, std::span<const std::byte> bytes, std::span<const int> descriptors,
                  int flags) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): iovec has no const, sendmsg() reads
  Message message(const_cast<std::byte*>(bytes.data()), bytes.size());
  attach(message, descriptors);
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(socket, &message.header, flags | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

ssize_t receive_with(int socket, std::span<std::byte> bytes, std::vector<Descriptor>& descriptors) {
  Message message(bytes.data(), bytes.size());
  message.header.msg_control = message.control.data();
  message.header.msg_controllen = message.control.size();
  ssize_t received = -1;
  do {
    received = ::recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received >= 0) detach(message.header, descriptors);
  return received;
}

bool write_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send_with(socket, bytes, {}, 0);
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool read_all(int socket, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::read(socket, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace tidemill::sandbox
