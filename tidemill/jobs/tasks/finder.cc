#include "tidemill/jobs/tasks/finder.h"

#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"

namespace tidemill::jobs {
namespace {

using engine::Died;
using engine::Done;
using engine::Entry;
using engine::Found;

constexpr std::size_t kBatch = 4'096;
constexpr std::string_view kPositionNote = "position";
constexpr std::string_view kFoundAllNote = "found_all";

std::string_view type_of(const TaskName& name, std::string_view task_type) {
  if (!name.failure) return task_type;
  return name.is_folder ? kFindType : kNameType;
}

}  // namespace

Finder::Finder(Source source, journal::SqliteJournal& journal, journal::DiskFullWait& patience,
               const Clock& clock, engine::TaskId first_id)
    : source_(std::move(source)),
      journal_(journal),
      patience_(patience),
      clock_(clock),
      next_id_(first_id),
      state_(State{.last = first_id - 1}) {
  const auto lose = [this](Failure failure) {
    channel_.cancel();
    end(std::move(failure));
  };
  auto registering = start_thread("the list of tasks", [this] { register_all(); }, lose);
  if (!registering) {
    lose(std::move(registering).error());
    return;
  }
  registering_ = *std::move(registering);
  const auto close = [this](Result<void> done) {
    if (!done) source_failure_ = std::move(done).error();
    channel_.close();
  };
  const auto fail = [close](Failure failure) { close(std::unexpected(std::move(failure))); };
  auto finding = start_thread("the walk", [this, close] { close(find()); }, fail);
  if (finding) {
    finding_ = *std::move(finding);
  } else {
    fail(std::move(finding).error());
  }
}

Finder::~Finder() { stop(); }

void Finder::stop() { stop_.request_stop(); }

Finder::State Finder::wait_beyond(engine::TaskId seen) {
  auto state = state_.lock();
  state.wait([&](const State& s) { return s.has_ended || s.last > seen; });
  return *state;
}

Finder::State Finder::wait_for_the_end() {
  auto state = state_.lock();
  state.wait([](const State& s) { return s.has_ended; });
  return *state;
}

Result<void> Finder::find() {
  const auto on_name = [&](TaskName&& name) { return send(std::move(name)); };
  for (const std::string& folder : source_.again) {
    TRY(each_name_below(folder, source_.files, stop_.get_token(), on_name));
  }
  if (source_.is_read) return {};
  return each_name(source_.files, source_.position, stop_.get_token(), on_name);
}

bool Finder::send(TaskName&& name) {
  const Bytes size{sizeof(TaskName) + name.subject.size() + name.position.size()};
  const bool is_failure = name.failure.has_value();
  if (channel_.push(std::move(name), size, stop_.get_token()) != engine::Push::sent) return false;
  if (is_failure) failures_.fetch_add(1, std::memory_order_relaxed);
  found_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Finder::register_all() {
  std::vector<TaskName> batch;
  while (channel_.pop_some(batch, kBatch) > 0) {
    if (auto kept = commit(batch); !kept) {
      channel_.cancel();
      return end(std::move(kept).error());
    }
    batch.clear();
  }
  if (source_failure_) return end(source_failure_);
  auto ended = commit_the_end();
  end(ended ? std::nullopt : std::optional(std::move(ended).error()));
}

Result<void> Finder::commit(std::vector<TaskName>& batch) {
  std::vector<Entry> entries;
  entries.reserve(batch.size());
  std::vector<journal::Note> notes;
  for (TaskName& name : batch) {
    const engine::TaskId id = next_id_++;
    if (!source_.is_read && !name.position.empty()) {
      notes = {{.key = std::string(kPositionNote), .value = std::move(name.position)}};
    }
    entries.emplace_back(Found{.id = id,
                               .type = std::string(type_of(name, source_.task_type)),
                               .subject = std::move(name.subject),
                               .weight = name.weight});
    if (name.failure) {
      entries.emplace_back(Died{.id = id, .failure = *name.failure, .at = clock_.wall()});
    }
  }
  TRY(patience_.retry_until_written([&] { return journal_.commit(entries, notes); }));
  state_.update([&](State& state) { state.last = next_id_ - 1; });
  return {};
}

// The retried dead letters are done only now that everything found for them is in the journal.
Result<void> Finder::commit_the_end() {
  std::vector<Entry> entries;
  for (const engine::TaskId id : source_.settles) entries.emplace_back(Done{.id = id});
  std::vector<journal::Note> notes;
  if (!source_.is_read) notes = {{.key = std::string(kFoundAllNote), .value = "1"}};
  if (entries.empty() && notes.empty()) return {};
  return patience_.retry_until_written([&] { return journal_.commit(entries, notes); });
}

void Finder::end(std::optional<Failure> failure) {
  state_.update([&](State& state) {
    state.has_ended = true;
    state.failure = std::move(failure);
  });
}

}  // namespace tidemill::jobs
