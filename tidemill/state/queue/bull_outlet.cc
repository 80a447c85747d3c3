// The outlet to a BullMQ queue. One script call adds up to kJobsInCall jobs and updates the
// standing with them; several calls go out in one pipeline. If a call in the middle fails, the
// later ones are refused: the script accepts only the batch that follows the standing.
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/state/queue/bull_scripts.h"
#include "tidemill/state/queue/lease.h"
#include "tidemill/state/queue/redis_outlet.h"
#include "tidemill/state/queue/stream_progress.h"

namespace tidemill::queue {
namespace {

using redis::Reply;
using std::chrono::milliseconds;

constexpr std::size_t kJobsInCall = 50;              // the server is busy for less than 1 ms
constexpr std::size_t kBytesInCall = 1U << 20U;      // or with one job that is larger
constexpr std::size_t kBytesInPipeline = 4U << 20U;  // memory on both sides

// The value of a lock is "<run> <owner>", or anything another program has written.
[[nodiscard]] std::string holder_of(const std::string& value) {
  const auto blank = value.find(' ');
  return text::printable(blank == std::string::npos ? value : value.substr(blank + 1));
}

[[nodiscard]] std::unexpected<Failure> strange(const std::string& server) {
  return fail(Cure::give_up, "redis", server + " sent an invalid reply");
}

// One thread.
class BullOutlet final : public Outlet {
 public:
  BullOutlet(OutletOptions options, BullOptions bull, std::unique_ptr<redis::Client> client,
             const Clock& clock, Log& log)
      : options_(std::move(options)),
        bull_(std::move(bull)),
        keys_(bull_keys(bull_.prefix, bull_.queue, bull_.directory)),
        job_options_(bull_job_options(bull_.attempts, bull_.backoff)),
        value_(options_.run + " " + options_.owner),
        client_(std::move(client)),
        clock_(clock),
        log_(log) {}

  [[nodiscard]] Result<std::optional<Standing>> look(const std::stop_token& stop) override {
    return read_progress(*client_, keys_.standing, options_.job, stop);
  }
  [[nodiscard]] Result<std::optional<Standing>> open(const std::stop_token& stop) override;
  [[nodiscard]] Result<std::vector<Arrival>> send(std::span<const Parcel> parcels,
                                                  const std::stop_token& stop) override;
  [[nodiscard]] Result<std::uint64_t> depth(const std::stop_token& stop) override;
  [[nodiscard]] Result<void> complete(const std::stop_token& stop) override;
  [[nodiscard]] bool has_answered() const override { return client_->has_answered(); }
  void close() override;
  [[nodiscard]] std::string name() const override {
    return client_->server() + ", BullMQ queue " + text::printable(bull_.queue);
  }

 private:
  [[nodiscard]] Result<void> keep_lease(Instant sent);
  // Sends as many of the first parcels as fit in one pipeline and returns the arrivals of those
  // that were taken. Fewer than were sent: the server does not have the script.
  [[nodiscard]] Result<std::vector<Arrival>> send_some(std::span<const Parcel> parcels,
                                                       const std::stop_token& stop);
  [[nodiscard]] std::size_t add_call(std::span<const Parcel> parcels);
  [[nodiscard]] Result<void> judge(const Reply& reply) const;
  [[nodiscard]] Result<std::vector<Arrival>> arrivals_of(const Reply& reply,
                                                         std::size_t count) const;

