#include "tidemill/io/redis/resolver.h"

#include <netdb.h>

#include <cstring>
#include <exception>
#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

#include "tidemill/base/guarded.h"
#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"

namespace tidemill::redis {
namespace {

struct ResolvedName {
  int error = 0;
  std::vector<SocketAddress> addresses{};
};

ResolvedName ask_system(const Host& host, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  ResolvedName answer;
  answer.error =
      ::getaddrinfo(host.name.c_str(), std::to_string(host.port).c_str(), &hints, &found);
  if (answer.error != 0) return answer;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    SocketAddress& address = answer.addresses.emplace_back();
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    address.size = one->ai_addrlen;
  }
  ::freeaddrinfo(found);
  return answer;
}

}  // namespace

struct Resolver::Shared {
  struct State {
    bool is_asking = false;
    bool is_answered = false;
    ResolvedName answer{};
  };
  Guarded<State> state{};

  // False: the thread could not be started.
  static bool ask(const std::shared_ptr<Shared>& shared, const Host& host) try {
    std::thread([shared, host] {
      ResolvedName found{.error = EAI_MEMORY};
      (void)contained([&] { found = ask_system(host, 0); });
      shared->state.update([&](State& now) {
        now = {.is_asking = false, .is_answered = true, .answer = std::move(found)};
      });
    }).detach();
    return true;
  } catch (const std::exception&) {  // no thread, or no memory for one
    return false;
  }
};

Resolver::Resolver() : shared_(std::make_shared<Shared>()) {}
Resolver::~Resolver() = default;

Result<std::vector<SocketAddress>> Resolver::find(const Host& host, const CallDeadline& deadline) {
  ResolvedName answer = ask_system(host, AI_NUMERICHOST);
  if (answer.error == 0) return std::move(answer.addresses);

  const std::stop_callback wake(deadline.stop(),
                                [this] { shared_->state.update([](Shared::State&) {}); });
  const auto wait_for = [&](auto ready) -> Result<void> {
    const bool is_there = shared_->state.lock().wait_until(
        deadline.clock(), deadline.until(), [&](const Shared::State& state) {
          return ready(state) || deadline.stop().stop_requested();
        });
    if (deadline.stop().stop_requested()) return fail_stopped();
    if (!is_there) {
      return fail(Cure::retry, FailureKind::timed_out, "host name lookup timed out");
    }
    return {};
  };
  TRY(wait_for([](const Shared::State& state) { return !state.is_asking; }));
  *shared_->state.lock() = {.is_asking = true};
  if (!Shared::ask(shared_, host)) {
    *shared_->state.lock() = {};
    return fail(Cure::retry, "could not start a thread for the host name lookup");
  }
  TRY(wait_for([](const Shared::State& state) { return state.is_answered; }));
  answer = std::move(shared_->state.lock()->answer);
  if (answer.error != 0) {
    const bool is_unknown = answer.error == EAI_NONAME;
    return fail(Cure::retry, is_unknown ? FailureKind::unreachable : FailureKind::other,
                std::string(::gai_strerror(answer.error)));
  }
  return std::move(answer.addresses);
}

}  // namespace tidemill::redis
