#include "tidemill/io/web/connection_poller.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace tidemill::web {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;  // per read
constexpr std::size_t kBell = 0;
constexpr std::size_t kListening = 1;
constexpr std::size_t kFirst = 2;
// How long to stop accepting when the system has no descriptor left.
constexpr std::chrono::milliseconds kPause{100};
constexpr int kAtOnce = 64;  // clients accepted between two polls
// How many bytes of answers a client may leave unread before they are held here.
constexpr int kUnread = 64 << 10U;

void set(const Descriptor& socket, int level, int option, int value) {
  (void)setsockopt(socket.number(), level, option, &value, sizeof value);
}

std::optional<std::uint32_t> user_at(const Descriptor& socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace

bool has_next(const WebConnection& connection) {
  const auto state = connection.reader.state();
  return !connection.is_leaving &&
         (state == RequestReader::State::whole || state == RequestReader::State::refused);
}

Result<Descriptor> ConnectionPoller::make_bell() {
  Descriptor bell(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell.is_open()) {
    return fail(Cure::give_up, "listen", "eventfd: " + std::system_category().message(errno));
  }
  return bell;
}

ConnectionPoller::ConnectionPoller(Descriptor listening, Descriptor bell, ListenerOptions options,
                                   HandOver served_by)
    : options_(std::move(options)),
      served_by_(std::move(served_by)),
      by_address_(options_.per_address),
      listening_(std::move(listening)),
      buffer_(kPiece),
      bell_(std::move(bell)) {}

void ConnectionPoller::ring() {
  const std::uint64_t once = 1;
  (void)!write(bell_.number(), &once, sizeof once);  // fails only if already signalled
}

void ConnectionPoller::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { ring(); });
  while (!stop.stop_requested()) {
    wait();
    serve_polled();
    collect_returned();
    accept_clients();
  }
  listening_.close();
  waiting_.clear();
}

void ConnectionPoller::wait() {
  const bool has_memory = held() < std::max(options_.most_held, options_.most_body).count;
  watched_.assign(kFirst, {});
  watched_[kBell] = {.fd = bell_.number(), .events = POLLIN, .revents = 0};
  watched_[kListening] = {
      .fd = has_place() ? listening_.number() : -1, .events = POLLIN, .revents = 0};
  for (const WebConnection& one : waiting_) {
    const bool may_read = has_memory || one.is_leaving;  // else only detect a hang-up
    const short reading = may_read ? POLLIN : POLLRDHUP;
    // Nothing is read from a client that does not read: it would send more than it takes.
    const short events = one.outgoing.is_pending() ? POLLOUT : reading;
    watched_.push_back({.fd = one.socket.number(), .events = events, .revents = 0});
  }
  (void)poll(watched_.data(), watched_.size(), poll_timeout());
  std::uint64_t rung = 0;
  (void)!read(bell_.number(), &rung, sizeof rung);
}

bool ConnectionPoller::has_place() const {
  return waiting_.size() + outside_ < options_.connections && clock_.now() >= closed_until_;
}

std::size_t ConnectionPoller::held() const {
  std::size_t sum = held_outside_;
  for (const WebConnection& one : waiting_) sum += one.reader.held();
  return sum;
}

int ConnectionPoller::poll_timeout() const {
  const Instant now = clock_.now();
  Instant next = now + std::chrono::minutes(1);
  if (closed_until_ > now) next = std::min(next, closed_until_);
  for (const WebConnection& one : waiting_) next = std::min(next, one.until);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

// A limited number at a time: clients that are closed at once take no place, so the loop might not
// end.
void ConnectionPoller::accept_clients() {
  for (int count = 0; count < kAtOnce && has_place(); ++count) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    Descriptor socket(accept4(listening_.number(),
                              reinterpret_cast<sockaddr*>(&from),  // NOLINT: as sockets have it
                              &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) {
      // Continue after a signal and after a client that left before it was accepted.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        closed_until_ = clock_.now() + kPause;
      }
      if (errno == ECONNABORTED || errno == EINTR) continue;
      return;
    }
    const bool is_local = from.ss_family == AF_UNIX;
    std::optional<AddressLimit::Slot> slot;
    if (is_local) slot.emplace();
    if (!is_local) slot = by_address_.enter(from);
    if (!slot) continue;
    const auto peer_user = is_local ? user_at(socket) : std::nullopt;
    // An answer is sent in one piece, and the client waits for it.
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set(socket, SOL_SOCKET, SO_SNDBUF, kUnread);
    waiting_.push_back({.socket = std::move(socket),
                        .reader = RequestReader(options_.most_body, options_.most_body_of),
                        .slot = *std::move(slot),
                        .peer_user = peer_user,
                        .until = clock_.now() + options_.read_timeout});
  }
}

