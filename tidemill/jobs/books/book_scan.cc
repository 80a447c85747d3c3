#include "tidemill/jobs/books/book_scan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <unordered_set>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/engine/progress.h"
#include "tidemill/io/walk/walker.h"
#include "tidemill/state/history/history_recorder.h"

namespace tidemill::books {
namespace {

constexpr std::string_view kUnread = "TIDE-019";

// A folder "x.epub", or a root, that contains this file is an unpacked book. The walk reports only
// files, so the book is found by this file.
constexpr std::string_view kContainer = "/META-INF/container.xml";
std::vector<std::string> unpacked_globs() {
  return {"/META-INF/container.xml", "**/*.[eE][pP][uU][bB]/META-INF/container.xml"};
}

Failure unpacked() { return fail_as("TIDE-021", "an unpacked book: a folder, not a file").error(); }

// Fails before anything is read: a root that does not exist is probably a typing error.
Result<void> demand_there(const std::vector<std::string>& roots) {
  for (const std::string& root : roots) {
    if (::access(root.c_str(), F_OK) == 0) continue;
    return fail(Cure::give_up, "open", root + ": " + system_text(errno));
  }
  return {};
}

std::int64_t now_ns(const Clock& clock) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock.wall().time_since_epoch())
      .count();
}

}  // namespace

std::vector<std::string> usual_globs() { return {"*.[eE][pP][uU][bB]", "*.[pP][dD][fF]"}; }

std::unexpected<Failure> unread(std::string reason) { return fail_as(kUnread, std::move(reason)); }

Result<FileStamp> stamp_behind(int fd) {
  struct stat seen{};
  if (::fstat(fd, &seen) != 0) return unread(system_text(errno));
  if (!S_ISREG(seen.st_mode)) return unread("not a regular file");
  return stamp_of(seen);
}

Sandboxes::Sandboxes(const sandbox::ForkServer& fork_server, std::size_t workers) {
  for (std::size_t at = 0; at < workers; ++at) {
    sandboxes_.push_back(std::make_unique<sandbox::Sandbox>(fork_server));
  }
}

sandbox::SandboxAnswer Sandboxes::ask(std::string_view request, std::span<const int> descriptors,
                                      std::chrono::milliseconds patience,
                                      const engine::TaskContext& context) {
  sandbox::Sandbox& sandbox = *sandboxes_.at(context.worker());
  sandbox::SandboxAnswer answer = sandbox.ask(request, descriptors, patience, context.stop());
  for (int tries = 1; tries < 3 && answer.kind == sandbox::SandboxAnswer::Kind::unavailable;
       ++tries) {
    answer = sandbox.ask(request, descriptors, patience, context.stop());
  }
  return answer;
}

bool Sandboxes::retire(const engine::TaskContext& context) {
  return sandboxes_.at(context.worker())->retire();
}

BookReport errored_report(const Failure& failure) {
  BookReport report{.is_errored = true};
  const auto rule = epub::rule_named(failure.subject);
  report.add({.rule = rule.value_or(epub::RuleId("TIDE-019")),
              .detail = rule ? failure.reason : text_of(failure)});
  return report;
}

Result<std::string> answer_in(sandbox::SandboxAnswer answer, engine::TaskContext& context) {
  using Kind = sandbox::SandboxAnswer::Kind;
  const auto because = [](std::string_view rule, std::string reason) {
    return fail_as(rule, std::move(reason));
  };
  switch (answer.kind) {
    case Kind::answered:
      return std::move(answer.text);
    case Kind::crashed:
      return because("TIDE-003", answer.signal != 0
                                     ? "signal " + std::to_string(answer.signal)
                                     : "exit status " + std::to_string(answer.exit_status));
    case Kind::refused:
      return because("TIDE-003", "it made a forbidden system call");
    case Kind::garbled:
      return because("TIDE-003", "its report cannot be read");
    case Kind::timed_out:
      return because("TIDE-004", "raise the limit with --timeout");
    case Kind::out_of_memory:
      return because("TIDE-005", "raise the limit with --memory");
    case Kind::too_much:
      return because("TIDE-005", "its report was too large");
    case Kind::stopped:
      return context.stopped();
    case Kind::unavailable:
      return context.fatal({.step = "sandbox", .reason = std::move(answer.text)});
  }
  return because("TIDE-003", "");
}

BookScan::BookScan(Tools tools, command::Context& context, ReportCache writer, ReportCache reader)
    : tools_(std::move(tools)),
      context_(context),
      cache_(std::move(writer)),
      lookup_(std::move(reader)) {}

