// What a fenced batch costs more than a bare one: the stream outlet of the program beside a plain
// hiredis pipeline of XADDs, with the same fields and payloads of 2 KB, interleaved. CPU time of
// the client and of the server, in microseconds a batch, and the ratios bare / outlet.
//
//   outlet_cost PORT [ROUNDS]        a Redis on 127.0.0.1 that may be emptied
#include <hiredis/hiredis.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tidemill/state/queue/redis_outlet.h"

namespace {

using namespace tidemill;  // NOLINT: a program of one file

constexpr int kBatches = 50'000;
constexpr int kGroup = 100;

struct Cost {
  double client = 0;
  double server = 0;
};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double client_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

class Bench {
 public:
  explicit Bench(int port) : port_(port), redis_(redisConnect("127.0.0.1", port), &redisFree) {
    for (std::size_t i = 0; i < 2'142; ++i)
      payload_ += static_cast<char>('a' + (i * 7 + i / 13) % 26);
  }

  [[nodiscard]] bool is_connected() const { return redis_ != nullptr && redis_->err == 0; }

  template <class Work>
  Cost cost_of(const Work& work) {
    const double server = server_seconds();
    const double client = client_seconds();
    work();
    const double spent = client_seconds() - client;
    constexpr double kMicros = 1e6 / kBatches;
    return {.client = spent * kMicros, .server = (server_seconds() - server) * kMicros};
  }

  Cost bare() {
    empty();
    return cost_of([&] {
      for (int sent = 0; sent < kBatches; sent += kGroup) {
        for (int i = 0; i < kGroup; ++i) append();
        for (int i = 0; i < kGroup; ++i) take();
      }
    });
  }

  Cost fenced(int round) {
    empty();
    const auto url = "redis://127.0.0.1:" + std::to_string(port_);
    auto outlet = queue::make_stream_outlet(
        {.client = {.address = *redis::parse_address(url, redis::Origin::hidden)},
         .job = "bench",
         .run = "round-" + std::to_string(round),
         .owner = "bench"},
        {.stream = "s"}, clock_, log_);
    if (!outlet || !(*outlet)->open({})) std::exit(1);
    std::uint64_t number = 0;
    std::vector<queue::Parcel> parcels;
    const Cost cost = cost_of([&] {
      for (int sent = 0; sent < kBatches; sent += kGroup) {
        parcels.clear();
        for (int i = 0; i < kGroup; ++i) {
          parcels.push_back({.number = ++number,
                             .id = id_,
                             .payload = payload_,
                             .cursor = "0/some/folder/file.cc"});
        }
        if (auto done = (*outlet)->send(parcels, {}); !done) {
          std::fprintf(stderr, "%s\n", text_of(done.error()).c_str());
          std::exit(1);
        }
      }
    });
    (*outlet)->close();
    return cost;
  }

 private:
  double server_seconds() {
    auto* const reply = static_cast<redisReply*>(redisCommand(redis_.get(), "INFO cpu"));
    const std::string text(reply->str, reply->len);
    freeReplyObject(reply);
    const auto field = [&](const std::string& name) {
      return std::atof(text.c_str() + text.find(name) + name.size());
    };
    return field("used_cpu_sys:") + field("used_cpu_user:");
  }
  void empty() { freeReplyObject(redisCommand(redis_.get(), "FLUSHALL")); }
  void append() {
    const char* words[] = {
        "XADD", "s", "*", "id", id_.c_str(), "at", "1700000000000", "batch", payload_.c_str()};
    const std::size_t sizes[] = {4, 1, 1, 2, id_.size(), 2, 13, 5, payload_.size()};
    redisAppendCommandArgv(redis_.get(), 9, words, sizes);
  }
  void take() {
    void* reply = nullptr;
    if (redisGetReply(redis_.get(), &reply) != REDIS_OK) std::exit(1);
    freeReplyObject(reply);
  }

  int port_;
  std::unique_ptr<redisContext, decltype(&redisFree)> redis_;
  std::string payload_;
  std::string id_ = "f589d144-c960-899b-9e2e-941935a3de4f";
  SystemClock clock_;
  SilentLog log_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: outlet_cost PORT [ROUNDS]\n"), 2;
  Bench bench(std::atoi(argv[1]));
  if (!bench.is_connected()) return std::fprintf(stderr, "no Redis there\n"), 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  std::vector<double> client;
  std::vector<double> server;
  for (int round = 0; round < rounds; ++round) {
    const Cost bare = bench.bare();
    const Cost fenced = bench.fenced(round);
    client.push_back(bare.client / fenced.client);
    server.push_back(bare.server / fenced.server);
    std::printf("bare: client %.2f server %.2f   outlet: client %.2f server %.2f µs a batch\n",
                bare.client, bare.server, fenced.client, fenced.server);
  }
  std::printf("bare / outlet, median of %d rounds: client %.2f, server %.2f\n", rounds,
              median(client), median(server));
}
