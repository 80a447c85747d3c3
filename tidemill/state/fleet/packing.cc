#include "tidemill/state/fleet/packing.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "tidemill/base/varint.h"

namespace tidemill::fleet {
namespace {

using engine::FleetTask;
using engine::TaskEnd;
using engine::TaskReport;
using engine::WorkerCard;

constexpr char kVersion = 1;
// The length of a record and its fields: the least that a task or report takes.
constexpr std::size_t kLeastRecord = 5;

void append_text(std::string& to, std::string_view text) {
  append_varint(to, text.size());
  to += text;
}

void append_count(std::string& to, std::int64_t count) {
  append_varint(to, static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0)));
}

// Takes values off the front of any bytes. After the first that is not there, all are zero or empty
// and is_good() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool is_good() const { return is_good_; }

  std::uint64_t number(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
    const auto number = take_varint(bytes_);
    if (!is_good_ || !number || *number > most) {
      is_good_ = false;
      return 0;
    }
    return *number;
  }
  int small() { return static_cast<int>(number(std::numeric_limits<int>::max())); }
  template <class Duration>
  Duration duration() {
    return Duration(static_cast<Duration::rep>(number(std::numeric_limits<std::int64_t>::max())));
  }
  // The number of things that follow, of which each takes at least so many bytes: more than the
  // bytes have room for is refused before memory is taken for it.
  std::size_t count(std::size_t least) { return number(bytes_.size() / least); }
  std::string_view text() {
    const std::size_t size = number();
    if (!is_good_ || size > bytes_.size()) {
      is_good_ = false;
      return {};
    }
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }
  Reader record() { return Reader(text()); }
  void version() {
    is_good_ = is_good_ && !bytes_.empty() && bytes_.front() == kVersion;
    if (is_good_) bytes_.remove_prefix(1);
  }
  void refuse() { is_good_ = false; }
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool is_good_ = true;
};

// By name: the list of kinds grows, and hosts may run different versions of the program.
FailureKind kind_named(std::string_view name) {
  constexpr auto kLast = std::to_underlying(FailureKind::truncated);
  for (unsigned number = 0; number <= kLast; ++number) {
    const auto kind = static_cast<FailureKind>(number);
    if (name_of(kind) == name) return kind;
  }
  return FailureKind::other;
}

// Nothing for a task that did not fail.
std::string pack(const Failure& failure) {
  std::string bytes;
  if (failure == Failure{}) return bytes;
  append_varint(bytes, std::to_underlying(failure.cure));
  append_text(bytes, name_of(failure.kind));
  append_text(bytes, failure.step);
  append_text(bytes, failure.reason);
  append_text(bytes, failure.hint);
  append_count(bytes, failure.not_before.count());
  append_text(bytes, failure.subject);
  return bytes;
}

Failure take_failure(Reader& from) {
  Reader in = from.record();
  if (in.is_empty()) return {};
  Failure failure;
  failure.cure = static_cast<Cure>(in.number(std::to_underlying(Cure::later)));
  failure.kind = kind_named(in.text());
  failure.step = in.text();
  failure.reason = in.text();
  failure.hint = in.text();
  failure.not_before = in.duration<std::chrono::milliseconds>();
  failure.subject = in.text();
  if (!in.is_good()) from.refuse();
  return failure;
}

void write(std::string& to, const FleetTask& task) {
  append_varint(to, task.id);
  append_count(to, task.attempt);
  append_count(to, task.crashes);
  append_text(to, task.payload);
}

FleetTask take_task(Reader& from) {
  Reader in = from.record();
  FleetTask task;
  task.id = in.number();
  task.attempt = in.small();
  task.crashes = in.small();
  task.payload = in.text();
  if (!in.is_good()) from.refuse();
  return task;
}

void write(std::string& to, const TaskReport& report) {
  append_varint(to, report.id);
  append_count(to, report.attempt);
  append_count(to, report.crashes);
  append_varint(to, std::to_underlying(report.end));
  append_count(to, report.took.count());
  append_text(to, report.text);
  append_text(to, pack(report.failure));
}

TaskReport take_report(Reader& from) {
  Reader in = from.record();
  TaskReport report;
  report.id = in.number();
  report.attempt = in.small();
  report.crashes = in.small();
  report.end = static_cast<TaskEnd>(in.number(std::to_underlying(TaskEnd::returned)));
  report.took = in.duration<std::chrono::microseconds>();
  report.text = in.text();
  report.failure = take_failure(in);
  if (!in.is_good()) from.refuse();
  return report;
}

template <class T>
std::string pack_all(std::span<const T> values) {
  std::string bytes(1, kVersion);
  append_varint(bytes, values.size());
  std::string record;  // one for all, so that its memory is used again
  for (const T& value : values) {
    record.clear();
    write(record, value);
    append_text(bytes, record);
  }
  return bytes;
}

template <class T>
std::optional<std::vector<T>> unpack_all(std::string_view bytes, T (*take)(Reader&)) {
  Reader in(bytes);
  in.version();
  const std::size_t count = in.count(kLeastRecord);
  std::vector<T> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count && in.is_good(); ++i) values.push_back(take(in));
  if (!in.is_good()) return std::nullopt;
  return values;
}

}  // namespace

std::string pack(std::span<const FleetTask> tasks) { return pack_all(tasks); }

std::optional<std::vector<FleetTask>> unpack_tasks(std::string_view bytes) {
  return unpack_all<FleetTask>(bytes, &take_task);
}

std::string pack(std::span<const TaskReport> reports) { return pack_all(reports); }

std::optional<std::vector<TaskReport>> unpack_reports(std::string_view bytes) {
  return unpack_all<TaskReport>(bytes, &take_report);
}

std::string pack(const WorkerCard& card) {
  std::string bytes(1, kVersion);
  append_text(bytes, card.name);
  append_text(bytes, card.host);
  append_varint(bytes, card.places);
  append_varint(bytes, card.running.size());
  for (const engine::TaskId task : card.running) append_varint(bytes, task);
  return bytes;
}

std::optional<WorkerCard> unpack_card(std::string_view bytes) {
  Reader in(bytes);
  in.version();
  WorkerCard card;
  card.name = in.text();
  card.host = in.text();
  card.places = static_cast<std::uint32_t>(in.number(std::numeric_limits<std::uint32_t>::max()));
  const std::size_t count = in.count(1);
  card.running.reserve(count);
  for (std::size_t i = 0; i < count && in.is_good(); ++i) card.running.push_back(in.number());
  if (!in.is_good()) return std::nullopt;
  return card;
}

}  // namespace tidemill::fleet
