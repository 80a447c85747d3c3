#include "tidemill/io/web/listener.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <optional>
#include <stop_token>
#include <thread>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/io/web/listening_socket.h"
#include "tidemill/io/web/lobby.h"
#include "tidemill/io/web/request_reader.h"

namespace tidemill::web {
namespace {

std::string_view words_of(int status) {
  static constexpr std::array<std::pair<int, std::string_view>, 15> kWords = {
      {{200, "OK"},
       {202, "Accepted"},
       {204, "No Content"},
       {400, "Bad Request"},
       {401, "Unauthorized"},
       {403, "Forbidden"},
       {404, "Not Found"},
       {405, "Method Not Allowed"},
       {409, "Conflict"},
       {411, "Length Required"},
       {413, "Content Too Large"},
       {431, "Request Header Fields Too Large"},
       {500, "Internal Server Error"},
       {503, "Service Unavailable"},
       {505, "HTTP Version Not Supported"}}};
  const auto* found = std::ranges::find(kWords, status, &std::pair<int, std::string_view>::first);
  return found == kWords.end() ? "Answer" : found->second;
}

std::string bytes_of(const Reply& reply, bool stays_open, bool has_body) {
  std::string bytes = "HTTP/1.1 " + std::to_string(reply.status) + " ";
  bytes += words_of(reply.status);
  if (reply.status != 204) bytes += "\r\nContent-Length: " + std::to_string(reply.body.size());
  if (!reply.body.empty()) bytes += "\r\nContent-Type: text/plain; charset=utf-8";
  if (!reply.allow.empty()) bytes += "\r\nAllow: " + reply.allow;
  bytes += stays_open ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\nConnection: close\r\n\r\n";
  if (has_body && reply.status != 204) bytes += reply.body;
  return bytes;
}

// False: the client is gone, or does not read. Waits for nobody. Never a SIGPIPE.
bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// At once, and the system keeps nothing for a client that does not take it.
void cut_off(Descriptor& socket) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(socket.number(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  socket.close();
}

bool is_ready(const Connection& connection) {
  const auto state = connection.reader.state();
  return !connection.is_leaving &&
         (state == RequestReader::State::whole || state == RequestReader::State::refused);
}

}  // namespace

// Who has a whole request stands in line for a thread. Started: the threads that answer, then the
// one that waits; stopped in the other order, so that nobody joins a line that nobody serves.
struct Listener::Parts {
  Parts(Descriptor door, Descriptor bell, const ListenerOptions& wanted, Answer asked)
      : options(wanted),
        answer(std::move(asked)),
        port(port_of(door)),
        lobby(std::move(door), std::move(bell), wanted,
              [this](Connection one) { stand_in_line(std::move(one)); }) {}

  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  ~Parts() { stop(); }

  [[nodiscard]] Result<void> start();
  void stop();
  void stand_in_line(Connection connection);
  void serve();                                  // until the line is closed and empty
  void serve_one(Connection& connection) const;  // closes it, if it does not stay
  [[nodiscard]] Reply answered(const Incoming& incoming) const;

  struct Line {
    std::deque<Connection> ready{};
    bool is_closed = false;
  };

  const ListenerOptions options;
  const SystemClock clock;
  const Answer answer;
  const std::uint16_t port;
  Guarded<Line> line;
  Lobby lobby;
  std::vector<std::jthread> servers;
  std::jthread waiter;
};

// What there is no memory for costs a client its connection, and no thread.
Result<void> Listener::Parts::start() {
  const auto ignore = [](const Failure&) {};
  const std::size_t count = std::max<std::size_t>(options.threads, 1);
  servers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    LET(auto server, start_thread("the listener", [this] { serve(); }, ignore));
    servers.push_back(std::move(server));
  }
  LET(waiter, start_thread(
                  "the listener",
                  [this](const std::stop_token& stop) {
                    while (!contained([&] { lobby.run(stop); }) && !stop.stop_requested()) {
                    }
                  },
                  ignore));
  return {};
}

void Listener::Parts::stop() {
  waiter.request_stop();
  if (waiter.joinable()) waiter.join();
  line.update([](Line& now) { now.is_closed = true; });
  servers.clear();
}

void Listener::Parts::stand_in_line(Connection connection) {
  line.update([&](Line& now) { now.ready.push_back(std::move(connection)); });
}

void Listener::Parts::serve() {
  while (true) {
    std::optional<Connection> next;
    {
      auto now = line.lock();
      now.wait([](const Line& l) { return !l.ready.empty() || l.is_closed; });
      if (now->ready.empty()) return;
      next = std::move(now->ready.front());
      now->ready.pop_front();
    }
    if (!contained([&] { serve_one(*next); })) next->socket.close();
    const bool is_open = next->socket.is_open();
    if (is_open && !is_ready(*next)) {
      lobby.take_back(*std::move(next));
    } else if (is_open && clock.now() < next->until) {
      stand_in_line(*std::move(next));
    } else {
      lobby.let_go(*std::move(next));
    }
  }
}

Reply Listener::Parts::answered(const Incoming& incoming) const {
  try {
    return answer(incoming);
  } catch (...) {  // whatever it is, the others are to be served
    return {.status = 500, .body = "error\n"};
  }
}

// One request, also when more have come: the others want their turn.
void Listener::Parts::serve_one(Connection& connection) const {
  const int socket = connection.socket.number();
  if (connection.reader.state() == RequestReader::State::whole) {
    const bool stays_open = connection.reader.stays_open();
    const Incoming incoming = connection.reader.take();
    const Reply reply = answered(incoming);
    const auto bytes = bytes_of(reply, stays_open, incoming.method != "HEAD");
    if (!send_all(socket, bytes)) {
      cut_off(connection.socket);
    } else if (!stays_open) {
      connection.socket.close();
    }
    return;
  }
  // Closed now, with bytes of the client unread, the connection would be reset, and the answer with
  // it be lost: so the client is told, and what it still sends is read and thrown away for a while.
  const Reply reply{.status = connection.reader.refusal(), .body = "refused\n"};
  if (!send_all(socket, bytes_of(reply, false, true)) || shutdown(socket, SHUT_WR) != 0) {
    cut_off(connection.socket);
  }
  connection.is_leaving = true;
}

Listener::Listener(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Listener::~Listener() = default;

std::uint16_t Listener::port() const { return parts_->port; }

Result<std::unique_ptr<Listener>> Listener::start(const ListenerOptions& options, Answer answer) {
  LET(Descriptor door, listen_on(options.address));
  LET(Descriptor bell, Lobby::make_bell());
  auto parts =
      std::make_unique<Parts>(std::move(door), std::move(bell), options, std::move(answer));
  TRY(parts->start());
  return std::unique_ptr<Listener>(new Listener(std::move(parts)));
}

}  // namespace tidemill::web
