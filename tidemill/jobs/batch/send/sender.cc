#include "tidemill/jobs/batch/send/sender.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/jobs/batch/cut/payload.h"
#include "tidemill/jobs/batch/send/opening.h"
#include "tidemill/jobs/batch/send/stopped.h"

namespace tidemill::batch {
namespace {

using command::Tone;
using std::chrono::milliseconds;

constexpr std::size_t kPage = 32;  // with contents a batch may be large

std::unexpected<Failure> damaged() {
  return fail(Cure::give_up, "journal", "a batch in the journal is damaged");
}

// The result of a batch as `show --tasks` prints it.
std::string result_of(const Sealed& sealed, queue::Arrival arrival) {
  std::string text = std::to_string(sealed.number);
  switch (arrival) {
    case queue::Arrival::added:
      break;
    case queue::Arrival::known:
      text += ", already in the queue";
      break;
    case queue::Arrival::completed:
      text += ", refused: completed before";
      break;
    case queue::Arrival::failed:
      text += ", refused: failed before";
      break;
  }
  return text;
}

void count(Sent& sent, const Stored& stored, queue::Arrival arrival) {
  ++sent.batches;
  sent.files += stored.files;
  sent.tokens += stored.tokens;
  if (arrival == queue::Arrival::added) return;
  sent.old_files += stored.files;
  if (arrival == queue::Arrival::known) ++sent.known;
  if (arrival == queue::Arrival::completed) ++sent.completed;
  if (arrival == queue::Arrival::failed) ++sent.failed;
}

}  // namespace

std::string text_of(const Sent& sent) {
  std::string text;
  for (const std::uint64_t number : {sent.last, sent.batches, sent.files, sent.tokens, sent.known,
                                     sent.completed, sent.failed, sent.old_files}) {
    text += std::to_string(number) + " ";
  }
  return text;
}

Sent sent_of(std::string_view text) {
  Sent sent;
  for (std::uint64_t* const number :
       {&sent.last, &sent.batches, &sent.files, &sent.tokens, &sent.known, &sent.completed,
        &sent.failed, &sent.old_files}) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    text.remove_prefix(std::min(text.size(), static_cast<std::size_t>(end - text.data()) + 1));
  }
  return sent;
}

