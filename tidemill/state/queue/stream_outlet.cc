#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/state/queue/lease.h"
#include "tidemill/state/queue/outlet_scripts.h"
#include "tidemill/state/queue/redis_outlet.h"
#include "tidemill/state/queue/stream_group.h"
#include "tidemill/state/queue/stream_keys.h"
#include "tidemill/state/queue/stream_progress.h"

namespace tidemill::queue {
namespace {

using redis::Reply;
using std::chrono::milliseconds;

constexpr std::size_t kLargest = std::size_t{512} << 20U;  // proto-max-bulk-len of the server

std::unexpected<Failure> failed(Cure cure, FailureKind kind, std::string step, std::string reason,
                                std::string hint = {}) {
  return std::unexpected(Failure{.cure = cure,
                                 .kind = kind,
                                 .step = std::move(step),
                                 .reason = std::move(reason),
                                 .hint = std::move(hint)});
}

// One thread.
class StreamOutlet final : public Outlet {
 public:
  StreamOutlet(OutletOptions options, StreamKeys keys, std::string group,
               std::unique_ptr<redis::Client> client, const Clock& clock, Log& log)
      : options_(std::move(options)),
        keys_(std::move(keys)),
        group_(std::move(group)),
        client_(std::move(client)),
        clock_(clock),
        log_(log) {}

  Result<std::optional<Standing>> look(const std::stop_token& stop) override {
    return read_progress(*client_, keys_.progress, options_.job, stop);
  }
  Result<std::optional<Standing>> open(const std::stop_token& stop) override;
  Result<std::vector<Arrival>> send(std::span<const Parcel> parcels,
                                    const std::stop_token& stop) override;
  Result<std::uint64_t> depth(const std::stop_token& stop) override;
  Result<void> complete(const std::stop_token& stop) override;
  [[nodiscard]] bool has_answered() const override { return client_->has_answered(); }
  void close() override;
  [[nodiscard]] std::string name() const override {
    return redis::text_of(options_.client.address) + ", stream " + keys_.stream;
  }

 private:
  [[nodiscard]] Failure held_elsewhere(const std::vector<Reply>& items) const;
  [[nodiscard]] Result<void> check_lease(const std::stop_token& stop);
  [[nodiscard]] Result<void> check_order(std::span<const Parcel> parcels) const;
  [[nodiscard]] Result<void> send_group(std::span<const Parcel> parcels,
                                        const std::stop_token& stop);
  [[nodiscard]] Failure refusal(const GroupOutcome& outcome, const std::stop_token& stop);
  [[nodiscard]] Failure refused_by_epoch(std::string otherwise, const std::stop_token& stop);
  [[nodiscard]] bool is_ours(std::string_view lease) const;  // of this process, any epoch

  const OutletOptions options_;
  const StreamKeys keys_;
  const std::string group_;
  std::unique_ptr<redis::Client> client_;
  const Clock& clock_;
  Log& log_;

