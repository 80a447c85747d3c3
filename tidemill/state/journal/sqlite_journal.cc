#include "tidemill/state/journal/sqlite_journal.h"

#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/state/history/tables.h"

namespace tidemill::journal {

using namespace engine;

SqliteJournal::SqliteJournal(std::string path, std::int64_t epoch, JournalReader reader)
    : path_(std::move(path)), epoch_(epoch), reader_(std::move(reader)) {}

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::open(const JournalOptions& options) {
  using Opened = std::unique_ptr<SqliteJournal>;
  if (options.access == Access::read) {
    LET(auto reader, JournalReader::open(options.path));
    LET(const auto epoch, reader.epoch());
    return Opened(new SqliteJournal(options.path, epoch, std::move(reader)));
  }
  LET(auto db, open_for_writing(options));
  LET(const auto epoch, take_ownership(db));
  LET(auto writer, JournalWriter::open(db, epoch));
  LET(auto reader, JournalReader::open(options.path));
  Opened journal(new SqliteJournal(options.path, epoch, std::move(reader)));
  journal->journal_writer_ = std::move(writer);
  journal->writer_ = std::make_unique<store::DbWriter>(std::move(db));
  return journal;
}

Result<void> SqliteJournal::commit(std::span<const Entry> batch) { return commit(batch, {}); }

Result<void> SqliteJournal::commit(std::span<const Entry> batch, std::span<const Note> notes) {
  if (!writer_) {
    return fail(Cure::give_up, "journal", path_ + ": the journal is open for reading only");
  }
  return writer_->write([&](store::Db& db) { return journal_writer_->write(db, batch, notes); });
}

Result<void> SqliteJournal::limit_size(Bytes most) {
  if (!writer_) return {};
  return writer_->write([most](store::Db& db) -> Result<void> {
    LET(auto size, db.prepare("pragma page_size"));
    LET(const auto page, size.one<std::int64_t>());
    const auto pages = most.count / static_cast<std::uint64_t>(page.value_or(4'096));
    return db.exec("pragma max_page_count = " + std::to_string(pages));
  });
}

Result<Tally> SqliteJournal::tally() const { return reader_.lock()->tally(); }
Result<TaskId> SqliteJournal::next_id() const { return reader_.lock()->next_id(); }

Result<std::optional<TaskRecord>> SqliteJournal::task(TaskId id) const {
  return reader_.lock()->task(id);
}

Result<std::optional<Letter>> SqliteJournal::letter(TaskId id) const {
  return reader_.lock()->letter(id);
}

Result<std::optional<Checkpoint>> SqliteJournal::checkpoint(TaskId id) const {
  return reader_.lock()->checkpoint(id);
}

Result<std::vector<TaskRecord>> SqliteJournal::pending(TaskId after, std::size_t limit) const {
  return reader_.lock()->tasks(after, limit, TaskState::pending);
}

Result<std::vector<Letter>> SqliteJournal::letters(TaskId after, std::size_t limit) const {
  return reader_.lock()->letters(after, limit);
}

Result<std::vector<TaskRecord>> SqliteJournal::tasks(TaskId after, std::size_t limit,
                                                     std::optional<TaskState> state) const {
  return reader_.lock()->tasks(after, limit, state);
}

Result<std::vector<TaskId>> SqliteJournal::pending_ids(ListOrder order) const {
  LET(auto reader, JournalReader::open(path_));
  return reader.pending_ids(order);
}

Result<std::vector<FailureGroup>> SqliteJournal::failure_groups(std::size_t limit) const {
  LET(auto reader, JournalReader::open(path_));
  return reader.failure_groups(limit);
}

bool SqliteJournal::has_reasons() const { return reader_.lock()->has_reasons(); }

Result<std::vector<TaskRecord>> SqliteJournal::failed_tasks(std::int64_t reason, TaskId after,
                                                            std::size_t limit) const {
  return reader_.lock()->failed_tasks(reason, after, limit);
}

Result<FoundTasks> SqliteJournal::search(const TaskSearch& search,
                                         const std::function<bool()>& may_go_on) const {
  return reader_.lock()->search(search, may_go_on);
}

Result<std::optional<std::string>> SqliteJournal::note(std::string_view key) const {
  return reader_.lock()->note(key);
}

Result<history::RunHistory> SqliteJournal::history() const { return reader_.lock()->history(); }

Result<void> SqliteJournal::keep(const history::HistoryChange& change) {
  if (!writer_) {
    return fail(Cure::give_up, "journal", path_ + ": the journal is open for reading only");
  }
  return writer_->write([&](store::Db& db) -> Result<void> {
    TRY(journal_writer_->write(db, {}, {}));  // checks the epoch
    return history::write(db, change);
  });
}

}  // namespace tidemill::journal
