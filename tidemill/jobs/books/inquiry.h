// Inquiry: books found below some paths, each judged in a cell of its worker, each report on the
// shelf.
//
//   walk ──► known and unchanged? ──► workers: open, ask the cell ──► one writer: shelf
//
// found = checked + unchanged + errored, always: a folder that cannot be read, a file that vanishes
// and a book that crashes its cell are errored books with a finding that says so.
//
// run() fails when the shelf is lost or nothing could be started; when it was stopped, with
// Cure::resume.
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
#include "tidemill/io/sandbox/cell.h"
#include "tidemill/io/sandbox/nursery.h"
#include "tidemill/jobs/books/options.h"
#include "tidemill/jobs/books/report/book_report.h"
#include "tidemill/jobs/books/shelf.h"
#include "tidemill/jobs/tasks/names.h"
#include "tidemill/ui/command/context.h"

namespace tidemill::books {

// One thread, but for what it starts itself.
class Inquiry {
 public:
  // A book as a worker has it before it. The file is the one that had the name in the folder.
  struct Case {
    const std::string& path;  // as it is shown
    const files::HeldFolder& folder;
    const std::string& name;
    int file = -1;
    FileStamp stamp{};
    FileStamp found{};  // of the walk
  };
  // What became of it: the report, and the stamp the book has now.
  struct Judged {
    std::string report{};
    FileStamp stamp{};
    std::string later{};  // what a later run is told if the book is unchanged; empty: the report
  };
  // Called by many workers at the same time. A Failure whose step is the name of a rule becomes a
  // finding of that rule; another one is TIDE-019.
  using Judge = std::function<Result<Judged>(const Case& book, engine::TaskContext& context)>;
  // Called by the writer for each book that is settled, after its report is on the shelf.
  using OnBook = std::function<Result<void>(std::string_view path, std::string_view report)>;

  struct Parts {
    const WorkOptions& options;
    std::string shelf{};  // its file; empty: none
    std::string asked{};  // how books are checked: a report of another way does not count
    bool again = false;
    bool writes = false;  // roots that another user can exchange for links are refused
    Judge judge{};
    std::function<std::string(const Failure&)> report_of_failure{};  // of a book that has no other
    // Whether a report of an earlier run still holds; empty: always. By the finding thread.
    std::function<bool(std::string_view report)> still_holds{};
    OnBook on_book{};  // may be empty
  };

  [[nodiscard]] static Result<std::unique_ptr<Inquiry>> make(Parts parts,
                                                             command::Context& context);

  [[nodiscard]] Result<engine::FlowCounts> run();

  // After run(): everything that was seen, by path.
  [[nodiscard]] Shelf& shelf() { return shelf_; }

 private:
  // A root, held for as long as one of its books is under way.
  struct Root {
    files::HeldFolder folder;
    std::string lone{};    // the root is this file in the folder
    bool follows = false;  // which may be a link
  };
  struct Book {
    std::string path{};
    std::shared_ptr<const Root> root{};  // of a name in a list: none yet, the worker opens it
    std::string below{};                 // of the root's folder
    FileStamp stamp{};                   // of the walk; the worker takes its own
    std::string known{};                 // the report of an unchanged book
    std::optional<Failure> trouble{};    // a folder that cannot be read
  };
  using Machine = engine::Pipeline<Book, Judged>;

  Inquiry(Parts parts, command::Context& context, Shelf writer, Shelf reader);
  [[nodiscard]] Result<void> find(Machine::Intake& intake);
  [[nodiscard]] Result<void> read_list(Machine::Intake& intake);
  [[nodiscard]] Result<Book> listed(const jobs::Name& name);
  [[nodiscard]] Result<std::shared_ptr<const Root>> hold(const std::string& root) const;
  [[nodiscard]] Result<Book> looked_up(std::string_view path, const FileStamp& stamp);
  [[nodiscard]] Result<engine::Verdict<Judged>> judge(const Book& book,
                                                      engine::TaskContext& context) const;
  [[nodiscard]] Result<void> settle(std::span<Machine::Item> batch);
  [[nodiscard]] Result<std::string> put(const Machine::Item& item);

  Parts parts_;
  command::Context& context_;
  Shelf shelf_;   // the writer's thread, then the caller's
  Shelf lookup_;  // the finding thread's
};

// Which files are books, where nothing else is said.
[[nodiscard]] std::vector<std::string> usual_globs();

// The report of a book that could not be judged.
[[nodiscard]] BookReport errored_report(const Failure& failure);

// What an answer of a cell means: its bytes, or a Failure of fail_as().
[[nodiscard]] Result<std::string> answer_in(sandbox::Answer answer, engine::TaskContext& context);

// The stamp of a regular file; a Failure of TIDE-019 for anything else.
[[nodiscard]] Result<FileStamp> stamp_behind(int fd);

[[nodiscard]] std::unexpected<Failure> unread(std::string reason);

// One for each worker, for as long as the run lasts. Thread-safe: each worker has its own.
class Cells {
 public:
  Cells(const sandbox::Nursery& nursery, std::size_t workers);
  // Of the worker's cell. One that ends before it is ready is nobody's fault: another is tried.
  [[nodiscard]] sandbox::Answer ask(std::string_view request, std::span<const int> descriptors,
                                    std::chrono::milliseconds patience,
                                    const engine::TaskContext& context);
  // Ends the worker's cell: the next request gets a new process. False: it is not known to be gone.
  [[nodiscard]] bool retire(const engine::TaskContext& context);

 private:
  std::vector<std::unique_ptr<sandbox::Cell>> cells_;
};

}  // namespace tidemill::books