Sender::Sender(Context context, Sent before, std::uint64_t last_delivered)
    : context_(std::move(context)),
      channel_({.items = 1'024, .bytes = mib(4)}),
      sent_(before),
      napping_(false),
      last_delivered_(last_delivered),
      noted_(std::max(before.last, context_.base)) {
  const auto fail = [this](Failure failure) { end(std::unexpected(std::move(failure))); };
  auto started =
      start_thread("the sender", [this](const std::stop_token& stop) { end(serve(stop)); }, fail);
  if (started) {
    thread_ = *std::move(started);
  } else {
    fail(std::move(started).error());
  }
}

Sender::~Sender() {
  stop();
  thread_ = {};
}

bool Sender::put(Sealed sealed) {
  const Bytes size{sealed.subject.size() + sizeof(Sealed)};
  return channel_.push(std::move(sealed), size) == engine::Push::sent;
}

void Sender::stop() {
  thread_.request_stop();
  (void)channel_.cancel();
}

Result<void> Sender::finish(bool is_complete) {
  is_complete_.store(is_complete);
  channel_.close();
  auto ended = ended_.lock();
  ended.wait([](const auto& how) { return how.has_value(); });
  return ended->value_or(stopped());
}

bool Sender::nap(milliseconds time, const std::stop_token& stop) {
  return sleep_for(napping_, context_.clock, time, stop);
}

void Sender::end(Result<void> result) {
  (void)channel_.cancel();  // put() returns false from now on
  ended_.update([&](auto& how) { how = std::move(result); });
}

Result<void> Sender::serve(const std::stop_token& stop) {
  if (auto caught_up = catch_up(last_delivered_, stop); !caught_up) {
    if (caught_up.error().cure != Cure::retry) return caught_up;
    TRY(recover(caught_up.error(), stop));
  }
  std::vector<Sealed> group;
  while (channel_.pop_some(group, kGroup, stop) > 0) {
    TRY(deliver(group, stop));
    group.clear();
  }
  if (stop.stop_requested()) return stopped();
  TRY(settle(stop));
  return is_complete_.load() ? complete(stop) : Result<void>();
}

// Skips batches that the outlet already has because a recovery sent them.
Result<void> Sender::deliver(std::vector<Sealed>& group, const std::stop_token& stop) {
  while (true) {
    std::erase_if(group, [&](const Sealed& sealed) { return sealed.number <= last_delivered_; });
    if (group.empty()) return {};
    auto sent = send(group, stop);
    if (sent) return {};
    if (sent.error().cure != Cure::retry) return sent;
    TRY(recover(sent.error(), stop));
  }
}

// Sends as many at a time as the queue has room for.
Result<void> Sender::send(std::span<const Sealed> all, const std::stop_token& stop) {
  std::vector<queue::Parcel> parcels;
  while (!all.empty()) {
    if (stop.stop_requested()) return stopped();
    TRY(wait_for_room(stop));
    const auto some = all.first(std::min<std::size_t>({all.size(), kGroup, room_}));
    parcels.clear();
    for (const Sealed& sealed : some) {
      const auto stored = stored_of(sealed.subject);
      if (!stored) return damaged();
      parcels.push_back({.number = sealed.number,
                         .id = stored->id,
                         .payload = stored->payload,
                         .cursor = stored->cursor});
    }
    LET(const auto arrivals, context_.outlet.send(parcels, stop));
    last_delivered_ = some.back().number;
    room_ -= some.size();
    TRY(note_arrival(some, arrivals));
    all = all.subspan(some.size());
  }
  return {};
}

Result<void> Sender::note_arrival(std::span<const Sealed> group,
                                  std::span<const queue::Arrival> arrivals) {
  std::vector<engine::Entry> entries;
  Sent now = sent();
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Sealed& sealed = group[i];
    if (sealed.number % kMarkEvery == 0 &&
        (marks_.empty() || marks_.back().number < sealed.number)) {
      marks_.push_back({.number = sealed.number, .task = sealed.task});
    }
    if (sealed.number <= noted_) continue;  // sent a second time
    const auto stored = stored_of(sealed.subject);
    if (!stored) return damaged();
    const auto arrival = i < arrivals.size() ? arrivals[i] : queue::Arrival::added;
    entries.emplace_back(engine::Done{.id = sealed.task, .result = result_of(sealed, arrival)});
    noted_ = sealed.number;
    count(now, *stored, arrival);
  }
  if (entries.empty()) return {};
  retry_until_.reset();
  now.last = noted_;
  sent_.update([&](Sent& sent) { sent = now; });
  const std::vector<journal::Note> notes = {{.key = "batch_sent", .value = text_of(now)}};
  return context_.disk.retry_until_written([&] { return context_.journal.commit(entries, notes); });
}

Result<void> Sender::wait_for_room(const std::stop_token& stop) {
  if (context_.max_queued == 0) room_ = kGroup;
  if (room_ > 0) return {};
  milliseconds time = kShortestNap;
  bool has_told = false;
  while (true) {
    LET(const std::uint64_t depth, context_.outlet.depth(stop));
    if (depth < context_.max_queued) {
      room_ = context_.max_queued - depth;
      if (has_told) context_.console.say(Tone::plain, "The queue has room. Continuing.");
      context_.console.wait_for("");
      return {};
    }
    context_.console.wait_for("the workers: the queue holds " + text::count_text(depth) +
                              " batches");
    if (!std::exchange(has_told, true)) {
      context_.console.say(Tone::plain, "The queue holds " + text::count_text(depth) +
                                            " batches: waiting for the workers (--max-queued).");
    }
    if (!nap(time, stop)) return stopped();
    time = std::min(2 * time, milliseconds(1'000));
  }
}

Result<void> Sender::recover(const Failure& because, const std::stop_token& stop) {
  Failure reason = because;
  while (true) {
    TRY(back_off(reason, stop));
    LET(const std::uint64_t last_delivered, reopen(reason, stop));
    auto caught_up = catch_up(last_delivered, stop);
    if (caught_up || caught_up.error().cure != Cure::retry) return caught_up;
    reason = std::move(caught_up).error();
  }
}

// A server may answer and still accept nothing (no memory, no disk, a replica). So recoveries
// without an arriving batch in between have pauses, and end after `patience`.
Result<void> Sender::back_off(const Failure& reason, const std::stop_token& stop) {
  if (stop.stop_requested()) return stopped();
  const Instant now = context_.clock.now();
  if (!retry_until_) {
    retry_until_ = now + context_.patience;
    pause_ = kShortestNap;
    return {};
  }
  if (now >= *retry_until_) return std::unexpected(reason);
  if (!nap(pause_, stop)) return stopped();
  pause_ = std::min(2 * pause_, kLongestNap);
  return {};
}

Result<std::uint64_t> Sender::reopen(const Failure& because, const std::stop_token& stop) {
  context_.console.say(Tone::warning, "Reconnecting: " + tidemill::text_of(because) + ".");
  LET(const OpenedOutlet opened, open_patiently({.outlet = context_.outlet,
                                                 .console = context_.console,
                                                 .clock = context_.clock,
                                                 .patience = context_.patience},
                                                stop));
  room_ = 0;
  return standing_of(opened.standing.value_or(queue::Standing{}), context_.run, context_.base);
}

// Sends everything in the journal after `last_delivered`, whether or not it was sent before.
Result<void> Sender::catch_up(std::uint64_t last_delivered, const std::stop_token& stop) {
  last_delivered_ = std::max(last_delivered, context_.base);
  engine::TaskId after = 0;
  for (const Mark& mark : marks_) {
    if (mark.number <= last_delivered_) after = mark.task;
  }
  while (true) {
    if (stop.stop_requested()) return stopped();
    LET(auto page, context_.journal.tasks(after, kPage));
    std::vector<Sealed> known;  // arrived, but perhaps not recorded
    std::vector<Sealed> group;
    for (engine::TaskRecord& task : page) {
      after = task.id;
      if (task.type != kBatchType) continue;
      Sealed sealed{.task = task.id, .number = task.weight, .subject = std::move(task.subject)};
      (sealed.number <= last_delivered_ ? known : group).push_back(std::move(sealed));
    }
    TRY(note_arrival(known, {}));
    TRY(send(group, stop));
    if (page.size() < kPage) return {};
  }
}

// A server that syncs every second loses nothing that it had two seconds before a crash. So if it
// still answers after `settle`, every batch is on its disk.
Result<void> Sender::settle(const std::stop_token& stop) {
  if (context_.settle.count() == 0 || last_delivered_ == context_.base) return {};
  while (true) {
    if (!nap(context_.settle, stop)) return stopped();
    auto depth = context_.outlet.depth(stop);
    if (depth) return {};
    if (depth.error().cure != Cure::retry) return std::unexpected(depth.error());
    TRY(recover(depth.error(), stop));
  }
}

Result<void> Sender::complete(const std::stop_token& stop) {
  while (true) {
    auto done = context_.outlet.complete(stop);
    if (done || done.error().cure != Cure::retry) return done;
    TRY(recover(done.error(), stop));
  }
}

}  // namespace tidemill::batch