// The polled connections are the first elements of waiting_, in the same order.
void ConnectionPoller::serve_polled() {
  const Instant now = clock_.now();
  std::vector<WebConnection> kept;
  for (std::size_t at = 0; at < waiting_.size(); ++at) {
    WebConnection& one = waiting_[at];
    const bool is_ready = at + kFirst < watched_.size() && watched_[at + kFirst].revents != 0;
    const bool is_sending = one.outgoing.is_pending();
    Stay stay = Stay::waits;
    if (is_ready) stay = is_sending ? write_to(one) : read_from(one);
    if (stay == Stay::served) {
      hand_over(std::move(one));
    } else if (stay == Stay::waits && one.until > now) {
      kept.push_back(std::move(one));
    } else if (is_sending) {
      reset_connection(one.socket);
    }
  }
  waiting_ = std::move(kept);
}

ConnectionPoller::Stay ConnectionPoller::read_from(WebConnection& connection) {
  const ssize_t size = recv(connection.socket.number(), buffer_.data(), buffer_.size(), 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR ? Stay::waits : Stay::gone;
  if (size == 0) return Stay::gone;
  if (connection.is_leaving) return Stay::waits;
  if (connection.reader.is_empty()) connection.until = clock_.now() + options_.read_timeout;
  connection.reader.feed({buffer_.data(), static_cast<std::size_t>(size)});
  if (connection.reader.wants_word()) {
    static constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
    (void)send(connection.socket.number(), kGoOn.data(), kGoOn.size(), MSG_NOSIGNAL);
  }
  return has_next(connection) ? Stay::served : Stay::waits;
}

// One piece at a time: other clients come next.
ConnectionPoller::Stay ConnectionPoller::write_to(WebConnection& connection) {
  const auto state = connection.outgoing.send_to(connection.socket, clock_.now());
  if (state == Outgoing::State::lost) return Stay::gone;
  if (state == Outgoing::State::waits) return Stay::waits;
  const bool is_last = std::exchange(connection.outgoing, {}).is_last();
  if (!is_last && has_next(connection)) return Stay::served;
  if (is_last) {  // closing now, with unread input, would reset the connection and lose the answer
    if (shutdown(connection.socket.number(), SHUT_WR) != 0) return Stay::gone;
    connection.is_leaving = true;
  }
  connection.until = clock_.now() + options_.read_timeout;
  connection.is_late = false;
  return Stay::waits;
}

void ConnectionPoller::hand_over(WebConnection connection) {
  connection.counted = connection.reader.held();
  outside_ += 1;
  held_outside_ += connection.counted;
  served_by_(std::move(connection));
}

void ConnectionPoller::take_back(WebConnection connection) {
  const std::size_t counted = connection.counted;
  const std::size_t unsent = connection.outgoing.held();
  if (unsent == 0) {
    connection.until = clock_.now() + options_.read_timeout;
    connection.is_late = false;
  }
  const bool has_room = returned_.update([&](Returned& returned) {
    if (unsent > 0 && returned.unsent + unsent > options_.most_unsent.count) return false;
    returned.connections.push_back(std::move(connection));
    returned.unsent += unsent;
    return true;
  });
  if (has_room) {
    forget(counted);
  } else {
    reset_connection(connection.socket);
    let_go(std::move(connection));
  }
}

// Frees the place and the address slot before the poller accepts the next client.
void ConnectionPoller::let_go(WebConnection connection) {
  const std::size_t counted = connection.counted;
  connection.socket.close();
  connection.slot = {};
  forget(counted);
}

void ConnectionPoller::forget(std::size_t counted) {
  held_outside_ -= counted;
  outside_ -= 1;
  ring();
}

void ConnectionPoller::collect_returned() {
  Returned returned;
  returned_.update([&](Returned& now) { std::swap(now, returned); });
  for (WebConnection& one : returned.connections) {
    const std::size_t size = one.outgoing.held();
    while (size > 0 && unsent() + size > options_.most_unsent.count) close_slowest_reader();
    waiting_.push_back(std::move(one));
  }
}

std::size_t ConnectionPoller::unsent() const {
  std::size_t sum = 0;
  for (const WebConnection& one : waiting_) sum += one.outgoing.held();
  return sum;
}

// The one whose client has not read for the longest time: those that read are served to the end,
// however many others do not.
void ConnectionPoller::close_slowest_reader() {
  const auto moved = [](const WebConnection& one) {
    return one.outgoing.is_pending() ? one.outgoing.moved() : Instant::max();
  };
  const auto slowest = std::ranges::min_element(waiting_, {}, moved);
  reset_connection(slowest->socket);
  waiting_.erase(slowest);
}

}  // namespace tidemill::web