Result<std::unique_ptr<BookScan>> BookScan::make(Tools tools, command::Context& context) {
  TRY(demand_there(tools.options.roots));
  if (!tools.options.files_from.empty()) TRY(jobs::check(list_of(tools.options)));
  LET(auto writer, ReportCache::open(tools.cache));
  LET(auto reader, ReportCache::open(tools.cache));
  return std::unique_ptr<BookScan>(
      new BookScan(std::move(tools), context, std::move(writer), std::move(reader)));
}

Result<BookScan::Book> BookScan::looked_up(std::string_view path, const FileStamp& stamp) {
  Book book{.path = std::string(path), .stamp = stamp};
  if (tools_.again) return book;
  LET(auto known, lookup_.known(path, stamp, tools_.asked));
  if (known && (!tools_.still_holds || tools_.still_holds(*known))) book.known = *std::move(known);
  return book;
}

// A job that only reads follows all symlinks; one that writes follows only trusted ones.
Result<std::shared_ptr<const BookScan::Root>> BookScan::hold(const std::string& root) const {
  const auto links = tools_.writes ? files::Links::ours : files::Links::all;
  struct stat seen{};
  if (::stat(root.c_str(), &seen) != 0 || S_ISDIR(seen.st_mode)) {
    LET(auto folder, files::HeldFolder::open(root, links));
    return std::make_shared<const Root>(Root{.folder = std::move(folder)});
  }
  const auto last = tools_.writes ? files::LastLink::follow : files::LastLink::keep;
  LET(auto spot, files::spot_of(root, last, links));
  return std::make_shared<const Root>(Root{
      .folder = std::move(spot.folder), .lone = std::move(spot.name), .follows = !tools_.writes});
}

// A name that does not exist or is not a regular file counts as a failed book.
Result<BookScan::Book> BookScan::listed(const jobs::TaskName& name) {
  if (name.failure) return Book{.path = name.subject, .failure = name.failure};
  struct stat seen{};
  if (::stat(name.subject.c_str(), &seen) != 0) {
    return Book{.path = name.subject, .failure = unread(system_text(errno)).error()};
  }
  if (!S_ISREG(seen.st_mode)) {
    return Book{.path = name.subject, .failure = unread("not a regular file").error()};
  }
  return looked_up(name.subject, stamp_of(seen));
}

Result<void> BookScan::read_list(Pipeline::Intake& intake) {
  std::unordered_set<std::string> known;  // a book that is listed twice is checked once
  Result<void> looked{};
  const auto on_name = [&](const jobs::TaskName& name) {
    if (!known.insert(name.subject).second) return true;
    auto book = listed(name);
    if (!book) {
      looked = std::unexpected(std::move(book).error());
      return false;
    }
    const Bytes size{book->stamp.size};
    return intake.feed(*std::move(book), size);
  };
  const auto read = jobs::each_name(list_of(tools_.options), {}, context_.stop, on_name);
  TRY(looked);
  if (!read && read.error().cure != Cure::resume) return read;
  return {};
}

Result<void> BookScan::find(Pipeline::Intake& intake) {
  const WorkOptions& options = tools_.options;
  if (!options.files_from.empty()) return read_list(intake);
  walk::WalkOptions walk{.globs = options.globs.empty() ? usual_globs() : options.globs,
                         .excludes = options.excludes,
                         .hidden = !options.no_hidden,
                         .sizes = true};
  for (std::string& glob : unpacked_globs()) walk.globs.push_back(std::move(glob));
  Result<void> looked{};
  std::shared_ptr<const Root> held;
  std::size_t root_size = 0;
  const auto on_file = [&](const walk::FoundFile& file) {
    if (held->lone.empty() && file.path.ends_with(kContainer)) {
      const auto folder = file.path.substr(0, file.path.size() - kContainer.size());
      return intake.feed(Book{.path = std::string(folder), .failure = unpacked()});
    }
    auto book = looked_up(file.path, file.stamp);
    if (!book) {
      looked = std::unexpected(std::move(book).error());
      return false;
    }
    book->root = held;
    book->below = held->lone.empty() ? file.path.substr(root_size) : held->lone;
    return intake.feed(*std::move(book), Bytes{file.size});
  };
  const auto on_failure = [&](std::string_view path, const Failure& failure) {
    (void)intake.feed(Book{.path = std::string(path), .failure = failure});
  };
  for (const std::string& root : options.roots) {
    auto opened = hold(root);
    if (!opened) {
      opened.error().step = "open";
      on_failure(root, opened.error());
      continue;
    }
    held = *std::move(opened);
    root_size = root.size() + (root.ends_with('/') ? 0 : 1);
    const auto walked = walk::walk(root, walk, {}, context_.stop, on_file, on_failure);
    if (!walked && walked.error().kind != FailureKind::unreadable) {
      return std::unexpected(walked.error());
    }
    if (!walked) on_failure(root, walked.error());
    TRY(looked);
    if (intake.is_stopped()) break;
  }
  return {};
}