  const OutletOptions options_;
  const BullOptions bull_;
  const BullKeys keys_;
  const BullJobOptions job_options_;
  const std::string value_;  // of the lock, while we have it
  std::unique_ptr<redis::Client> client_;
  const Clock& clock_;
  Log& log_;
  std::unique_ptr<Lease> lease_;
  std::uint64_t last_ = 0;  // number of the last batch that the server has
  redis::Commands commands_;
  std::vector<std::string_view> words_;
  std::vector<std::size_t> calls_;  // batches in each call of the pipeline
};

Result<std::optional<Standing>> BullOutlet::open(const std::stop_token& stop) {
  const Instant sent = clock_.now();
  const std::string term = std::to_string(options_.lease.count());
  const std::array<std::string_view, 2> keys{keys_.lock, keys_.standing};
  const std::array<std::string_view, 4> arguments{options_.run, value_, term, options_.job};
  LET(const Reply reply, client_->eval(bull_open_script(), keys, arguments, stop));
  if (reply.items.size() == 3 && reply.items[0].text == "held") {
    lease_.reset();
    return fail(Cure::give_up, FailureKind::held, "lease",
                text::printable(keys_.lock) + " is held by " + holder_of(reply.items[1].text) +
                    " for another " + text::seconds_text(milliseconds(reply.items[2].number)));
  }
  if (reply.items.size() != 2 || reply.items[0].text != "ok") return strange(client_->server());
  TRY(keep_lease(sent));
  TRY(client_->call({"SCRIPT", "LOAD", bull_add_script().text()}, stop));
  last_ = 0;
  if (reply.items[1].is_nil()) return std::nullopt;
  LET(Standing standing, parse_progress(reply.items[1].text));
  last_ = standing.last;
  return standing;
}

Result<void> BullOutlet::keep_lease(Instant sent) {
  if (lease_ && lease_->is_held()) return {};
  lease_.reset();
  redis::ClientOptions client = options_.client;
  client.home = keys_.lock;
  LET(lease_,
      Lease::keep(
          {.client = std::move(client), .key = keys_.lock, .value = value_, .term = options_.lease},
          sent, clock_, log_));
  return {};
}

Result<std::vector<Arrival>> BullOutlet::send(std::span<const Parcel> parcels,
                                              const std::stop_token& stop) {
  std::vector<Arrival> arrivals;
  bool has_loaded = false;
  while (!parcels.empty()) {
    LET(const auto taken, send_some(parcels, stop));
    if (taken.empty()) {  // the server's script cache was flushed
      if (std::exchange(has_loaded, true)) return strange(client_->server());
      TRY(client_->call({"SCRIPT", "LOAD", bull_add_script().text()}, stop));
      continue;
    }
    has_loaded = false;
    last_ = parcels[taken.size() - 1].number;
    parcels = parcels.subspan(taken.size());
    arrivals.insert(arrivals.end(), taken.begin(), taken.end());
  }
  return arrivals;
}

Result<std::vector<Arrival>> BullOutlet::send_some(std::span<const Parcel> parcels,
                                                   const std::stop_token& stop) {
  commands_.clear();
  calls_.clear();
  for (auto rest = parcels; !rest.empty() && commands_.bytes().size() < kBytesInPipeline;) {
    calls_.push_back(add_call(rest));
    rest = rest.subspan(calls_.back());
  }
  LET(const std::vector<Reply> replies, client_->ask(commands_, stop));
  std::vector<Arrival> taken;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (replies[i].is_error() && replies[i].text.starts_with("NOSCRIPT")) break;
    TRY(judge(replies[i]));
    LET(const auto arrivals, arrivals_of(replies[i], calls_[i]));
    taken.insert(taken.end(), arrivals.begin(), arrivals.end());
  }
  return taken;
}

// Adds one EVALSHA with as many of the first parcels as fit, and returns how many.
std::size_t BullOutlet::add_call(std::span<const Parcel> parcels) {
  std::size_t count = 0;
  for (std::size_t bytes = 0; count < parcels.size() && count < kJobsInCall; ++count) {
    bytes += parcels[count].payload.size();
    if (bytes > kBytesInCall && count > 0) break;
  }
  const Parcel& last = parcels[count - 1];
  const std::string first = std::to_string(parcels.front().number);
  const std::string standing =
      progress_text({.last = last.number, .run = options_.run, .cursor = std::string(last.cursor)});
  const std::string at = std::to_string(
      std::chrono::duration_cast<milliseconds>(clock_.wall().time_since_epoch()).count());
  words_.assign({"EVALSHA",
                 bull_add_script().sha1(),
                 "9",  //
                 keys_.lock,
                 keys_.standing,
                 keys_.wait,
                 keys_.paused,
                 keys_.meta,
                 keys_.id,
                 keys_.events,
                 keys_.marker,
                 keys_.active,  //
                 value_,
                 options_.job,
                 first,
                 standing,
                 keys_.base,
                 bull_.job_name,
                 job_options_.head,
                 job_options_.tail,
                 at,
                 bull_.resends ? "1" : "0"});
  for (const Parcel& parcel : parcels.first(count)) {
    words_.push_back(parcel.id);
    words_.push_back(parcel.payload);
  }
  commands_.add(words_);
  return count;
}

// Turns the reply of a script that changed nothing into a failure.
Result<void> BullOutlet::judge(const Reply& reply) const {
  if (reply.is_error()) return std::unexpected(redis::failure_of(reply.text, client_->server()));
  if (reply.items.empty()) return strange(client_->server());
  const std::string& word = reply.items[0].text;
  if (word == "ok") return {};
  const std::string lock = text::printable(keys_.lock);
  if (word == "free") {
    return fail(Cure::retry, FailureKind::held, "lease",
                lock + " has expired, and no one else has taken it");
  }
  if (word == "stale" && reply.items.size() == 2) {
    return fail(Cure::give_up, FailureKind::superseded, "stale",
                lock + " was taken over by " + holder_of(reply.items[1].text));
  }
  if (word == "gap" && reply.items.size() == 2) {
    return fail(Cure::retry, "redis",
                client_->server() + " has batches up to " + std::to_string(reply.items[1].number) +
                    " and lost the ones after it");
  }
  return strange(client_->server());
}

// One character per batch, see bull_add_script().
Result<std::vector<Arrival>> BullOutlet::arrivals_of(const Reply& reply, std::size_t count) const {
  if (reply.items.size() != 2 || reply.items[1].text.size() != count) {
    return strange(client_->server());
  }
  std::vector<Arrival> arrivals;
  for (const char letter : reply.items[1].text) {
    arrivals.push_back(letter == 'a'   ? Arrival::added
                       : letter == 'c' ? Arrival::completed
                       : letter == 'f' ? Arrival::failed
                                       : Arrival::known);
  }
  return arrivals;
}

Result<std::uint64_t> BullOutlet::depth(const std::stop_token& stop) {
  commands_.clear();
  commands_.add({"LLEN", keys_.wait});
  commands_.add({"LLEN", keys_.paused});
  commands_.add({"LLEN", keys_.active});
  commands_.add({"ZCARD", keys_.delayed});
  commands_.add({"ZCARD", keys_.prioritized});
  LET(const std::vector<Reply> replies, client_->ask(commands_, stop));
  std::uint64_t sum = 0;
  for (const Reply& reply : replies) {
    if (reply.is_error()) return std::unexpected(redis::failure_of(reply.text, client_->server()));
    sum += static_cast<std::uint64_t>(reply.number);
  }
  return sum;
}

Result<void> BullOutlet::complete(const std::stop_token& stop) {
  const std::string last = std::to_string(last_);
  const std::array<std::string_view, 2> keys{keys_.lock, keys_.standing};
  const std::array<std::string_view, 4> arguments{value_, options_.job, last, options_.run};
  LET(const Reply reply, client_->eval(bull_complete_script(), keys, arguments, stop));
  return judge(reply);
}

void BullOutlet::close() {
  if (lease_) lease_->release();
  lease_.reset();
  client_->disconnect();
}

}  // namespace

Result<std::unique_ptr<Outlet>> make_bull_outlet(OutletOptions options, BullOptions bull,
                                                 const Clock& clock, Log& log) {
  if (bull.queue.empty() || bull.queue.contains(':')) {
    return fail(Cure::give_up, FailureKind::usage, "usage",
                "the name of a BullMQ queue must not be empty or contain ':'");
  }
  if (options.run.empty() || options.run.contains(' ')) {
    return fail(Cure::give_up, FailureKind::usage, "usage",
                "the name of a run must not be empty or contain a space");
  }
  const BullKeys keys = bull_keys(bull.prefix, bull.queue, bull.directory);
  if (options.client.address.topology == redis::Topology::cluster &&
      hash_tag_of(keys.base).empty()) {
    return std::unexpected(
        Failure{.kind = FailureKind::usage,
                .step = "usage",
                .reason = "in a cluster all keys of a BullMQ queue must be in one slot",
                .hint = "put the prefix in braces: {" + text::printable(bull.prefix) + "}"});
  }
  options.client.home = keys.wait;
  LET(auto client, redis::Client::make(options.client, clock));
  return std::make_unique<BullOutlet>(std::move(options), std::move(bull), std::move(client), clock,
                                      log);
}

}  // namespace tidemill::queue
