#include "tidemill/jobs/books/inquiry.h"

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

namespace tidemill::books {
namespace {

constexpr std::string_view kUnread = "TIDE-019";

// A folder "x.epub", or a root, with this file in it is an unpacked book. It is found by the file,
// since a walk tells of files only.
constexpr std::string_view kContainer = "/META-INF/container.xml";
std::vector<std::string> unpacked_globs() {
  return {"/META-INF/container.xml", "**/*.[eE][pP][uU][bB]/META-INF/container.xml"};
}

Failure unpacked() { return fail_as("TIDE-021", "an unpacked book: a folder, not a file").error(); }

// Before anything is read: a name that was mistyped is no book.
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

Cells::Cells(const sandbox::Nursery& nursery, std::size_t workers) {
  for (std::size_t at = 0; at < workers; ++at) {
    cells_.push_back(std::make_unique<sandbox::Cell>(nursery));
  }
}

sandbox::Answer Cells::ask(std::string_view request, std::span<const int> descriptors,
                           std::chrono::milliseconds patience, const engine::TaskContext& context) {
  sandbox::Cell& cell = *cells_.at(context.worker());
  sandbox::Answer answer = cell.ask(request, descriptors, patience, context.stop());
  for (int tries = 1; tries < 3 && answer.kind == sandbox::Answer::Kind::unavailable; ++tries) {
    answer = cell.ask(request, descriptors, patience, context.stop());
  }
  return answer;
}

bool Cells::retire(const engine::TaskContext& context) {
  return cells_.at(context.worker())->retire();
}

BookReport errored_report(const Failure& failure) {
  BookReport report{.is_errored = true};
  const auto rule = epub::rule_named(failure.subject);
  report.add({.rule = rule.value_or(epub::RuleId("TIDE-019")),
              .detail = rule ? failure.reason : text_of(failure)});
  return report;
}

Result<std::string> answer_in(sandbox::Answer answer, engine::TaskContext& context) {
  using Kind = sandbox::Answer::Kind;
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

Inquiry::Inquiry(Parts parts, command::Context& context, Shelf writer, Shelf reader)
    : parts_(std::move(parts)),
      context_(context),
      shelf_(std::move(writer)),
      lookup_(std::move(reader)) {}

Result<std::unique_ptr<Inquiry>> Inquiry::make(Parts parts, command::Context& context) {
  TRY(demand_there(parts.options.roots));
  if (!parts.options.files_from.empty()) TRY(jobs::check(list_of(parts.options)));
  LET(auto writer, Shelf::open(parts.shelf));
  LET(auto reader, Shelf::open(parts.shelf));
  return std::unique_ptr<Inquiry>(
      new Inquiry(std::move(parts), context, std::move(writer), std::move(reader)));
}

Result<Inquiry::Book> Inquiry::looked_up(std::string_view path, const FileStamp& stamp) {
  Book book{.path = std::string(path), .stamp = stamp};
  if (parts_.again) return book;
  LET(auto known, lookup_.known(path, stamp, parts_.asked));
  if (known && (!parts_.still_holds || parts_.still_holds(*known))) book.known = *std::move(known);
  return book;
}

// Who only reads goes where the user points.
Result<std::shared_ptr<const Inquiry::Root>> Inquiry::hold(const std::string& root) const {
  const auto links = parts_.writes ? files::Links::ours : files::Links::all;
  struct stat seen{};
  if (::stat(root.c_str(), &seen) != 0 || S_ISDIR(seen.st_mode)) {
    LET(auto folder, files::HeldFolder::open(root, links));
    return std::make_shared<const Root>(Root{.folder = std::move(folder)});
  }
  const auto last = parts_.writes ? files::LastLink::follow : files::LastLink::keep;
  LET(auto spot, files::spot_of(root, last, links));
  return std::make_shared<const Root>(Root{
      .folder = std::move(spot.folder), .lone = std::move(spot.name), .follows = !parts_.writes});
}

// A name that is not there, or is no file, is a book that failed.
Result<Inquiry::Book> Inquiry::listed(const jobs::Name& name) {
  if (name.trouble) return Book{.path = name.subject, .trouble = name.trouble};
  struct stat seen{};
  if (::stat(name.subject.c_str(), &seen) != 0) {
    return Book{.path = name.subject, .trouble = unread(system_text(errno)).error()};
  }
  if (!S_ISREG(seen.st_mode)) {
    return Book{.path = name.subject, .trouble = unread("not a regular file").error()};
  }
  return looked_up(name.subject, stamp_of(seen));
}

Result<void> Inquiry::read_list(Machine::Intake& intake) {
  std::unordered_set<std::string> known;  // a book that is named twice is one book
  Result<void> looked{};
  const auto on_name = [&](const jobs::Name& name) {
    if (!known.insert(name.subject).second) return true;
    auto book = listed(name);
    if (!book) {
      looked = std::unexpected(std::move(book).error());
      return false;
    }
    const Bytes size{book->stamp.size};
    return intake.feed(*std::move(book), size);
  };
  const auto read = jobs::each_name(list_of(parts_.options), {}, context_.stop, on_name);
  TRY(looked);
  if (!read && read.error().cure != Cure::resume) return read;
  return {};
}

Result<void> Inquiry::find(Machine::Intake& intake) {
  const WorkOptions& options = parts_.options;
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
      return intake.feed(Book{.path = std::string(folder), .trouble = unpacked()});
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
  const auto on_trouble = [&](std::string_view path, const Failure& failure) {
    (void)intake.feed(Book{.path = std::string(path), .trouble = failure});
  };
  for (const std::string& root : options.roots) {
    auto opened = hold(root);
    if (!opened) {
      opened.error().step = "open";
      on_trouble(root, opened.error());
      continue;
    }
    held = *std::move(opened);
    root_size = root.size() + (root.ends_with('/') ? 0 : 1);
    const auto walked = walk::walk(root, walk, {}, context_.stop, on_file, on_trouble);
    if (!walked && walked.error().kind != FailureKind::unreadable) {
      return std::unexpected(walked.error());
    }
    if (!walked) on_trouble(root, walked.error());
    TRY(looked);
    if (intake.is_stopped()) break;
  }
  return {};
}

Result<engine::Verdict<Inquiry::Judged>> Inquiry::judge(const Book& book,
                                                        engine::TaskContext& context) const {
  if (book.trouble) return std::unexpected(*book.trouble);
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
  // Not blocking: what stands there now may be a FIFO.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const Descriptor file(
      ::openat(folder->number(), name.c_str(), flags | ((*root)->follows ? 0 : O_NOFOLLOW)));
  if (!file.is_open()) return unread(system_text(errno));
  LET(const FileStamp before, stamp_behind(file.number()));
  return parts_.judge({.path = book.path,
                       .folder = *folder,
                       .name = name,
                       .file = file.number(),
                       .stamp = before,
                       .found = book.stamp},
                      context);
}

// The report that went to the shelf.
Result<std::string> Inquiry::put(const Machine::Item& item) {
  const std::string& path = item.item.path;
  if (item.skipped() != nullptr) return item.item.known;
  if (const Failure* failure = item.failed()) {
    ShelfRow row{.path = path, .report = parts_.report_of_failure(*failure)};
    TRY(shelf_.put(row));
    return std::move(row.report);
  }
  const Judged& judged = *item.done();
  TRY(shelf_.put({.path = path,
                  .stamp = judged.stamp,
                  // Written to just now: it may be written to again without a new stamp.
                  .asked = judged.stamp.is_fresh(now_ns(context_.clock)) ? "" : parts_.asked,
                  .report = judged.report,
                  .later = judged.later}));
  return judged.report;
}

Result<void> Inquiry::settle(std::span<Machine::Item> batch) {
  std::vector<std::string> reports;
  TRY(shelf_.begin());
  for (const Machine::Item& item : batch) {
    auto report = put(item);
    auto seen = report ? shelf_.saw(item.item.path) : Result<void>(std::unexpected(report.error()));
    if (!seen) {
      shelf_.roll_back();
      return seen;
    }
    reports.push_back(*std::move(report));
  }
  TRY(shelf_.commit());
  if (!parts_.on_book) return {};
  for (std::size_t at = 0; at < batch.size(); ++at) {
    TRY(parts_.on_book(batch[at].item.path, reports[at]));
  }
  return {};
}

Result<engine::FlowCounts> Inquiry::run() {
  const WorkOptions& options = parts_.options;
  engine::PipelineOptions settings;
  settings.pool.workers = options.workers;
  settings.pool.clock = &context_.clock;
  settings.pool.log = &context_.log;
  settings.in_flight = {.items = options.queue > 0 ? options.queue : 32 * options.workers,
                        .bytes = {std::numeric_limits<std::uint64_t>::max()}};
  settings.batch_items = 100;
  LET(const auto machine,
      Machine::make(
          std::move(settings),
          [this](Book& book, engine::TaskContext& context) { return judge(book, context); },
          [this](std::span<Machine::Item> batch) { return settle(batch); }));
  const std::stop_callback stopping(context_.stop, [&] { machine->stop(); });
  LET(const auto reporter,
      engine::ProgressReporter::start(
          {.interval = options.interval},
          [&] {
            return engine::ProgressInputs{.counts = machine->counts(),
                                          .is_total_known = machine->source_has_ended(),
                                          .workers = machine->stats().workers};
          },
          [&](const engine::ProgressSnapshot& snapshot) { context_.console.show(snapshot); },
          context_.clock));
  const engine::FlowReport report =
      machine->run([this](Machine::Intake& intake) { return find(intake); });
  reporter->finish();
  if (report.fatal) return std::unexpected(*report.fatal);
  if (report.was_stopped) return fail(Cure::resume, "stopped", "before all books were processed");
  return report.counts;
}

}  // namespace tidemill::books
