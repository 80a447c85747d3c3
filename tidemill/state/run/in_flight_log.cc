#include "tidemill/state/run/in_flight_log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/micros.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"

namespace tidemill::run {
namespace {

using engine::Died;
using engine::Done;
using engine::Entry;
using engine::Skipped;
using engine::TaskId;

constexpr std::array<char, 16> kMagic = {'t', 'i', 'd', 'e', 'm', 'i', 'l', 'l',
                                         ' ', 's', 'l', 'a', 't', 'e', ' ', '1'};
constexpr std::size_t kPage = 4'096;
constexpr std::size_t kBootBytes = 64;

struct Header {
  std::array<char, 16> magic;
  std::uint64_t epoch;
  std::uint64_t workers;
  std::uint64_t outcomes;
  std::array<char, kBootBytes> boot;
};
static_assert(sizeof(Header) <= kPage && std::is_trivially_copyable_v<Header>);

// One cache line per worker, to avoid false sharing.
struct alignas(64) Place {
  std::uint64_t task;
};

enum class Kind : std::uint8_t { done = 1, skipped = 2, died = 3 };

constexpr std::size_t kTextBytes = InFlightLog::kOutcomeBytes - 48;

// One finished task. `mark` is zero while the rest is being written, then its checksum.
struct Outcome {
  std::uint64_t mark;
  std::uint64_t sequence;
  std::uint64_t task;
  std::int64_t at;  // microseconds since 1970
  std::int32_t attempts;
  Kind kind;
  Cure cure;
  std::uint8_t step_bytes;
  std::uint8_t text_bytes;
  std::array<char, kTextBytes> text;  // step, then reason or result
  std::array<char, 8> unused;
};
static_assert(sizeof(Outcome) == InFlightLog::kOutcomeBytes && kTextBytes <= 255);
static_assert(std::is_trivially_copyable_v<Outcome> && InFlightLog::fits(160) && kTextBytes >= 160);

// FNV-1a over everything after the mark. Detects torn writes, not manipulation.
std::uint64_t checksum(const Outcome& outcome) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  std::array<unsigned char, sizeof(Outcome)> bytes{};
  std::memcpy(bytes.data(), &outcome, sizeof outcome);
  for (const unsigned char byte : std::span(bytes).subspan(sizeof outcome.mark)) {
    hash = (hash ^ byte) * 0x100000001b3U;
  }
  return hash == 0 ? 1 : hash;
}

std::size_t places_at() { return kPage; }
std::size_t outcomes_at(std::size_t workers) { return kPage + workers * sizeof(Place); }
std::size_t file_size(std::size_t workers, std::size_t outcomes) {
  return outcomes_at(workers) + outcomes * sizeof(Outcome);
}

void put_text(Outcome& outcome, std::string_view step, std::string_view text) {
  outcome.step_bytes = static_cast<std::uint8_t>(std::min<std::size_t>(step.size(), 32));
  const std::size_t room = kTextBytes - outcome.step_bytes;
  outcome.text_bytes = static_cast<std::uint8_t>(std::min(text.size(), room));
  std::memcpy(outcome.text.data(), step.data(), outcome.step_bytes);
  std::memcpy(outcome.text.data() + outcome.step_bytes, text.data(), outcome.text_bytes);
}

struct Fill {
  Outcome& outcome;

