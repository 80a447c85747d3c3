#include "tidemill/engine/pool/worker_state.h"

namespace tidemill::engine {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr std::size_t kLongestNote = 256;

Instant instant_of(Instant::rep count) { return Instant(Instant::duration(count)); }

}  // namespace

WorkerState::WorkerState(std::size_t types, Instant since) : since_(since) {
  for (std::size_t i = 0; i < types; ++i) tallies.push_back(std::make_unique<TypeTally>());
}

void WorkerState::begin(const Entry& entry, Instant now) {
  entry_ = entry;
  own_note_.clear();  // it does not apply to the next task
  const std::uint64_t turn = (turn_.load(kRelaxed) | 1U) + 2;
  turn_.store(turn - 1, kRelaxed);  // even: also if a nested task begins while the outer one runs
  const Instant::rep at = now.time_since_epoch().count();
  beat_.store(at, kRelease);
  deadline_.store(entry.deadline ? entry.deadline->time_since_epoch().count() : 0, kRelease);
  task_.store(entry.task, kRelease);
  type_.store(entry.type, kRelease);
  turn_.store(turn, kRelease);
  if (entry.deadline && !entry.is_nested) interrupt.arm(turn);
}

void WorkerState::end() {
  turn_.store(turn_.load(kRelaxed) + 1, kRelease);
  if (entry_.deadline && !entry_.is_nested) interrupt.disarm();
}

void WorkerState::note(std::string_view what) {
  own_note_.assign(what.substr(0, kLongestNote));
  if (auto note = note_.try_lock()) (*note)->assign(own_note_);
}

std::string WorkerState::noted() {
  auto note = note_.try_lock();
  return note ? **note : std::string();
}

WorkerSnapshot WorkerState::snapshot() const {
  constexpr int kLooks = 8;  // a worker that moves on eight times meanwhile is not stalled
  for (int i = 0; i < kLooks; ++i) {
    const std::uint64_t turn = turn_.load(kAcquire);
    WorkerSnapshot seen{.turn = turn,
                        .beat = instant_of(beat_.load(kAcquire)),
                        .task = task_.load(kAcquire),
                        .type = type_.load(kAcquire),
                        .busy = turn % 2 == 1,
                        .deadline = std::nullopt};
    if (const auto at = deadline_.load(kAcquire); at != 0) seen.deadline = instant_of(at);
    if (!seen.busy || turn_.load(kRelaxed) == turn) return seen;
  }
  return {.turn = turn_.load(kAcquire), .busy = false};
}

}  // namespace tidemill::engine