  // State since the last open(). After a failure with an unknown outcome the outlet must be
  // reopened: no id is ever sent twice under one epoch.
  bool is_open_ = false;
  std::string epoch_;
  std::string lease_value_;
  Standing standing_;
  std::unique_ptr<Lease> lease_;
  redis::Commands commands_;
};

Result<std::optional<Standing>> StreamOutlet::open(const std::stop_token& stop) {
  is_open_ = false;
  lease_.reset();         // its value will change
  client_->disconnect();  // it may be dead, or connected to a server that is no longer the master
  const std::string term = std::to_string(options_.lease.count());
  const std::array<std::string_view, 4> keys{keys_.lease, keys_.epoch, keys_.stream,
                                             keys_.progress};
  const std::array<std::string_view, 5> arguments{options_.run, options_.owner, term, group_,
                                                  options_.job};
  const Instant sent = clock_.now();
  LET(const auto answer, client_->eval(acquire_script(), keys, arguments, stop));
  const auto& items = answer.items;
  if (items.size() >= 2 && items[0].number == -1) {
    return failed(
        Cure::give_up, FailureKind::other, "stream",
        keys_.stream + " has the id " + items[1].text + ": no entry can be added after it",
        "use another stream, or delete this one");
  }
  if (items.size() == 3 && items[0].number == 0) return std::unexpected(held_elsewhere(items));
  if (items.size() != 4) {
    return failed(Cure::give_up, FailureKind::other, "redis",
                  client_->server() + " sent an invalid reply");
  }
  epoch_ = items[1].text;
  lease_value_ = items[2].text;
  LET(lease_, Lease::keep({.client = options_.client,
                           .key = keys_.lease,
                           .value = lease_value_,
                           .term = options_.lease},
                          sent, clock_, log_));
  std::optional<Standing> standing;
  if (!items[3].is_nil()) {
    LET(standing, parse_progress(items[3].text));
  }
  standing_ = standing.value_or(Standing{.run = options_.run});
  is_open_ = true;
  return standing;
}

Failure StreamOutlet::held_elsewhere(const std::vector<Reply>& items) const {
  const milliseconds left(std::max<std::int64_t>(items[2].number, 0));
  return {.cure = Cure::give_up,
          .kind = FailureKind::held,
          .step = "lease",
          .reason = "stream " + keys_.stream + " is held by " +
                    std::string(parse_lease(items[1].text).owner) + " for another " +
                    text::duration_text(left) + " unless the lease is renewed",
          .hint = "wait until that producer is done, or use another stream"};
}

Result<void> StreamOutlet::check_lease(const std::stop_token& stop) {
  if (is_unfenced()) return {};
  if (!is_open_) return failed(Cure::retry, FailureKind::held, "lease", "the stream is not open");
  if (lease_->is_held()) return {};
  is_open_ = false;
  auto loss = lease_->loss().value_or(Failure{
      .cure = Cure::retry, .kind = FailureKind::held, .step = "lease", .reason = "released"});
  if (loss.kind != FailureKind::superseded) return std::unexpected(std::move(loss));
  return std::unexpected(refused_by_epoch(std::move(loss.reason), stop));
}

// A caller that numbers batches wrongly would lose some silently.
Result<void> StreamOutlet::check_order(std::span<const Parcel> parcels) const {
  std::uint64_t before = standing_.last;
  if (parcels.front().number == 1) before = 0;  // starts over
  for (const Parcel& parcel : parcels) {
    if (parcel.number != before + 1) {
      return failed(Cure::give_up, FailureKind::other, "send",
                    "batch " + std::to_string(parcel.number) + " does not follow batch " +
                        std::to_string(before));
    }
    if (parcel.payload.size() >= kLargest) {
      return failed(Cure::give_up, FailureKind::other, "send",
                    "batch " + std::to_string(parcel.number) + " has " +
                        text::bytes_text(Bytes(parcel.payload.size())) +
                        ", more than Redis accepts");
    }
    before = parcel.number;
  }
  return {};
}

// A stream does not deduplicate: every batch sent is added.
Result<std::vector<Arrival>> StreamOutlet::send(std::span<const Parcel> parcels,
                                                const std::stop_token& stop) {
  if (parcels.empty()) return std::vector<Arrival>();
  TRY(check_order(parcels));
  while (!parcels.empty()) {
    const std::size_t count = group_size(parcels);
    TRY(check_lease(stop));
    TRY(send_group(parcels.first(count), stop));
    parcels = parcels.subspan(count);
  }
  return std::vector<Arrival>();
}

Result<void> StreamOutlet::send_group(std::span<const Parcel> parcels,
                                      const std::stop_token& stop) {
  const Standing next{.last = parcels.back().number,
                      .run = options_.run,
                      .cursor = std::string(parcels.back().cursor)};
  write_group(commands_, {.keys = keys_, .epoch = epoch_, .job = options_.job}, parcels,
              clock_.wall(), progress_text(next));
  GroupOutcome outcome(commands_);
  const auto hear = [&](std::size_t index, const Reply& reply) { outcome.hear(index, reply); };
  const auto asked = client_->ask(commands_, hear, stop);
  if (asked && outcome.is_taken()) {
    standing_ = next;
    return {};
  }
  is_open_ = false;
  if (!asked) return asked;
  return std::unexpected(refusal(outcome, stop));
}

// The group was not taken.
Failure StreamOutlet::refusal(const GroupOutcome& outcome, const std::stop_token& stop) {
  if (!outcome.error().empty()) return redis::failure_of(outcome.error(), client_->server());
  return refused_by_epoch(outcome.has_refused_ids()
                              ? "another program writes to stream " + keys_.stream
                              : "stream " + keys_.stream + " or its epoch was deleted",
                          stop);
}

// Epochs increase. If the server's epoch is greater, another producer has taken over, even if it
// has released the lease since. If it is lower or missing, the server has lost data; open() handles
// that.
Failure StreamOutlet::refused_by_epoch(std::string otherwise, const std::stop_token& stop) {
  redis::Commands commands;
  commands.add({"GET", keys_.epoch});
  commands.add({"GET", keys_.lease});
  const auto replies = client_->ask(commands, stop);
  if (!replies) return replies.error();
  const Reply& epoch = replies->at(0);
  const Reply& lease = replies->at(1);
  const auto rank = [](const std::string& number) { return std::pair(number.size(), number); };
  if (epoch.is_nil() || rank(epoch.text) <= rank(epoch_)) {
    return {.cure = Cure::retry,
            .kind = FailureKind::held,
            .step = "lease",
            .reason = std::move(otherwise)};
  }
  // An open request whose reply was lost may be executed late, after the next one. Then this
  // producer has superseded itself. Nothing is sent under that epoch.
  if (!lease.is_nil() && is_ours(lease.text)) {
    return {.cure = Cure::retry,
            .kind = FailureKind::held,
            .step = "lease",
            .reason = "a late request of this producer reopened stream " + keys_.stream};
  }
  std::string who = "another producer";
  if (!lease.is_nil()) who += ", " + std::string(parse_lease(lease.text).owner) + ",";
  return {.cure = Cure::give_up,
          .kind = FailureKind::superseded,
          .step = "stale",
          .reason = who + " took over stream " + keys_.stream,
          .hint = "run one producer at a time; this one was stopped or disconnected for too long"};
}

bool StreamOutlet::is_ours(std::string_view lease) const {
  const LeaseValue found = parse_lease(lease);
  return found.run == options_.run && found.owner == options_.owner;
}

Result<std::uint64_t> StreamOutlet::depth(const std::stop_token& stop) {
  LET(const auto length, client_->call({"XLEN", keys_.stream}, stop));
  return static_cast<std::uint64_t>(std::max<std::int64_t>(length.number, 0));
}

Result<void> StreamOutlet::complete(const std::stop_token& stop) {
  TRY(check_lease(stop));
  Standing end = standing_;
  end.is_complete = true;
  const std::string progress = progress_text(end);
  const std::array<std::string_view, 2> keys{keys_.lease, keys_.progress};
  const std::array<std::string_view, 3> arguments{lease_value_, options_.job, progress};
  LET(const auto noted, client_->eval(note_script(), keys, arguments, stop));
  if (noted.number != 1) {
    is_open_ = false;
    return std::unexpected(
        refused_by_epoch("the lease of stream " + keys_.stream + " has expired", stop));
  }
  standing_ = std::move(end);
  return {};
}

void StreamOutlet::close() {
  is_open_ = false;
  if (lease_) lease_->release();
  lease_.reset();
  client_->disconnect();
}

}  // namespace

Result<std::unique_ptr<Outlet>> make_stream_outlet(OutletOptions options, StreamOptions stream,
                                                   const Clock& clock, Log& log) {
  LET(auto keys, stream_keys(stream.stream));
  const auto is_bad = [](std::string_view word) {
    return word.empty() || std::ranges::any_of(word, [](char c) { return c == ' '; });
  };
  if (is_bad(options.run))
    return failed(Cure::give_up, FailureKind::usage, "usage",
                  "the name of a run must not be empty or contain a space");
  if (stream.group.empty()) {
    return failed(Cure::give_up, FailureKind::usage, "usage",
                  "the name of a group must not be empty");
  }
  options.lease = std::max(options.lease, milliseconds(1));
  options.client.home = keys.stream;
  options.client.fails_on_move = true;  // another node may lack data: open() must run first
  LET(auto client, redis::Client::make(options.client, clock));
  return std::make_unique<StreamOutlet>(std::move(options), std::move(keys),
                                        std::move(stream.group), std::move(client), clock, log);
}

}  // namespace tidemill::queue
