// journal_alone: the SQLite journal on its own: a list of tasks that survives a crash.
//
//   first process    Found ──► Done, Died │ the process ends here: kill -9 or a power cut
//   second process                        │ pending, dead letters ──► Done
//
// A commit is atomic, and durable when it returns. Link tidemill::journal
// (find_package(tidemill COMPONENTS app)); it brings in SQLite, but no code for terminals or runs.
#include <stdlib.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/try.h"
#include "tidemill/state/journal/sqlite_journal.h"

using namespace tidemill;
using namespace tidemill::engine;
using journal::SqliteJournal;

namespace {

Result<void> first_process(const std::string& path) {
  LET(const auto journal, SqliteJournal::open({.path = path, .access = journal::Access::create}));
  const std::vector<Entry> found = {Found{.id = 1, .type = "copy", .subject = "a.txt"},
                                    Found{.id = 2, .type = "copy", .subject = "b.txt"},
                                    Found{.id = 3, .type = "copy", .subject = "c.txt"}};
  TRY(journal->commit(found));
  const Failure refused{.cure = Cure::give_up, .step = "copy", .reason = "permission denied"};
  const std::vector<Entry> ended = {Done{.id = 1, .result = "12 bytes"},
                                    Died{.id = 2, .failure = refused, .at = SystemClock().wall()}};
  return journal->commit(ended);
}

Result<void> second_process(const std::string& path) {
  LET(const auto journal, SqliteJournal::open({.path = path}));
  LET(const auto letters, journal->letters(0, 100));
  for (const Letter& letter : letters) {
    std::cout << "failed   " << letter.subject << ": " << letter.failures.failure.reason << '\n';
  }
  LET(const auto pending, journal->pending(0, 100));
  for (const TaskRecord& task : pending) {
    std::cout << "resuming " << task.subject << '\n';
    TRY(journal->commit_one(Done{.id = task.id}));
  }
  LET(const Tally tally, journal->tally());
  std::cout << tally.done() << " done, " << tally.dead() << " failed, " << tally.pending()
            << " pending\n";
  return {};
}

Result<void> run() {
  std::string folder = std::filesystem::temp_directory_path() / "journal_alone_XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return fail(Cure::give_up, "mkdtemp", folder);
  const std::string path = folder + "/journal.db";
  TRY(first_process(path));
  TRY(second_process(path));
  std::filesystem::remove_all(folder);
  return {};
}

}  // namespace

int main() {
  const auto done = run();
  if (!done) std::cerr << text_of(done.error()) << '\n';
  return done ? 0 : 1;
}
