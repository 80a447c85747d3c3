// wordcount: counts the words of every file below some folders, and keeps the counts in SQLite.
//
//   files ──► perform(): count the words ──► store(): one transaction per batch ──► words.db
//             N workers                      one thread
//
// The verbs runs, show, resume, failures, check, forget, completion and man, the journal on disk,
// retries, Ctrl-C, progress and the full screen come with tidemill::app.
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tidemill/app/program/start.h>
#include <tidemill/app/runs/verbs.h>
#include <tidemill/base/system_text.h>
#include <tidemill/base/try.h>
#include <tidemill/io/store/db.h>
#include <tidemill/io/store/transaction.h>
#include <tidemill/jobs/file_job.h>

namespace command = tidemill::command;
namespace engine = tidemill::engine;
namespace jobs = tidemill::jobs;
namespace store = tidemill::store;
using tidemill::Cure;
using tidemill::fail;
using tidemill::Result;

namespace {

// The work of one process: counts on many threads, stores on one.
class Counting final : public jobs::FileWork {
 public:
  explicit Counting(store::Db db) : db_(std::move(db)) {}

  // Cure::retry tries the file again; Cure::give_up fails it, and `wordcount failures` lists it.
  Result<jobs::FileVerdict> perform(const std::string& path, engine::TaskContext& task) override {
    std::ifstream file(path, std::ios::binary);
    if (!file) return fail(Cure::give_up, "open", tidemill::system_text(errno));
    std::vector<char> block(std::size_t{64} << 10U);
    std::uint64_t words = 0;
    bool is_in_word = false;
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())), file.gcount() > 0) {
      if (task.should_stop()) return task.stopped();  // Ctrl-C, or --timeout
      for (const char byte : std::span(block).first(static_cast<std::size_t>(file.gcount()))) {
        if (byte == '\0') return fail(Cure::give_up, "read", "not a text file");
        const bool is_space = byte == ' ' || (byte >= '\t' && byte <= '\r');
        if (!is_space && !is_in_word) ++words;
        is_in_word = !is_space;
      }
    }
    if (file.bad()) return fail(Cure::retry, "read", tidemill::system_text(errno));
    return std::to_string(words);
  }

  // A file may come twice: the process can die between this commit and the journal's.
  Result<void> store(std::span<const jobs::FileResult> results) override {
    LET(auto transaction, store::Transaction::begin(db_));
    LET(auto insert, db_.prepare("insert or replace into words (path, words) values (?, ?)"));
    for (const jobs::FileResult& file : results) {
      TRY(insert.run(file.path, std::int64_t{std::stoll(file.result)}));
    }
    return transaction.commit();
  }

 private:
  store::Db db_;
};

// Describes the verb, and opens the database. --jobs, --attempts, --glob, --json … are built in.
class Words final : public jobs::FileJob {
 public:
  command::Verb description() const override {
    return {.name = "count",
            .summary = "count the words of each file",
            .examples = {{"%program count texts --into words.db", "count every file below texts"},
                         {"%program resume last", "continue after Ctrl-C or a crash"}},
            .description =
                {"Counts words separated by white space, and stores the count of each file in "
                 "the table words (path, words) of an SQLite database."},
            .flags = {{.name = "into",
                       .kind = command::ValueKind::path,
                       .metavar = "DB",
                       .help = "SQLite database for the counts",
                       .fallback = "words.db"}}};
  }

  Result<std::unique_ptr<jobs::FileWork>> open(const command::Values& values) const override {
    LET(auto db, store::Db::open(values.text("into")));
    TRY(db.exec("create table if not exists words (path text primary key, words integer)"));
    return std::make_unique<Counting>(std::move(db));
  }
};

}  // namespace

int main(int argc, char** argv) {
  static const Words words;
  const std::vector<const jobs::Job*> jobs = {&words};
  const tidemill::app::App app{.name = "wordcount",
                               .version = "1.0",
                               .summary = "counts words, and survives crashes",
                               .jobs = jobs,
                               .verbs = tidemill::app::standard_verbs(jobs)};
  return tidemill::app::start(app, argc, argv);
}
