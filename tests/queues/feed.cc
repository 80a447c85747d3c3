// Puts numbered batches into a queue, through the outlets themselves:
//
//   feed kind=bull url=redis://… name=QUEUE [prefix=bull] [first=1] [count=10] [files=1] [run=R]
//        [at_once=500] [complete=1] [resend=1]
//   feed kind=stream url=… name=STREAM …
//   feed kind=retry url=… name=STREAM       puts all dead batches back
//
// The id of batch 7 ends in …000000000007, whoever sends it; its number follows the standing, as
// that of any producer. Prints one line of JSON: how many were sent and how many of them were
// added, known, completed or failed, the standing found at the beginning, and the time that sending
// took: wall and CPU, in µs.
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/log.h"
#include "tidemill/state/queue/redis_outlet.h"
#include "tidemill/state/queue/view.h"

namespace {

using namespace tidemill;

class StderrLog final : public Log {
 public:
  void write(LogLevel level, std::string_view text) override {
    std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(name_of(level).size()),
                 name_of(level).data(), static_cast<int>(text.size()), text.data());
  }
};

class Words {
 public:
  Words(int count, char** words) {
    for (int i = 1; i < count; ++i) {
      const std::string word = words[i];
      const auto equals = word.find('=');
      words_[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
  }
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise) const {
    const auto found = words_.find(name);
    return found == words_.end() ? otherwise : found->second;
  }
  [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t otherwise) const {
    return std::stoull(text(name, std::to_string(otherwise)));
  }

 private:
  std::map<std::string, std::string> words_;
};

std::string id_of(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  return "00000000-0000-4000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

// With 24 files about 2 KB, as a batch of source files has.
std::string tail_of(std::uint64_t files) {
  std::string tail = R"(","files":[)";
  for (std::uint64_t i = 0; i < files; ++i) {
    if (i > 0) tail += ',';
    tail += R"({"path":"/srv/checkout/services/ingest/source/pipeline/stage_)" + std::to_string(i) +
            R"(.cc","tokens":)" + std::to_string(2000 + i) + "}";
  }
  return tail + R"(],"totalTokens":)" + std::to_string(files * 2000) + "}";
}

std::int64_t cpu_micros() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1'000'000 + usage.ru_utime.tv_usec +
         usage.ru_stime.tv_usec;
}

Result<std::unique_ptr<queue::Outlet>> outlet_of(const Words& words, const Clock& clock, Log& log) {
  auto address = redis::parse_address(words.text("url", ""), redis::Origin::hidden);
  if (!address) return std::unexpected(address.error());
  const std::string name = words.text("name", "");
  const queue::OutletOptions options{.client = {.address = *address},
                                     .job = words.text("job", name),
                                     .run = words.text("run", "feed"),
                                     .owner = "feed"};
  if (words.text("kind", "") == "stream") {
    return queue::make_stream_outlet(options, {.stream = name}, clock, log);
  }
  return queue::make_bull_outlet(options,
                                 {.queue = name,
                                  .prefix = words.text("prefix", "bull"),
                                  .directory = words.text("directory", "/srv/" + name),
                                  .backoff = std::chrono::milliseconds(10),
                                  .resends = words.number("resend", 0) == 1},
                                 clock, log);
}

Result<void> feed(const Words& words, queue::Outlet& outlet) {
  auto standing = outlet.open({});
  if (!standing) return std::unexpected(standing.error());
  const std::uint64_t stood = standing->value_or(queue::Standing{}).last;
  const std::uint64_t first = words.number("first", 1);
  const std::uint64_t end = first + words.number("count", 10);
  const std::uint64_t at_once = words.number("at_once", 500);
  const std::string tail = tail_of(words.number("files", 1));

  const auto began = std::chrono::steady_clock::now();
  const auto cpu = cpu_micros();
  std::array<unsigned, 4> fates{};
  std::vector<std::string> ids;
  std::vector<std::string> payloads;
  std::vector<queue::Parcel> parcels;
  for (std::uint64_t from = first; from < end; from += at_once) {
    const std::uint64_t to = std::min(from + at_once, end);
    ids.resize(to - from);
    payloads.resize(to - from);
    parcels.clear();
    for (std::uint64_t n = from; n < to; ++n) {
      std::string& id = ids[n - from];
      std::string& payload = payloads[n - from];
      id = id_of(n);
      payload.assign(R"({"id":")").append(id).append(tail);
      parcels.push_back(
          {.number = stood + 1 + n - first, .id = id, .payload = payload, .cursor = id});
    }
    const auto sent = outlet.send(parcels, {});
    if (!sent) return std::unexpected(sent.error());
    for (const queue::Arrival arrival : *sent) ++fates[static_cast<std::size_t>(arrival)];
  }
  const auto wall = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - began);
  std::printf(R"({"sent":%llu,"fates":[%u,%u,%u,%u],"stood":%llu,"wall":%lld,"cpu":%lld,)"
              R"("bytes":%zu})"
              "\n",
              static_cast<unsigned long long>(end - first), fates[0], fates[1], fates[2], fates[3],
              static_cast<unsigned long long>(stood), static_cast<long long>(wall.count()),
              static_cast<long long>(cpu_micros() - cpu),
              payloads.empty() ? 0 : payloads.front().size());
  if (words.number("complete", 0) == 1) return outlet.complete({});
  return {};
}

Result<void> retry_all(const Words& words, const Clock& clock) {
  auto address = redis::parse_address(words.text("url", ""), redis::Origin::hidden);
  if (!address) return std::unexpected(address.error());
  auto view = queue::QueueView::open(
      {.client = {.address = *address}, .stream = words.text("name", "")}, clock);
  if (!view) return std::unexpected(view.error());
  auto dead = view->dead("", 1000, {});
  if (!dead) return std::unexpected(dead.error());
  std::size_t retried = 0;
  for (const auto& batch : *dead) {
    const auto was_there = view->retry(batch.entry, {});
    if (!was_there) return std::unexpected(was_there.error());
    retried += *was_there ? 1 : 0;
  }
  std::printf(R"({"retried":%zu})"
              "\n",
              retried);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const Words words(argc, argv);
  const SystemClock clock;
  StderrLog log;
  if (words.text("kind", "") == "retry") {
    const auto done = retry_all(words, clock);
    if (!done) std::fprintf(stderr, "%s\n", text_of(done.error()).c_str());
    return done ? 0 : 1;
  }
  auto outlet = outlet_of(words, clock, log);
  auto done = outlet ? feed(words, **outlet) : std::unexpected(outlet.error());
  if (outlet) (*outlet)->close();
  if (done) return 0;
  std::fprintf(stderr, "%s\n", text_of(done.error()).c_str());
  return 1;
}
