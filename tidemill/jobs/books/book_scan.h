// BookScan: finds books below the roots or in a list, judges each one on a worker, and stores each
// report in the cache.
//
//   walk ──► cached and unchanged? ──► workers: open, judge in a sandbox ──► one writer: cache
//
// found = checked + unchanged + errored, always: a folder that cannot be read, a file that vanishes
// and a book that crashes its sandbox count as errored books with a finding that gives the reason.
//
// run() fails when the cache fails or nothing could be started, and with Cure::resume when it was
// stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/file_stamp.h"
#include "tidemill/base/result.h"
#include "tidemill/engine/pipeline.h"
#include "tidemill/io/files/held_folder.h"
#include "tidemill/io/sandbox/fork_server.h"
#include "tidemill/io/sandbox/sandbox.h"
#include "tidemill/jobs/books/options.h"
#include "tidemill/jobs/books/report/book_report.h"
#include "tidemill/jobs/books/report_cache.h"
#include "tidemill/jobs/tasks/names.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::books {

// One thread, apart from the threads it starts itself.
class BookScan {
 public:
  // An open book, as a worker judges it: `file` is the file `name` in `folder`.
  struct Case {
    const std::string& path;  // for display
    const files::HeldFolder& folder;
    const std::string& name;
    int file = -1;
    FileStamp stamp{};
    FileStamp found{};  // from the walk
  };
  // The report, and the stamp that the book has now.
  struct Judged {
    std::string report{};
    FileStamp stamp{};
    std::string later{};  // the report for a later run if the book is unchanged; empty: the same
  };
  // Called by several workers concurrently. A Failure whose subject is the name of a rule (see
  // fail_as()) becomes a finding of that rule, any other one of TIDE-019.
  using Judge = std::function<Result<Judged>(const Case& book, engine::TaskContext& context)>;
  // Called by the writer for each settled book, after its report is in the cache.
  using OnBook = std::function<Result<void>(std::string_view path, std::string_view report)>;

  struct Tools {
    const WorkOptions& options;
    std::string cache{};  // path of the cache file; empty: temporary
    std::string asked{};  // how books are checked: cached reports with other settings do not count
    bool again = false;
    bool writes = false;  // refuse roots that another user could replace by symlinks
    Judge judge{};
    std::function<std::string(const Failure&)> report_of_failure{};  // for a book without a report
    // Whether a cached report is still valid; empty: always. Called by the finding thread.
    std::function<bool(std::string_view report)> still_holds{};
    OnBook on_book{};  // may be empty
  };

  [[nodiscard]] static Result<std::unique_ptr<BookScan>> make(Tools tools,
                                                              command::Context& context);

  [[nodiscard]] Result<engine::FlowCounts> run();

  // After run(): has the reports of all books that were seen.
  [[nodiscard]] ReportCache& cache() { return cache_; }

 private:
  // A root, held open while one of its books is in progress.
  struct Root {
    files::HeldFolder folder;
    std::string lone{};    // not empty: the root is this file in the folder
    bool follows = false;  // `lone` may be a symlink
  };
  struct Book {
    std::string path{};
    std::shared_ptr<const Root> root{};  // null for a name in a list: the worker opens it
    std::string below{};                 // the path relative to the root's folder
    FileStamp stamp{};                   // from the walk; the worker takes its own
    std::string known{};                 // the cached report of an unchanged book
    std::optional<Failure> failure{};    // for example a folder that cannot be read
  };
  using Pipeline = engine::Pipeline<Book, Judged>;

  BookScan(Tools tools, command::Context& context, ReportCache writer, ReportCache reader);
  [[nodiscard]] Result<void> find(Pipeline::Intake& intake);
  [[nodiscard]] Result<void> read_list(Pipeline::Intake& intake);
  [[nodiscard]] Result<Book> listed(const jobs::TaskName& name);
  [[nodiscard]] Result<std::shared_ptr<const Root>> hold(const std::string& root) const;
  [[nodiscard]] Result<Book> looked_up(std::string_view path, const FileStamp& stamp);
  [[nodiscard]] Result<engine::Verdict<Judged>> judge(const Book& book,
                                                      engine::TaskContext& context) const;
  [[nodiscard]] Result<void> settle(std::span<Pipeline::Item> batch);
  [[nodiscard]] Result<std::string> put(const Pipeline::Item& item);

  Tools tools_;
  command::Context& context_;
  ReportCache cache_;   // used by the writer's thread, after run() by the caller
  ReportCache lookup_;  // used by the finding thread
};

// The default globs: which files are books.
[[nodiscard]] std::vector<std::string> usual_globs();

// The report of a book that could not be judged.
[[nodiscard]] BookReport errored_report(const Failure& failure);

// Converts the answer of a sandbox: its bytes, or a Failure made with fail_as(). Fails with
// Cure::resume when stopped, and is fatal to the run when sandboxes are unavailable.
[[nodiscard]] Result<std::string> answer_in(sandbox::SandboxAnswer answer,
                                            engine::TaskContext& context);

// The stamp of a regular file; a Failure of TIDE-019 for any other kind.
[[nodiscard]] Result<FileStamp> stamp_behind(int fd);

[[nodiscard]] std::unexpected<Failure> unread(std::string reason);

// One sandbox per worker for the duration of a run. Thread-safe: each worker uses its own.
class Sandboxes {
 public:
  Sandboxes(const sandbox::ForkServer& fork_server, std::size_t workers);
  // Sends a request to the worker's sandbox. A sandbox that is unavailable is not the book's fault:
  // the request is tried up to three times.
  [[nodiscard]] sandbox::SandboxAnswer ask(std::string_view request,
                                           std::span<const int> descriptors,
                                           std::chrono::milliseconds patience,
                                           const engine::TaskContext& context);
  // Ends the worker's sandbox: the next request gets a new process. Returns false if the process
  // may still be running.
  [[nodiscard]] bool retire(const engine::TaskContext& context);

 private:
  std::vector<std::unique_ptr<sandbox::Sandbox>> sandboxes_;
};

}  // namespace tidemill::books
