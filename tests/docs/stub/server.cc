#include "tests/docs/stub/server.h"

// As the library was built: with other macros its types have other sizes.
#ifndef CPPHTTPLIB_OPENSSL_SUPPORT
#define CPPHTTPLIB_OPENSSL_SUPPORT
#endif
#ifndef CPPHTTPLIB_ZLIB_SUPPORT
#define CPPHTTPLIB_ZLIB_SUPPORT
#endif
#ifndef CPPHTTPLIB_BROTLI_SUPPORT
#define CPPHTTPLIB_BROTLI_SUPPORT
#endif
#include <arpa/inet.h>
#include <httplib.h>
#include <sys/socket.h>

namespace tidemill::docs_stub {
namespace {

constexpr const char* kJson = "application/json; charset=utf-8";
constexpr std::size_t kThreads = 256;    // a connection that is kept open keeps its thread
constexpr std::time_t kKeepAlive = 600;  // seconds: a cut is to be one that was asked for
constexpr std::size_t kLargestBody = 16U << 20U;
constexpr int kHighestFile = 4096;

// The library does not say which socket a request came by, but it says the port at the other end.
// With linger 0 the close is a reset: the peer cannot take it for the end of an answer.
void sever(const httplib::Request& request) {
  for (int fd = 3; fd < kHighestFile; ++fd) {
    sockaddr_in peer{};
    socklen_t length = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &length) != 0) continue;
    if (peer.sin_family != AF_INET || ntohs(peer.sin_port) != request.remote_port) continue;
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::shutdown(fd, SHUT_RDWR);
    return;
  }
}

void give(const Answer& answer, const httplib::Request& request, httplib::Response& response) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  if (answer.end == Answer::End::cut) {
    sever(request);
    response.set_header("Connection", "close");
  } else if (answer.end == Answer::End::half) {
    response.set_content_provider(
        answer.body.size(), kJson,
        [body = answer.body](std::size_t, std::size_t, httplib::DataSink& sink) {
          sink.write(body.data(), body.size() / 2);
          return false;
        });
  } else {
    response.set_content(answer.body, kJson);
  }
}

struct Place {
  std::string host;  // with http:// and the port
  std::string path;
};

Place place_of(const std::string& url) {
  const auto scheme = url.find("://");
  const auto slash = url.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  if (slash == std::string::npos) return {.host = url, .path = "/"};
  return {.host = url.substr(0, slash), .path = url.substr(slash)};
}

// What the other side answered; status 0: it did not.
Answer sent(Stub& stub, const std::string& body) {
  const auto delivery = stub.delivery(body);
  if (!delivery) return {.status = 400, .body = Json{{"error", delivery.error().message}}.dump()};
  const Place place = place_of(stub.options().webhook);
  httplib::Client client(place.host);
  client.set_connection_timeout(5);
  client.set_read_timeout(5);
  const auto result = client.Post(place.path, {{"Outline-Signature", delivery->signature}},
                                  delivery->body, "application/json");
  Json report = {{"status", result ? result->status : 0}, {"delivery", delivery->id}};
  if (!result) report["error"] = httplib::to_string(result.error());
  return {.body = report.dump()};
}

}  // namespace

struct Server::Parts {
  httplib::Server server{};
};

Server::Server(Stub& stub) : parts_(std::make_unique<Parts>()) {
  auto& server = parts_->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
  server.set_tcp_nodelay(true);
  server.set_keep_alive_max_count(1U << 30U);
  server.set_keep_alive_timeout(kKeepAlive);
  server.set_payload_max_length(kLargestBody);
  server.Post(R"(/api/([A-Za-z_.]+))", [&stub](const auto& request, auto& response) {
    const auto key = request.get_header_value("Authorization");
    give(stub.api(request.matches[1], key, request.body), request, response);
  });
  server.Post("/v1/chat/completions", [&stub](const auto& request, auto& response) {
    give(stub.chat(request.body), request, response);
  });
  server.Post("/control/hook", [&stub](const auto& request, auto& response) {
    give(sent(stub, request.body), request, response);
  });
  const auto control = [&stub](const httplib::Request& request, httplib::Response& response) {
    give(stub.control(request.matches[1], request.body), request, response);
  };
  server.Get(R"(/control/([a-z]+))", control);
  server.Post(R"(/control/([a-z]+))", control);
}

Server::~Server() = default;

int Server::bind(int port) {
  auto& server = parts_->server;
  if (port == 0) return server.bind_to_any_port("127.0.0.1");
  return server.bind_to_port("127.0.0.1", port) ? port : -1;
}

void Server::listen() { parts_->server.listen_after_bind(); }

void Server::stop() { parts_->server.stop(); }

}  // namespace tidemill::docs_stub
