#include "tidemill/io/web/listener.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <stop_token>
#include <thread>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/io/web/connection_poller.h"
#include "tidemill/io/web/listening_socket.h"
#include "tidemill/io/web/request_reader.h"

namespace tidemill::web {
namespace {

// False: the client is gone or does not read. Never blocks, never raises SIGPIPE.
bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EINTR) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// Closes with a reset, so that the kernel keeps no unsent data.
void reset_connection(Descriptor& socket) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(socket.number(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  socket.close();
}

bool is_ready(const WebConnection& connection) {
  const auto state = connection.reader.state();
  return !connection.is_leaving &&
         (state == RequestReader::State::whole || state == RequestReader::State::refused);
}

}  // namespace

// Connections with a complete request are queued for the answering threads. These start before the
// polling thread and stop after it, so that every queued connection is served.
struct Listener::State {
  State(Descriptor listening, Descriptor bell, const ListenerOptions& wanted, Answer asked)
      : options(wanted),
        answer(std::move(asked)),
        port(port_of(listening)),
        poller(std::move(listening), std::move(bell), wanted,
               [this](WebConnection one) { enqueue(std::move(one)); }) {}

  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { stop(); }

  [[nodiscard]] Result<void> start();
  void stop();
  void enqueue(WebConnection connection);
  void serve();                                     // until the queue is closed and empty
  void serve_one(WebConnection& connection) const;  // closes it unless it stays open
  [[nodiscard]] WebReply answered(const Incoming& incoming) const;

  struct Queue {
    std::deque<WebConnection> ready{};
    bool is_closed = false;
  };

  const ListenerOptions options;
  const SystemClock clock;
  const Answer answer;
  const std::uint16_t port;
  Guarded<Queue> queue;
  ConnectionPoller poller;
  std::vector<std::jthread> servers;
  std::jthread waiter;
};

// Running out of memory costs a client its connection, but never ends a thread.
Result<void> Listener::State::start() {
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
                    while (!contained([&] { poller.run(stop); }) && !stop.stop_requested()) {
                    }
                  },
                  ignore));
  return {};
}

void Listener::State::stop() {
  waiter.request_stop();
  if (waiter.joinable()) waiter.join();
  queue.update([](Queue& now) { now.is_closed = true; });
  servers.clear();
}

void Listener::State::enqueue(WebConnection connection) {
  queue.update([&](Queue& now) { now.ready.push_back(std::move(connection)); });
}

void Listener::State::serve() {
  while (true) {
    std::optional<WebConnection> next;
    {
      auto now = queue.lock();
      now.wait([](const Queue& q) { return !q.ready.empty() || q.is_closed; });
      if (now->ready.empty()) return;
      next = std::move(now->ready.front());
      now->ready.pop_front();
    }
    if (!contained([&] { serve_one(*next); })) next->socket.close();
    const bool is_open = next->socket.is_open();
    if (is_open && !is_ready(*next)) {
      poller.take_back(*std::move(next));
    } else if (is_open && clock.now() < next->until) {
      enqueue(*std::move(next));
    } else {
      poller.let_go(*std::move(next));
    }
  }
}

WebReply Listener::State::answered(const Incoming& incoming) const {
  try {
    return answer(incoming);
  } catch (...) {  // the other clients must still be served
    return {.status = 500, .body = "error\n"};
  }
}

// Answers one request, even if more have arrived: other clients come next.
void Listener::State::serve_one(WebConnection& connection) const {
  const int socket = connection.socket.number();
  if (connection.reader.state() == RequestReader::State::whole) {
    const bool stays_open = connection.reader.stays_open();
    Incoming incoming = connection.reader.take();
    const bool has_body = incoming.method != "HEAD";
    if (!has_body) incoming.method = "GET";
    const auto bytes = bytes_of(answered(incoming), stays_open, has_body);
    if (!send_all(socket, bytes)) {
      reset_connection(connection.socket);
    } else if (!stays_open) {
      connection.socket.close();
    }
    return;
  }
  // Closing now, with unread input, would reset the connection and lose the answer. So send the
  // refusal, then read and discard further input for a while.
  const WebReply reply{.status = connection.reader.refusal(), .body = "refused\n"};
  if (!send_all(socket, bytes_of(reply, false, true)) || shutdown(socket, SHUT_WR) != 0) {
    reset_connection(connection.socket);
  }
  connection.is_leaving = true;
}

Listener::Listener(std::unique_ptr<State> state) : state_(std::move(state)) {}

Listener::~Listener() = default;

std::uint16_t Listener::port() const { return state_->port; }

Result<std::unique_ptr<Listener>> Listener::start(const ListenerOptions& options, Answer answer) {
  LET(Descriptor listening, listen_on(options.address));
  LET(Descriptor bell, ConnectionPoller::make_bell());
  auto state =
      std::make_unique<State>(std::move(listening), std::move(bell), options, std::move(answer));
  TRY(state->start());
  return std::unique_ptr<Listener>(new Listener(std::move(state)));
}

}  // namespace tidemill::web