  void operator()(const Done& entry) const {
    outcome.kind = Kind::done;
    outcome.attempts = entry.attempts;
    put_text(outcome, "", entry.result);
  }
  void operator()(const Skipped& entry) const {
    outcome.kind = Kind::skipped;
    put_text(outcome, "", entry.reason);
  }
  void operator()(const Died& entry) const {
    outcome.kind = Kind::died;
    outcome.attempts = entry.attempts;
    outcome.at = micros(entry.at);
    outcome.cure = entry.failure.cure;
    put_text(outcome, entry.failure.step, entry.failure.reason);
  }
  template <class Other>
  void operator()(const Other& /*entry*/) const {}  // not an outcome: `kind` stays 0
};

// nullopt: torn, never written, or of another format.
std::optional<Entry> entry_of(const Outcome& outcome) {
  if (outcome.mark == 0 || outcome.mark != checksum(outcome)) return std::nullopt;
  if (std::size_t{outcome.step_bytes} + outcome.text_bytes > kTextBytes) return std::nullopt;
  const std::string step(outcome.text.data(), outcome.step_bytes);
  const std::string text(outcome.text.data() + outcome.step_bytes, outcome.text_bytes);
  switch (outcome.kind) {
    case Kind::done:
      return Done{.id = outcome.task, .attempts = outcome.attempts, .result = text};
    case Kind::skipped:
      return Skipped{.id = outcome.task, .reason = text};
    case Kind::died:
      return Died{.id = outcome.task,
                  .attempts = outcome.attempts,
                  .failure = {.cure = outcome.cure, .step = step, .reason = text},
                  .at = WallTime(std::chrono::microseconds(outcome.at))};
  }
  return std::nullopt;
}

std::unexpected<Failure> failed(const std::string& path, const char* what) {
  return fail(Cure::give_up, "in-flight log", path + ": " + what + ": " + system_text(errno));
}

template <class T>
T read_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

InFlightReading reading_of(std::string_view bytes) {
  InFlightReading reading;
  if (bytes.size() < kPage) return reading;
  const auto header = read_at<Header>(bytes, 0);
  if (header.magic != kMagic || header.workers > 100'000 || header.outcomes > 10'000'000 ||
      bytes.size() < file_size(header.workers, header.outcomes)) {
    return reading;
  }
  reading.epoch = header.epoch;
  reading.boot.assign(header.boot.data(), ::strnlen(header.boot.data(), kBootBytes));
  for (std::size_t i = 0; i < header.workers; ++i) {
    const auto place = read_at<Place>(bytes, places_at() + i * sizeof(Place));
    if (place.task != 0) reading.in_hand.push_back(place.task);
  }
  std::vector<std::pair<std::uint64_t, Entry>> found;
  for (std::size_t i = 0; i < header.outcomes; ++i) {
    const auto outcome = read_at<Outcome>(bytes, outcomes_at(header.workers) + i * sizeof(Outcome));
    if (auto entry = entry_of(outcome)) found.emplace_back(outcome.sequence, *std::move(entry));
  }
  std::ranges::sort(found, {}, &std::pair<std::uint64_t, Entry>::first);
  for (auto& [sequence, entry] : found) reading.outcomes.push_back(std::move(entry));
  return reading;
}

}  // namespace

Result<InFlightReading> InFlightLog::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return InFlightReading{};
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad()) return failed(path, "cannot read");
  return reading_of(bytes);
}

Result<std::unique_ptr<InFlightLog>> InFlightLog::make(const Options& options) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
  const Descriptor file(::open(options.path.c_str(), kFlags, 0600));
  if (!file.is_open()) return failed(options.path, "cannot create");
  const std::size_t size = file_size(options.workers, options.outcomes);
  // Allocates all blocks: in a sparse file, a store on a full disk would raise SIGBUS.
  if (const int wrong = ::posix_fallocate(file.number(), 0, static_cast<off_t>(size)); wrong != 0) {
    errno = wrong;
    return failed(options.path, "cannot reserve space");
  }
  void* const base = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (base == MAP_FAILED) return failed(options.path, "cannot map");
  return std::unique_ptr<InFlightLog>(
      new InFlightLog(static_cast<std::byte*>(base), size, options));
}

InFlightLog::InFlightLog(std::byte* base, std::size_t size, const Options& options)
    : base_(base), size_(size), workers_(options.workers), outcomes_(options.outcomes) {
  Header header{.magic = kMagic,
                .epoch = options.epoch,
                .workers = options.workers,
                .outcomes = options.outcomes,
                .boot = {}};
  options.boot.copy(header.boot.data(), kBootBytes - 1);
  std::memcpy(base_, &header, sizeof header);
}

InFlightLog::~InFlightLog() { ::munmap(base_, size_); }

void InFlightLog::takes(std::size_t worker, engine::TaskId task) {
  auto* place =
      reinterpret_cast<std::uint64_t*>(base_ + places_at() + (worker % workers_) * sizeof(Place));
  std::atomic_ref(*place).store(task, std::memory_order_release);
}

void InFlightLog::finish(const engine::Entry& entry) {
  const std::uint64_t sequence = next_.fetch_add(1);
  Outcome outcome{};
  outcome.sequence = sequence;
  outcome.task = engine::task_of(entry);
  std::visit(Fill{outcome}, entry);
  outcome.mark = checksum(outcome);
  // The mark is set to zero first and to its value last: a kill in between cannot leave a partial
  // outcome that looks complete.
  std::byte* const slot = base_ + outcomes_at(workers_) + (sequence % outcomes_) * sizeof(Outcome);
  const std::atomic_ref mark(*reinterpret_cast<std::uint64_t*>(slot));
  mark.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::memcpy(slot + sizeof outcome.mark,
              reinterpret_cast<const std::byte*>(&outcome) + sizeof outcome.mark,
              sizeof outcome - sizeof outcome.mark);
  mark.store(outcome.mark, std::memory_order_release);
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace tidemill::run
