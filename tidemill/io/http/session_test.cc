// The test server is a socket and a function, because it must also send what a real server never
// sends.
#include "tidemill/io/http/session.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "tidemill/base/clock.h"
#include "tidemill/base/descriptor.h"
#include "tidemill/base/guarded.h"
#include "tidemill/testing/few_descriptors.h"

namespace tidemill::http {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

// One connection, on the server side.
struct Peer {
  int socket = -1;
  std::string early{};  // bytes of the next request

  bool more() {
    std::array<char, 4096> buffer{};
    const auto count = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (count > 0) early.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0;
  }

  // A complete request; empty when the client has closed.
  std::string request() {
    std::size_t end = 0;
    while ((end = early.find("\r\n\r\n")) == std::string::npos) {
      if (!more()) return {};
    }
    end += 4;
    constexpr std::string_view kLength = "Content-Length: ";
    const auto length = early.find(kLength);
    if (length < end) end += std::stoul(early.substr(length + kLength.size()));
    while (early.size() < end) {
      if (!more()) return {};
    }
    std::string whole = early.substr(0, end);
    early.erase(0, end);
    return whole;
  }

  // False when the client has closed.
  bool say(std::string_view text) const {
    while (!text.empty()) {
      const auto count = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  void wait_for_the_end() {
    while (more()) early.clear();
  }
};

// Serves one client after another. A connection ends when the function returns.
class Server {
 public:
  using Talk = std::function<void(Peer&)>;

  explicit Server(Talk talk)
      : talk_(std::move(talk)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.number(), plain, size), 0);
    EXPECT_EQ(::listen(listener_.number(), 16), 0);
    EXPECT_EQ(::getsockname(listener_.number(), plain, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    ::shutdown(listener_.number(), SHUT_RDWR);  // makes accept() return
    state_.update([](State& state) {
      if (state.open >= 0) ::shutdown(state.open, SHUT_RDWR);
      state.is_over = true;
    });
  }

  [[nodiscard]] std::string place() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::string url() const { return "http://" + place() + "/api"; }
  [[nodiscard]] int connections() { return state_.lock()->connections; }

 private:
  struct State {
    int connections = 0;
    int open = -1;
    bool is_over = false;
  };

  void serve() {
    while (true) {
      // accept4() allocates its descriptor before it waits; FewDescriptors may leave none for it.
      pollfd caller{.fd = listener_.number(), .events = POLLIN, .revents = 0};
      ::poll(&caller, 1, -1);
      const Descriptor one(::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!one.is_open()) return;
      const bool is_over = state_.update([&](State& state) {
        ++state.connections;
        state.open = one.number();
        return state.is_over;
      });
      if (is_over) return;
      Peer peer{.socket = one.number()};
      talk_(peer);
      state_.update([](State& state) { state.open = -1; });
    }
  }

  Talk talk_;
  Descriptor listener_;
  int port_ = 0;
  Guarded<State> state_;
  std::jthread thread_;
};

// Sends the same response to every request of a connection.
Server::Talk says(std::string text) {
  return [text = std::move(text)](Peer& peer) {
    while (!peer.request().empty()) {
      if (!peer.say(text)) return;
    }
  };
}

// Responds once, then closes the connection.
Server::Talk says_and_goes(std::string text) {
  return [text = std::move(text)](Peer& peer) {
    if (peer.request().empty() || !peer.say(text)) return;
    ::shutdown(peer.socket, SHUT_WR);
    peer.wait_for_the_end();
  };
}

std::unique_ptr<Session> session_of(SessionOptions options = {}) {
  ::setenv("no_proxy", "127.0.0.1", 1);  // this machine may have a proxy
  auto session = Session::open(std::move(options));
  EXPECT_TRUE(session) << text_of(session.error());
  return *std::move(session);
}

HttpRequest post(std::string url, std::string body = "{}") {
  return {.url = std::move(url), .body = std::move(body)};
}

Failure failure_of(const Result<HttpResponse>& result) {
  return result ? Failure{.step = "none", .reason = result->body} : result.error();
}

void expect_failure(const Result<HttpResponse>& result, std::string_view step, Cure cure) {
  const Failure failure = failure_of(result);
  EXPECT_EQ(failure.step, step) << text_of(failure);
  EXPECT_EQ(failure.cure, cure) << text_of(failure);
}

Failure failure_with(std::string answer, SessionOptions options = {}) {
  Server server(says_and_goes(std::move(answer)));
  return failure_of(session_of(std::move(options))->exchange(post(server.url())));
}

TEST(Session, SendsTheRequestAndReturnsTheResponse) {
  Guarded<std::string> seen;
  Server server([&](Peer& peer) {
    const std::string request = peer.request();
    seen.update([&](std::string& text) { text = request; });
    peer.say(
        "HTTP/1.1 100 Continue\r\nX-Early: 1\r\n\r\n"
        "HTTP/1.1 418 I'm a teapot\r\nX-Two-Words:  a b \r\nContent-Length: 5\r\n\r\n");
    peer.say(std::string("a\0b\r\n", 5));
    peer.wait_for_the_end();
  });
  const auto session = session_of({.agent = "mill/1"});
  HttpRequest request = post(server.url() + "?a=b", std::string("x\0y", 3));
  request.headers = {{"Authorization", "Bearer key"}, {"X-Empty", ""}};
  const auto response = session->exchange(request);
  ASSERT_TRUE(response) << text_of(response.error());
  EXPECT_EQ(response->status, 418);
  EXPECT_EQ(response->headers, (Headers{{"x-two-words", "a b"}, {"content-length", "5"}}));
  EXPECT_EQ(response->body, std::string("a\0b\r\n", 5));
  const std::string sent = *seen.lock();
  EXPECT_TRUE(sent.starts_with("POST /api?a=b HTTP/1.1\r\n")) << sent;
  EXPECT_TRUE(sent.ends_with(std::string("\r\n\r\nx\0y", 7))) << sent;
  EXPECT_TRUE(sent.contains("\r\nAuthorization: Bearer key\r\n")) << sent;
  EXPECT_TRUE(sent.contains("\r\nX-Empty:\r\n")) << sent;
  EXPECT_TRUE(sent.contains("\r\nUser-Agent: mill/1\r\n")) << sent;
  EXPECT_FALSE(sent.contains("Expect")) << sent;
  EXPECT_FALSE(sent.contains("form-urlencoded")) << sent;
}

TEST(Session, SendsALargeBodyWithoutWaitingFor100Continue) {
  Server server([](Peer& peer) {
    const auto request = peer.request();
    if (request.size() > 3'000'000 && !request.contains("Expect")) peer.say(kOk);
  });
  const auto response = session_of()->exchange(post(server.url(), std::string(3'000'000, 'x')));
  ASSERT_TRUE(response) << text_of(response.error());
  EXPECT_EQ(response->body, "ok");
}

TEST(Session, SendsEveryMethodAsNamed) {
  Guarded<std::string> seen;
  Server server([&](Peer& peer) {
    for (std::string request; !(request = peer.request()).empty();) {
      seen.update([&](std::string& text) { text += request.substr(0, request.find(' ')) + " "; });
      peer.say(request.starts_with("HEAD") ? kOk.substr(0, kOk.size() - 2) : kOk);
    }
  });
  const auto session = session_of();
  for (const char* method : {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"}) {
    const auto response = session->exchange({.method = method, .url = server.url()});
    ASSERT_TRUE(response) << method << text_of(response.error());
    EXPECT_EQ(response->status, 200) << method;
  }
  EXPECT_EQ(*seen.lock(), "GET HEAD POST PUT DELETE PATCH ");
  EXPECT_EQ(server.connections(), 1);
}

TEST(Session, TwoRequestsUseOneConnection) {
  Server server(says(std::string(kOk)));
  const auto session = session_of();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(session->exchange(post(server.url())));
  EXPECT_EQ(server.connections(), 1);
}

TEST(Session, ReportsATruncatedResponseAsRetryable) {
  const std::string sized = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nten bytes.";
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
  for (const std::string& answer : {std::string(), std::string("HTTP/1.1 2"), sized, chunked}) {
    const Failure failure = failure_with(answer);
    EXPECT_EQ(failure.step, "cut") << answer << text_of(failure);
    EXPECT_EQ(failure.cure, Cure::retry) << answer;
  }
}

// By default libcurl would resend it over a new connection, but the server may have acted, and the
// caller must be able to check first.
TEST(Session, ARequestIsNeverSentTwiceInOneExchange) {
  Guarded<int> requests;
  Server server([&](Peer& peer) {
    while (!peer.request().empty()) {
      const int count = requests.update([](int& n) { return ++n; });
      if (count == 2 || !peer.say(kOk)) return;
    }
  });
  const auto session = session_of();
  EXPECT_TRUE(session->exchange(post(server.url())));
  expect_failure(session->exchange(post(server.url())), "cut", Cure::retry);
  EXPECT_EQ(*requests.lock(), 2);
  EXPECT_TRUE(session->exchange(post(server.url())));
}

// How long a request takes that is stopped after the server has received it. It is the second one
// of a connection, because libcurl wakes up periodically while it connects.
Instant::duration time_of_a_stopped_request() {
  std::stop_source stop;
  Server server([&](Peer& peer) {
    (void)peer.request();
    peer.say(kOk);
    (void)peer.request();
    stop.request_stop();
    peer.wait_for_the_end();
  });
  const auto session = session_of();
  EXPECT_TRUE(session->exchange(post(server.url()), stop.get_token()));
  const SystemClock clock;
  const Instant start = clock.now();
  expect_failure(session->exchange(post(server.url()), stop.get_token()), "stopped", Cure::resume);
  return clock.now() - start;
}

// The machine may be slow once, but a session that is late is late each time.
TEST(Session, StopEndsAnExchangeAtOnce) {
  constexpr auto kAtOnce = 5s;  // without a wake-up, libcurl would check after 10 s
  auto took = Instant::duration::max();
  for (int tries = 0; tries < 5 && took >= kAtOnce; ++tries) {
    took = std::min(took, time_of_a_stopped_request());
  }
  EXPECT_LT(took, kAtOnce);
}

TEST(Session, SendsNothingAfterAStop) {
  Server server(says(std::string(kOk)));
  std::stop_source stop;
  stop.request_stop();
  const auto session = session_of();
  expect_failure(session->exchange(post(server.url()), stop.get_token()), "stopped", Cure::resume);
  EXPECT_EQ(server.connections(), 0);
  EXPECT_TRUE(session->exchange(post(server.url())));
}

TEST(Session, TimesOutWhenTheResponseIsIncomplete) {
  Server server([](Peer& peer) {
    (void)peer.request();
    peer.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1");
    peer.wait_for_the_end();
  });
  const auto session = session_of({.timeout = 2s});  // enough to connect on a busy machine
  expect_failure(session->exchange(post(server.url())), "timeout", Cure::retry);
}

TEST(Session, FailsToConnectWhenTheServerIsDown) {
  std::string url;
  {
    const Server gone(says(std::string(kOk)));
    url = gone.url();
  }
  expect_failure(session_of()->exchange(post(url)), "connect", Cure::retry);
}

TEST(Session, ReportsALackOfDescriptorsAsALocalShortage) {
  const Server server(says(std::string(kOk)));
  const auto session = session_of();
  {
    const int next = Descriptor(::dup(STDIN_FILENO)).number();
    const testing::FewDescriptors none_left(static_cast<rlim_t>(next));
    const auto failed = session->exchange(post(server.url()));
    expect_failure(failed, "socket", Cure::retry);
    EXPECT_EQ(failed.error().kind, FailureKind::shortage);
  }
  EXPECT_TRUE(session->exchange(post(server.url())));
}

TEST(Session, AnAnswerAboveTheLimitIsRefused) {
  const SessionOptions options{.most_body = {.count = 10}};
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const auto step = [&](const std::string& answer) { return failure_with(answer, options).step; };
  EXPECT_EQ(step("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789"), "none");
  EXPECT_EQ(step("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"), "answer");
  EXPECT_EQ(step("HTTP/1.1 200 OK\r\n\r\n0123456789a"), "answer");
  EXPECT_EQ(step(chunked + "a\r\n0123456789\r\n0\r\n\r\n"), "none");
  EXPECT_EQ(step(chunked + "a\r\n0123456789\r\n1\r\n0\r\n0\r\n\r\n"), "answer");
}

TEST(Session, RejectsEndlessHeaders) {
  const auto endless = [](std::string start, std::string part) {
    return [start = std::move(start), part = std::move(part)](Peer& peer) {
      if (peer.request().empty() || !peer.say(start)) return;
      for (int i = 0; i < 10'000 && peer.say(part); ++i) continue;
      peer.wait_for_the_end();
    };
  };
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const auto& talk : {endless(ok, "X-One: " + std::string(100, 'x') + "\r\n"),
                           endless(ok + "X-One: ", std::string(1000, 'x')),
                           endless("", "HTTP/1.1 100 Continue\r\n\r\n")}) {
    Server server(talk);
    expect_failure(session_of()->exchange(post(server.url())), "answer", Cure::give_up);
  }
}

TEST(Session, RejectsAResponseThatIsNotHttp) {
  for (const char* garbage : {"SSH-2.0-OpenSSH_9.2\r\n", "\x16\x03\x01\x02\r\n\r\n", "<html>\n"}) {
    const Failure failure = failure_with(garbage);
    EXPECT_EQ(failure.step, "answer") << garbage << text_of(failure);
    EXPECT_EQ(failure.cure, Cure::give_up) << garbage;
  }
}

TEST(Session, ReturnsARedirectWithoutFollowingIt) {
  Server elsewhere(says(std::string(kOk)));
  Server server(says("HTTP/1.1 307 Temporary Redirect\r\nLocation: " + elsewhere.url() +
                     "\r\nContent-Length: 0\r\n\r\n"));
  HttpRequest request = post(server.url());
  request.headers = {{"Authorization", "Bearer key"}};
  const auto response = session_of()->exchange(request);
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 307);
  ASSERT_NE(response->header("location"), nullptr);
  EXPECT_EQ(*response->header("location"), elsewhere.url());
  EXPECT_EQ(elsewhere.connections(), 0);  // so no key was sent there
}

// Requests to this machine must not go through a remote proxy, which could read them.
TEST(Session, BypassesTheEnvironmentProxyForLoopback) {
  Server proxy(says(std::string(kOk)));
  Server server(says(std::string(kOk)));
  const auto session = session_of();
  ::unsetenv("no_proxy");
  ::setenv("http_proxy", ("http://" + proxy.place()).c_str(), 1);
  EXPECT_TRUE(session->exchange(post(server.url())));
  EXPECT_TRUE(session->exchange(post("http://documents.invalid/api")));
  ::unsetenv("http_proxy");
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(proxy.connections(), 1);
}

TEST(Session, SendsTheFullUrlToAProxy) {
  Guarded<std::string> seen;
  Server server([&](Peer& peer) {
    const std::string request = peer.request();
    seen.update([&](std::string& text) { text = request; });
    peer.say(kOk);
    peer.wait_for_the_end();
  });
  const auto session = session_of({.proxy = "http://" + server.place()});
  EXPECT_TRUE(session->exchange(post("http://documents.invalid/api")));
  EXPECT_TRUE(seen.lock()->starts_with("POST http://documents.invalid/api HTTP/1.1\r\n"));
}

TEST(Session, FailsToConnectWhenTheProxyRefuses) {
  Server server(says_and_goes("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"));
  const auto session = session_of({.proxy = "http://" + server.place()});
  expect_failure(session->exchange(post("https://documents.invalid/api")), "connect", Cure::retry);
}

TEST(Session, DoesNotFallBackFromHttpsToHttp) {
  Server server([](Peer& peer) {
    peer.say("HTTP/1.1 400 Bad Request\r\n\r\n");
    peer.wait_for_the_end();
  });
  expect_failure(session_of()->exchange(post("https://" + server.place() + "/")), "connect",
                 Cure::retry);
}

TEST(Session, RejectsAnInvalidUrlWithoutRevealingIt) {
  const auto session = session_of();
  for (const std::string& url :
       {std::string(), std::string("ftp://secret/"), std::string("file:///etc/secret"),
        std::string("//secret/x"), std::string("http://"), std::string("http://a:secret@b:99999/"),
        std::string("http://a/secret b"), std::string("http://a/secret\r\nX: y"),
        std::string("http://a/\0secret", 16)}) {
    const auto result = session->exchange(post(url));
    expect_failure(result, "url", Cure::give_up);
    EXPECT_FALSE(failure_of(result).reason.contains("secret")) << failure_of(result).reason;
  }
}

TEST(Session, RejectsHeaderAndMethodInjection) {
  Server server(says(std::string(kOk)));
  const auto session = session_of();
  for (const auto& [name, value] : Headers{{"A", "b\r\nC: d"},
                                           {"A", "b\nC: d"},
                                           {"A", std::string("b\0c", 3)},
                                           {"A: b\r\nC", "d"},
                                           {"", "x"},
                                           {"A b", "c"},
                                           {"A:", "c"}}) {
    HttpRequest request = post(server.url());
    request.headers = {{name, value}};
    expect_failure(session->exchange(request), "url", Cure::give_up);
  }
  HttpRequest request = post(server.url());
  request.method = "GET / HTTP/1.1\r\nX: y";
  expect_failure(session->exchange(request), "url", Cure::give_up);
  EXPECT_EQ(server.connections(), 0);
}

TEST(Session, FailureNamesTheHostButNoSecrets) {
  std::string place;
  {
    const Server gone(says(std::string(kOk)));
    place = gone.place();
  }
  const auto result = session_of()->exchange(post("http://me:hidden@" + place + "/?key=hidden"));
  EXPECT_TRUE(failure_of(result).reason.contains(place)) << failure_of(result).reason;
  EXPECT_FALSE(failure_of(result).reason.contains("hidden")) << failure_of(result).reason;
}

TEST(Session, RejectsInvalidTimeouts) {
  EXPECT_FALSE(Session::open({.timeout = 0ms}));
  EXPECT_FALSE(Session::open({.connect_timeout = -1ms}));
  EXPECT_FALSE(Session::open({.timeout = std::chrono::milliseconds::max()}));
}

}  // namespace
}  // namespace tidemill::http
