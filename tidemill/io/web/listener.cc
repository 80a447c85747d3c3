#include "tidemill/io/web/listener.h"

#include <sys/socket.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/io/web/connection_poller.h"
#include "tidemill/io/web/listening_socket.h"
#include "tidemill/io/web/outgoing.h"
#include "tidemill/io/web/request_reader.h"

namespace tidemill::web {

// Connections with a complete request are queued for the answering threads. These start before the
// polling thread and stop after it, so that every queued connection is served.
struct Listener::State {
  State(ListeningSocket listening, Descriptor bell, const ListenerOptions& wanted, Answer asked)
      : options(wanted),
        answer(std::move(asked)),
        name(std::move(listening.name)),
        port(port_of(listening.socket)),
        poller(std::move(listening.socket), std::move(bell), wanted,
               [this](WebConnection one) { enqueue(std::move(one)); }) {}

  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { stop(); }

  [[nodiscard]] Result<void> start();
  void stop();
  void enqueue(WebConnection connection);
  void serve();                                     // until the queue is closed and empty
  void serve_one(WebConnection& connection) const;  // closes it unless it stays open
  [[nodiscard]] bool send_answer(WebConnection& connection) const;
  [[nodiscard]] WebReply answered(const Incoming& incoming) const;

  struct Queue {
    std::deque<WebConnection> ready{};
    bool is_closed = false;
  };

  const ListenerOptions options;
  const SystemClock clock;
  const Answer answer;
  const UnixName name;  // removed after all clients were answered
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
    if (next->socket.is_open() && (next->outgoing.is_pending() || !has_next(*next))) {
      poller.take_back(*std::move(next));
    } else if (next->socket.is_open() && clock.now() < next->until) {
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
  if (connection.reader.state() == RequestReader::State::whole) {
    const bool stays_open = connection.reader.stays_open();
    Incoming incoming = connection.reader.take();
    incoming.peer_user = connection.peer_user;
    const bool has_body = incoming.method != "HEAD";
    if (!has_body) incoming.method = "GET";
    connection.outgoing = Outgoing(bytes_of(answered(incoming), stays_open, has_body), !stays_open);
    if (send_answer(connection) && !stays_open) connection.socket.close();
    return;
  }
  // Closing now, with unread input, would reset the connection and lose the answer. So send the
  // refusal, then read and discard further input for a while.
  const WebReply refusal{.status = connection.reader.refusal(), .body = "refused\n"};
  connection.outgoing = Outgoing(bytes_of(refusal, false, true), true);
  if (send_answer(connection) && shutdown(connection.socket.number(), SHUT_WR) != 0) {
    reset_connection(connection.socket);
  }
  connection.is_leaving = true;
}

// True: all of it is sent. Else the poller sends the rest, or the client is gone.
bool Listener::State::send_answer(WebConnection& connection) const {
  const Instant now = clock.now();
  switch (connection.outgoing.send_to(connection.socket, now)) {
    case Outgoing::State::sent:
      connection.outgoing = {};
      return true;
    case Outgoing::State::waits:
      // Once for all answers, so that a client cannot stay for as long as it has requests.
      if (!std::exchange(connection.is_late, true)) connection.until = now + options.send_timeout;
      return false;
    case Outgoing::State::lost:
      break;
  }
  reset_connection(connection.socket);
  return false;
}

Listener::Listener(std::unique_ptr<State> state) : state_(std::move(state)) {}

Listener::~Listener() = default;

std::uint16_t Listener::port() const { return state_->port; }

Result<std::unique_ptr<Listener>> Listener::start(const ListenerOptions& options, Answer answer) {
  LET(ListeningSocket listening, listen_on(options.address));
  LET(Descriptor bell, ConnectionPoller::make_bell());
  auto state =
      std::make_unique<State>(std::move(listening), std::move(bell), options, std::move(answer));
  TRY(state->start());
  return std::unique_ptr<Listener>(new Listener(std::move(state)));
}

}  // namespace tidemill::web
