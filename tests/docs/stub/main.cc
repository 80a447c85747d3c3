// docs_stub: an Outline server and a chat server for tests. README.md says what it speaks.
//
//   main ─► Server (sockets) ─► Stub (lock, faults, waits) ─► api/documents/search ─► World
//                                  ├─► Chat                                          (journal,
//                                  │                                                  Body: texts)
//                                  ├─► Meter (limits, counts)
//                                  └─► control (what tests do)
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>
#include <thread>

#include "tests/docs/stub/server.h"

namespace tidemill::docs_stub {
namespace {

constexpr const char* kUsage =
    "usage: docs_stub [--port N] [--key KEY] [--limits real|none|ENDPOINT=N,...]\n"
    "                 [--as 1.9.2|next] [--rows all|none|NAME,...]\n"
    "                 [--webhook URL --webhook-secret S] [--until-eof]\n";

std::optional<Options> options_of(int count, char** arguments) {
  Options options;
  std::string limits = "real";
  std::string version = "next";
  std::string rows = "all";
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--until-eof") {
      options.until_eof = true;
      continue;
    }
    if (i + 1 == count) return std::nullopt;
    const std::string value = arguments[++i];
    if (name == "--port") {
      std::from_chars(value.data(), value.data() + value.size(), options.port);
    } else if (name == "--key") {
      options.key = value;
    } else if (name == "--limits") {
      limits = value;
    } else if (name == "--as") {
      version = value;
    } else if (name == "--rows") {
      rows = value;
    } else if (name == "--webhook") {
      options.webhook = value;
    } else if (name == "--webhook-secret") {
      options.webhook_secret = value;
    } else {
      return std::nullopt;
    }
  }
  auto read = limits_of(limits);
  if (!read) return std::nullopt;
  options.limits = *std::move(read);
  const auto chosen = rows_of(version, rows);
  if (!chosen) {
    std::fprintf(stderr, "docs_stub: %s\n", chosen.error().message.c_str());
    return std::nullopt;
  }
  options.rows = *chosen;
  return options;
}

// Until a signal, or the end of standard input when that is wanted.
void wait_for_end(int signals, bool until_eof) {
  std::array<pollfd, 2> files{{{.fd = signals, .events = POLLIN, .revents = 0},
                               {.fd = until_eof ? 0 : -1, .events = POLLIN, .revents = 0}}};
  while (true) {
    if (::poll(files.data(), files.size(), -1) < 0) continue;
    if (files[0].revents != 0) return;
    std::array<char, 256> ignored{};
    if (files[1].revents != 0 && ::read(0, ignored.data(), ignored.size()) <= 0) return;
  }
}

int serve(int count, char** arguments) {
  auto options = options_of(count, arguments);
  if (!options) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGTERM);
  ::sigaddset(&ends, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before there are threads
  const int signals = ::signalfd(-1, &ends, SFD_CLOEXEC);
  const bool until_eof = options->until_eof;
  const int port = options->port;
  Stub stub(*std::move(options));
  Server server(stub);
  const int bound = server.bind(port);
  if (bound < 0) {
    std::fprintf(stderr, "docs_stub: cannot listen on port %d\n", port);
    return 1;
  }
  const std::jthread listening([&server] { server.listen(); });
  std::printf("listening on http://127.0.0.1:%d\n", bound);
  std::fflush(stdout);
  wait_for_end(signals, until_eof);
  stub.stop();
  server.stop();
  std::_Exit(0);  // there is nothing to save, and clients may keep their connections for long
}

}  // namespace
}  // namespace tidemill::docs_stub

int main(int count, char** arguments) {
  try {
    return tidemill::docs_stub::serve(count, arguments);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "docs_stub: %s\n", failure.what());
    return 1;
  }
}
