#include "tidemill/io/redis/transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::redis {
namespace {

void set(int descriptor, int level, int option, int value) {
  ::setsockopt(descriptor, level, option, &value, sizeof value);
}

// Sends small commands at once, and detects a vanished peer within minutes even on an idle
// connection.
void tune(int descriptor) {
  set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, 60);
  set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, 15);
  set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

std::unexpected<Failure> cannot_connect(int error) {
  auto failed = fail_errno("connect", error);
  failed.error().kind = FailureKind::unreachable;
  return failed;
}

Result<Descriptor> connect_to(const SocketAddress& address, const CallDeadline& deadline) {
  const int family = address.bytes.ss_family;
  Descriptor line(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!line.is_open()) return fail_errno("socket", errno);
  if (family != AF_UNIX) tune(line.number());
  const auto* const to = reinterpret_cast<const sockaddr*>(&address.bytes);
  if (::connect(line.number(), to, address.size) == 0) return line;
  if (errno != EINPROGRESS && errno != EINTR) return cannot_connect(errno);
  TRY(deadline.wait(line.number(), POLLOUT));
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(line.number(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return cannot_connect(error);
  return line;
}

SocketAddress address_of(const std::string& path) {
  sockaddr_un named{};
  named.sun_family = AF_UNIX;
  path.copy(named.sun_path, sizeof named.sun_path - 1);
  SocketAddress address{.size = sizeof named};
  std::memcpy(&address.bytes, &named, sizeof named);
  return address;
}

// Tries the addresses in turn, each with its share of the time: the first may never respond.
Result<Descriptor> connect_to(const Endpoint& endpoint, Resolver& resolver,
                              CallDeadline& deadline) {
  if (!endpoint.socket.empty()) return connect_to(address_of(endpoint.socket), deadline);
  LET(const auto addresses, resolver.find(endpoint.host, deadline));
  Result<Descriptor> line = fail(Cure::retry, "the host has no address");
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    {
      const CallDeadline::Share share(deadline, addresses.size() - i);
      line = connect_to(addresses[i], deadline);
    }
    if (line || line.error().cure == Cure::resume) break;
  }
  return line;
}

}  // namespace

Result<Transport> Transport::connect(const Endpoint& endpoint, const Tls* tls, Resolver& resolver,
                                     CallDeadline& deadline) {
  TRY(deadline.check());
  LET(auto line, connect_to(endpoint, resolver, deadline));
  Transport transport(std::move(line));
  if (tls == nullptr) return transport;
  LET(transport.tls_,
      TlsSession::open(*tls, transport.descriptor_.number(), endpoint.host.name, deadline));
  return transport;
}

Result<std::size_t> Transport::write(std::string_view bytes) {
  if (tls_ != nullptr) return tls_->write(bytes);
  const ssize_t size = ::send(descriptor_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (size >= 0) return static_cast<std::size_t>(size);
  if (errno == EAGAIN || errno == EINTR) return 0;
  return fail_errno("write", errno);
}

Result<std::size_t> Transport::read(std::span<char> into) {
  if (tls_ != nullptr) return tls_->read(into);
  const ssize_t size = ::recv(descriptor_.number(), into.data(), into.size(), 0);
  if (size > 0) return static_cast<std::size_t>(size);
  if (size == 0) return fail(Cure::retry, "the server closed the connection");
  if (errno == EAGAIN || errno == EINTR) return 0;
  return fail_errno("read", errno);
}

Result<void> Transport::wait(bool wants_to_write, const CallDeadline& deadline) const {
  const short plain = wants_to_write ? POLLIN | POLLOUT : POLLIN;
  const short events = tls_ != nullptr ? tls_->events(wants_to_write) : plain;
  TRY(deadline.wait(descriptor_.number(), events));
  return {};
}

}  // namespace tidemill::redis