Result<engine::Verdict<BookScan::Judged>> BookScan::judge(const Book& book,
                                                          engine::TaskContext& context) const {
  if (book.failure) return std::unexpected(*book.failure);
  if (!book.known.empty()) return engine::Skip{.reason = "unchanged"};
  context.note(book.path);
  auto root = book.root ? Result<std::shared_ptr<const Root>>(book.root) : hold(book.path);
  if (!root) return unread(root.error().reason);
  const std::string& below = book.root ? book.below : (*root)->lone;
  const std::size_t slash = below.rfind('/');
  const bool is_deeper = slash != std::string::npos;
  const std::string name = is_deeper ? below.substr(slash + 1) : below;
  const auto folder = (*root)->folder.below(below.substr(0, is_deeper ? slash : 0));
  if (!folder) return unread(folder.error().reason);
  // Non-blocking: the name may be a FIFO by now.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const Descriptor file(
      ::openat(folder->number(), name.c_str(), flags | ((*root)->follows ? 0 : O_NOFOLLOW)));
  if (!file.is_open()) return unread(system_text(errno));
  LET(const FileStamp before, stamp_behind(file.number()));
  return tools_.judge({.path = book.path,
                       .folder = *folder,
                       .name = name,
                       .file = file.number(),
                       .stamp = before,
                       .found = book.stamp},
                      context);
}

// Stores the report in the cache, unless it came from there, and returns it.
Result<std::string> BookScan::put(const Pipeline::Item& item) {
  const std::string& path = item.item.path;
  if (item.skipped() != nullptr) return item.item.known;
  if (const Failure* failure = item.failed()) {
    CachedReport row{.path = path, .report = tools_.report_of_failure(*failure)};
    TRY(cache_.put(row));
    return std::move(row.report);
  }
  const Judged& judged = *item.done();
  TRY(cache_.put({.path = path,
                  .stamp = judged.stamp,
                  // A fresh file may be written to again without a new stamp: do not reuse.
                  .asked = judged.stamp.is_fresh(now_ns(context_.clock)) ? "" : tools_.asked,
                  .report = judged.report,
                  .later = judged.later}));
  return judged.report;
}

Result<void> BookScan::settle(std::span<Pipeline::Item> batch) {
  std::vector<std::string> reports;
  TRY(cache_.begin());
  for (const Pipeline::Item& item : batch) {
    auto report = put(item);
    auto seen = report ? cache_.saw(item.item.path) : Result<void>(std::unexpected(report.error()));
    if (!seen) {
      cache_.roll_back();
      return seen;
    }
    reports.push_back(*std::move(report));
  }
  TRY(cache_.commit());
  if (!tools_.on_book) return {};
  for (std::size_t at = 0; at < batch.size(); ++at) {
    TRY(tools_.on_book(batch[at].item.path, reports[at]));
  }
  return {};
}

Result<engine::FlowCounts> BookScan::run() {
  const WorkOptions& options = tools_.options;
  engine::PipelineOptions settings;
  settings.pool.workers = options.workers;
  settings.pool.clock = &context_.clock;
  settings.pool.log = &context_.log;
  settings.in_flight = {.items = options.queue > 0 ? options.queue : 32 * options.workers,
                        .bytes = {std::numeric_limits<std::uint64_t>::max()}};
  settings.batch_items = 100;
  LET(const auto pipeline,
      Pipeline::make(
          std::move(settings),
          [this](Book& book, engine::TaskContext& context) { return judge(book, context); },
          [this](std::span<Pipeline::Item> batch) { return settle(batch); }));
  const std::stop_callback stopping(context_.stop, [&] { pipeline->stop(); });
  history::HistoryRecorder history(context_.history, context_.clock, [&] {
    return history::timings_of(pipeline->stats(), pipeline->slowest());
  });
  LET(const auto reporter, engine::ProgressReporter::start(
                               {.interval = options.interval},
                               [&] {
                                 engine::PoolStats stats = pipeline->stats();
                                 return engine::ProgressInputs{
                                     .counts = pipeline->counts(),
                                     .is_total_known = pipeline->source_has_ended(),
                                     .workers = std::move(stats.workers),
                                     .waiting = stats.queued + stats.waiting};
                               },
                               [&](const engine::ProgressSnapshot& snapshot) {
                                 history.observe(snapshot);
                                 context_.console.show(snapshot);
                               },
                               context_.clock));
  const engine::FlowReport report =
      pipeline->run([this](Pipeline::Intake& intake) { return find(intake); });
  reporter->finish();
  if (report.fatal) return std::unexpected(*report.fatal);
  if (report.was_stopped) return fail(Cure::resume, "stopped", "before all books were processed");
  return report.counts;
}

}  // namespace tidemill::books
