#include "tidemill/jobs/docs/register.h"

#include <algorithm>
#include <utility>

#include "tidemill/base/try.h"

namespace tidemill::docs {
namespace {

constexpr std::size_t kPage = 1'000;

bool has_changed(const DoneResult& since, const DocumentSighting& sight) {
  const bool is_later = !since.updated_at.empty() && sight.updated_at > since.updated_at;
  return sight.revision > since.revision || is_later;
}

using engine::Found;
using engine::TaskRecord;
using engine::TaskState;

}  // namespace

Result<void> Register::load(const journal::SqliteJournal& journal) {
  auto state = state_.lock();
  LET(state->next_id, journal.next_id());
  engine::TaskId after = 0;
  while (true) {
    LET(auto page, journal.tasks(after, kPage));
    for (TaskRecord& task : page) {
      after = task.id;
      ++state->found;
      Known& known = state->known[task.subject];
      known = {.id = task.id};
      note_end(*state, known, task.state, task.outcome);
      if (task.state != TaskState::pending) continue;
      ++state->open;
      queue(*state, std::move(task));
    }
    if (page.size() < kPage) return {};
  }
}

void Register::note_end(State& state, Known& known, TaskState how, const std::string& outcome) {
  known.state = how;
  known.is_by_assistant = how == TaskState::skipped && outcome == kByAssistant;
  if (how != TaskState::done) return;
  known.result = done_result_of(outcome);
  if (known.result.is_warning()) ++state.warned;
}

void Register::queue(State& state, TaskRecord task) {
  (task.type == kDocumentType ? state.documents : state.commands).push_back(std::move(task));
}

// A command has ended: the waiting commands of its document are queued again.
void Register::release(State& state, const std::string& subject) {
  const auto about = command_of(subject);
  const auto busy = about ? state.busy.find(about->document) : state.busy.end();
  if (busy == state.busy.end()) return;
  std::deque<TaskRecord> waiting = std::move(busy->second);
  state.busy.erase(busy);
  while (!waiting.empty()) {  // at the front, because they were seen before the others
    state.commands.push_front(std::move(waiting.back()));
    waiting.pop_back();
  }
}

bool Register::is_new(const State& state, const DocumentSighting& sight, const Command& command) {
  const auto known_as = [&](const Command& asked) -> const Known* {
    const auto found =
        state.known.find(subject_of(CommandSubject{.document = sight.document, .command = asked}));
    return found == state.known.end() ? nullptr : &found->second;
  };
  if (command.is_uncertain) {
    Command certain = command;
    certain.is_uncertain = false;
    return !command.argument.empty() && known_as(command) == nullptr &&
           known_as(certain) == nullptr;
  }
  const Known* known = known_as(command);
  if (known == nullptr) return true;
  switch (known->state) {
    case TaskState::done:
      return known->result.is_unmarked && has_changed(known->result, sight);
    case TaskState::skipped:
      return !known->is_by_assistant;  // it was withdrawn and is back
    case TaskState::pending:
    case TaskState::dead:
    case TaskState::abandoned:
      break;
  }
  return false;
}

Found Register::reserve_one(State& state, std::string_view type, std::string subject) {
  const engine::TaskId id = state.next_id++;
  state.known[subject] = {.id = id, .is_reserved = true};
  ++state.open;
  Found found;
  found.id = id;
  found.type = type;
  found.subject = std::move(subject);
  return found;
}

void Register::wait_while_reserved(Lock& lock, const std::string& subject) {
  lock.wait([&](const State& state) {
    const auto known = state.known.find(subject);
    return known == state.known.end() || !known->second.is_reserved;
  });
}

std::vector<Found> Register::reserve(const DocumentSighting& sight) {
  std::vector<Found> all;
  auto state = state_.lock();
  for (const Command& command : sight.commands) {
    std::string subject =
        subject_of(CommandSubject{.document = sight.document, .command = command});
    if (!is_new(*state, sight, command)) continue;
    all.push_back(reserve_one(*state, kCommandType, std::move(subject)));
  }
  return all;
}

std::optional<Found> Register::reserve(const DocumentSubject& about) {
  std::string subject = subject_of(about);
  auto state = state_.lock();
  wait_while_reserved(state, subject);
  if (const auto known = state->known.find(subject); known != state->known.end()) {
    const bool may_look_again = about.delivery.empty() && known->second.state != TaskState::pending;
    if (!may_look_again) return std::nullopt;
  }
  return reserve_one(*state, kDocumentType, std::move(subject));
}

std::optional<Found> Register::reserve(const NoticeSubject& about) {
  std::string subject = subject_of(about);
  auto state = state_.lock();
  if (state->known.contains(subject)) return std::nullopt;
  return reserve_one(*state, kNoticeType, std::move(subject));
}

void Register::confirm(std::span<const Found> found) {
  state_.update([&](State& state) {
    for (const Found& one : found) {
      state.known[one.subject].is_reserved = false;
      ++state.found;
      TaskRecord task;
      task.id = one.id;
      task.type = one.type;
      task.subject = one.subject;
      queue(state, std::move(task));
    }
  });
}

void Register::cancel(std::span<const Found> found) {
  state_.update([&](State& state) {
    for (const Found& one : found) state.known.erase(one.subject);
    state.open -= found.size();
  });
}

void Register::settled(engine::TaskId id, const std::string& subject, TaskState state,
                       const std::string& outcome) {
  state_.update([&](State& now) {
    --now.open;
    release(now, subject);
    const auto known = now.known.find(subject);
    if (known == now.known.end() || known->second.id != id) return;
    note_end(now, known->second, state, outcome);
  });
}

std::optional<TaskRecord> Register::next() {
  auto state = state_.lock();
  while (true) {
    state.wait([](const State& s) {
      const bool has_one = !s.commands.empty() || !s.documents.empty();
      return has_one || s.has_stopped || (s.have_sources_ended && s.open == 0);
    });
    if (state->has_stopped) return std::nullopt;
    auto& line = state->commands.empty() ? state->documents : state->commands;
    if (line.empty()) return std::nullopt;
    TaskRecord task = std::move(line.front());
    line.pop_front();
    const auto about = task.type == kCommandType ? command_of(task.subject) : std::nullopt;
    if (!about) return task;
    const auto [busy, is_free] = state->busy.try_emplace(about->document);
    if (is_free) return task;
    busy->second.push_back(std::move(task));
  }
}

void Register::sources_have_ended() {
  state_.update([](State& state) { state.have_sources_ended = true; });
}

void Register::stop() {
  state_.update([](State& state) { state.has_stopped = true; });
}

std::uint64_t Register::found() { return state_.lock()->found; }

std::uint64_t Register::warned() { return state_.lock()->warned; }

}  // namespace tidemill::docs
