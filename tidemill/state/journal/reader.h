// JournalReader: the queries on a journal, each one short statement on a connection of its own.
// Each result is a consistent snapshot of the journal.
//
// An invalid value (such as a state out of range) or a wrong checksum means that the file is
// damaged: Cure::give_up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/result.h"
#include "tidemill/engine/journal.h"
#include "tidemill/io/store/db.h"
#include "tidemill/state/history/history.h"
#include "tidemill/state/journal/schema.h"
#include "tidemill/state/journal/task_search.h"

namespace tidemill::journal {

enum class ListOrder : std::uint8_t {
  by_id,
  by_weight,  // lightest first
  by_name,    // bytewise: by folder, then by name
};

// Dead tasks that failed in the same step for the same reason. The group with id 0 and an empty
// step has all those whose reasons were too many to be counted apart (reasons.h).
struct FailureGroup {
  std::int64_t id = 0;
  std::string step{};
  std::string reason{};
  WallTime first_at{};  // of all failures of its tasks
  WallTime last_at{};
  std::uint64_t count = 0;
  engine::TaskId first = 0;  // the lowest id among them
  std::string example{};     // its subject
  bool operator==(const FailureGroup&) const = default;
};

// One thread at a time. Functions with the names of engine::Journal behave as documented there.
class JournalReader {
 public:
  [[nodiscard]] static Result<JournalReader> open(const std::string& path);

  [[nodiscard]] Result<engine::Tally> tally();
  [[nodiscard]] Result<engine::TaskId> next_id();
  [[nodiscard]] Result<std::optional<engine::TaskRecord>> task(engine::TaskId id);
  [[nodiscard]] Result<std::optional<engine::Letter>> letter(engine::TaskId id);
  [[nodiscard]] Result<std::optional<engine::Checkpoint>> checkpoint(engine::TaskId id);
  [[nodiscard]] Result<std::vector<engine::TaskRecord>> tasks(
      engine::TaskId after, std::size_t limit, std::optional<engine::TaskState> state);
  [[nodiscard]] Result<std::vector<engine::Letter>> letters(engine::TaskId after,
                                                            std::size_t limit);
  [[nodiscard]] Result<std::vector<engine::TaskId>> pending_ids(ListOrder order);
  [[nodiscard]] Result<std::vector<FailureGroup>> failure_groups(std::size_t limit);
  [[nodiscard]] bool has_reasons() const { return has_reasons_; }
  // Dead tasks of one FailureGroup; only for a file that has_reasons().
  [[nodiscard]] Result<std::vector<engine::TaskRecord>> failed_tasks(std::int64_t reason,
                                                                     engine::TaskId after,
                                                                     std::size_t limit);
  [[nodiscard]] Result<FoundTasks> search(const TaskSearch& search,
                                          const std::function<bool()>& may_go_on);
  [[nodiscard]] Result<std::optional<std::string>> note(std::string_view key);
  [[nodiscard]] Result<std::int64_t> epoch();
  [[nodiscard]] Result<history::RunHistory> history();  // empty for a file of an older version

 private:
  struct Statements {
    store::Statement tally;
    store::Statement highest;
    store::Statement task;
    store::Statement letter;
    store::Statement checkpoint;
    store::Statement tasks;
    store::Statement pending;
    store::Statement dead;
    store::Statement in_state;
    store::Statement letters;
    store::Statement note;
    store::Statement epoch;
  };

  JournalReader(OpenedJournal opened, Statements statements)
      : db_(std::move(opened.db)),
        has_checksums_(opened.has_checksums),
        has_reasons_(opened.has_reasons),
        has_history_(opened.has_history),
        statements_(std::move(statements)) {}

  template <class Record, class... Args>
  [[nodiscard]] Result<std::vector<Record>> read(store::Statement& statement, const Args&... args);

  store::Db db_;
  bool has_checksums_;
  bool has_reasons_;
  bool has_history_;
  Statements statements_;
};

}  // namespace tidemill::journal
