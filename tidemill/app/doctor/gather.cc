#include "tidemill/app/doctor/gather.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/io/sandbox/fork_server.h"
#include "tidemill/state/queue/redis_outlet.h"
#include "tidemill/ui/cli/run_status.h"
#include "tidemill/ui/cli/run_text.h"

namespace tidemill::app {
namespace {

using namespace std::chrono_literals;

// Checking a run opens its journal; old runs are not worth the time.
constexpr std::uint64_t kMostRuns = 200;
constexpr std::chrono::milliseconds kForRuns = 250ms;

constexpr Bytes kSharedMemory = kib(64);  // SQLite's -shm file has 32 KiB or more

constexpr int kPings = 9;

// A user who may not PING is answered, too: whoever it is, the server is there.
Result<void> ping(redis::Client& client, const std::stop_token& stop) {
  redis::Commands commands;
  commands.add({"PING"});
  TRY(client.ask(commands, stop));
  return {};
}

Result<void> ask(redis::Client& client, const Clock& clock, const std::stop_token& stop,
                 RedisFacts& facts) {
  TRY(ping(client, stop));  // connects
  facts.server = client.server();
  std::vector<std::chrono::nanoseconds> times;
  for (int i = 0; i < kPings; ++i) {
    const Instant before = clock.now();
    TRY(ping(client, stop));
    times.push_back(clock.now() - before);
  }
  std::ranges::sort(times);
  facts.latency = times[times.size() / 2];
  redis::Commands commands;
  commands.add({"INFO", "server"});
  LET(const auto replies, client.ask(commands, stop));  // may be an error: many hosts forbid INFO
  if (replies.size() == 1 && !replies[0].is_error()) {
    facts.version = field_of(replies[0].text, "redis_version");
  }
  LET(facts.worries, queue::worries(client, stop));
  return {};
}

}  // namespace

SandboxFacts gather_sandbox() {
  const auto serve = [](std::string_view, std::span<const int>) { return std::string(); };
  LET(const auto fork_server, sandbox::ForkServer::start(serve));
  return fork_server->confinement();
}

RunFacts gather_runs(const run::StateFolder& state, std::optional<Bytes> file_limit,
                     const Clock& clock) {
  RunFacts facts;
  const auto folders = state.list();
  if (!folders) {
    facts.problem = folders.error();
    return facts;
  }
  facts.all = folders->size();
  if (file_limit && *file_limit < kSharedMemory) return facts;
  const Instant start = clock.now();
  for (const run::RunFolder& folder : *folders) {
    if (facts.seen >= kMostRuns || clock.now() - start >= kForRuns) break;
    ++facts.seen;
    // Killed before it had a journal: there is nothing to resume, and nothing is damaged.
    if (!folder.has_journal() && !folder.is_record()) continue;
    const cli::RunStatus run_status = cli::run_status_at(folder);
    if (run_status.holder) continue;
    if (run_status.problem) {
      facts.unreadable.push_back(folder.id());
    } else if (run_status.state == cli::kCrashed || run_status.has_work_left()) {
      facts.unfinished.push_back(folder.id());
    }
  }
  return facts;
}

RedisFacts gather_redis(redis::ClientOptions options, const Clock& clock,
                        const std::stop_token& stop) {
  RedisFacts facts{.server = redis::text_of(options.address)};
  auto client = redis::Client::make(std::move(options), clock);
  if (!client) {
    facts.problem = std::move(client).error();
    return facts;
  }
  if (auto asked = ask(**client, clock, stop, facts); !asked) {
    facts.problem = std::move(asked).error();
  }
  return facts;
}

std::string field_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) continue;
    line.remove_prefix(name.size() + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return std::string(line);
  }
  return {};
}

}  // namespace tidemill::app
