#include "tidemill/jobs/books/repair/workbench.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/files/copy_bytes.h"
#include "tidemill/io/files/new_file.h"
#include "tidemill/jobs/books/judge/judge.h"

namespace tidemill::books {
namespace {

namespace fs = std::filesystem;

std::unexpected<Failure> system_failure(std::string step, const std::string& path) {
  return fail(Cure::give_up, std::move(step), path + ": " + system_text(errno));
}

// Whether the mended book is there already; a Failure when something else is.
Result<bool> is_there(int mended, const files::HeldFolder& folder, const std::string& name) {
  const Descriptor other(
      ::openat(folder.number(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!other.is_open()) {
    if (errno == ENOENT) return false;
    return system_failure("output", folder.path_of(name));
  }
  LET(const bool is_same, files::have_same_bytes(mended, other.number()));
  if (is_same) {  // that run's part file, if it left one
    (void)::unlinkat(folder.number(), files::part_name(name).c_str(), 0);
    return true;
  }
  return fail(Cure::give_up, "output", folder.path_of(name) + ": another file is already there");
}

// The book that was read is the one that still has the name.
Result<void> still_there(const Inquiry::Case& book) {
  struct stat seen{};
  if (::fstatat(book.folder.number(), book.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0) {
    return system_failure("stat", book.path);
  }
  if (stamp_of(seen) == book.stamp) return {};
  return unread("it changed while it was being repaired");
}

// It may have been written to since the walk found it, but it is the same file.
Result<void> expect_found(const Inquiry::Case& book) {
  if (book.stamp.inode == book.found.inode && book.stamp.device == book.found.device) return {};
  return unread("it was replaced by another file");
}

// The way of a path below a folder for backups: nothing in it leads out of it.
std::string way_below(const std::string& path) {
  fs::path way;
  for (const fs::path& part : fs::path(path).relative_path()) {
    if (part != "." && part != "..") way /= part;
  }
  return way.string();
}

// The same file, for a process that must not change it.
Result<Descriptor> for_reading(int file) {
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  Descriptor again(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!again.is_open()) return system_failure("repair", path);
  return again;
}

}  // namespace

Result<void> lock_book(int book) {
  if (::flock(book, LOCK_EX | LOCK_NB) == 0) return {};
  if (errno == EWOULDBLOCK) {
    return fail(Cure::retry, FailureKind::held, "lock", "another process is working on this book");
  }
  return {};  // some file systems know no such locks: then nobody is asked
}

Result<Descriptor> scratch_file() {
  std::error_code wrong;
  const fs::path folder = fs::temp_directory_path(wrong);
  if (!wrong) {
    Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file.is_open()) return file;
  }
  Descriptor memory(::memfd_create("tidemill", MFD_CLOEXEC));
  if (!memory.is_open()) return system_failure("scratch", "temporary file");
  return memory;
}

std::string Workbench::way_of(const std::string& path) const {
  if (!options_.work.files_from.empty()) return way_below(path);
  std::string below = fs::path(path).filename().string();
  std::size_t longest = 0;
  for (const std::string& root : options_.work.roots) {
    std::string folder = root;
    if (!folder.ends_with('/')) folder += '/';
    if (path.starts_with(folder) && folder.size() > longest) {
      longest = folder.size();
      below = path.substr(longest);
    }
  }
  return below;
}

// The old book gets a second name before the new one takes its own.
Result<std::string> Workbench::back_up(const Inquiry::Case& book) const {
  if (!options_.has_backup) return std::string();
  const auto in = [&](const files::HeldFolder& folder,
                      const std::string& wanted) -> Result<std::string> {
    LET(const std::string name, files::free_backup_name(book.file, folder, wanted));
    TRY(files::back_up(book.file, folder, name));
    return folder.path_of(name);
  };
  if (options_.backups.empty()) return in(book.folder, book.name + ".orig");
  const fs::path way = way_below(book.path);
  LET(const auto backups, files::HeldFolder::make(options_.backups));
  LET(const auto folder, backups.make_below(way.parent_path().string()));
  return in(folder, way.filename().string());
}

Result<FileStamp> Workbench::put_in_place(const Inquiry::Case& book, int mended,
                                          RepairReport& report) const {
  report.output = book.path;
  LET(auto file, files::NewFile::begin(book.folder, book.name));
  TRY(files::copy_bytes(mended, file.file()));
  TRY(file.resemble(book.file));
  TRY(still_there(book));
  LET(report.backup, back_up(book));
  TRY(file.put());
  return stamp_behind(file.file());
}

Result<FileStamp> Workbench::put_in_output(const Inquiry::Case& book, int mended,
                                           RepairReport& report) const {
  const fs::path way = way_of(book.path);
  report.output = (fs::path(options_.output) / way).string();
  LET(const auto output, files::HeldFolder::make(options_.output));
  LET(const auto folder, output.make_below(way.parent_path().string()));
  const std::string name = way.filename().string();
  LET(const bool is_done, is_there(mended, folder, name));  // by a run that was killed just then
  if (is_done) return book.stamp;
  LET(auto file, files::NewFile::begin(folder, name));
  TRY(files::copy_bytes(mended, file.file()));
  TRY(file.resemble(book.file));
  TRY(still_there(book));
  TRY(file.put());
  return book.stamp;
}

Result<FileStamp> Workbench::put(const Inquiry::Case& book, int mended,
                                 RepairReport& report) const {
  return options_.output.empty() ? put_in_place(book, mended, report)
                                 : put_in_output(book, mended, report);
}

Result<RepairReport> Workbench::ask(const Inquiry::Case& book, int out, engine::TaskContext& task) {
  LET(const Descriptor scratch, scratch_file());
  LET(const Descriptor spare, scratch_file());
  const MendRequest request{.name = book.path,
                            .options = {.most = options_.tier,
                                        .asked = options_.asked,
                                        .refused = options_.refused,
                                        .profile = options_.work.profile}};
  const std::array files = {book.file, out, scratch.number(), spare.number()};
  LET(const std::string bytes, answer_of(encoded(request), files, task));
  auto report = decoded_repair(bytes);
  if (!report) return fail_as("TIDE-003", "its report cannot be read");
  return *std::move(report);
}

Result<std::string> Workbench::answer_of(std::string_view request, std::span<const int> descriptors,
                                         engine::TaskContext& task) {
  auto answer = cells_.ask(request, descriptors, options_.work.timeout, task);
  if (!cells_.retire(task)) {
    return fail_as("TIDE-003", "the process that read it does not exit");
  }
  return answer_in(std::move(answer), task);
}

Result<BookReport> Workbench::judge(const Inquiry::Case& book, int file,
                                    engine::TaskContext& task) {
  const JudgeRequest request{.name = book.path, .profile = options_.work.profile};
  LET(const std::string bytes, answer_of(encoded(request), std::span(&file, 1), task));
  auto report = decoded(bytes);
  if (!report) return fail_as("TIDE-003", "its report cannot be read");
  return *std::move(report);
}

Result<void> Workbench::confirm(const Inquiry::Case& book, int mended, const RepairReport& report,
                                engine::TaskContext& task) {
  LET(const Descriptor readable, for_reading(mended));
  LET(const BookReport before, judge(book, book.file, task));
  LET(const BookReport after, judge(book, readable.number(), task));
  const std::string why = contradiction(report, before, after);
  if (why.empty()) return {};
  return fail_as("TIDE-003", "the repair was not confirmed: " + why);
}

Result<Inquiry::Judged> Workbench::mend(const Inquiry::Case& book, engine::TaskContext& task) {
  TRY(expect_found(book));
  TRY(lock_book(book.file));
  LET(const Descriptor out, scratch_file());
  LET(RepairReport report, ask(book, out.number(), task));
  TRY(still_there(book));
  // Not the book's fault, so it is not remembered: the next run tries again.
  if (report.fate == Fate::errored) return fail(Cure::give_up, "repair", report.reason);
  if (report.fate != Fate::planned || !options_.apply) {
    return Inquiry::Judged{.report = encoded(report), .stamp = book.stamp};
  }
  TRY(confirm(book, out.number(), report, task));
  LET(const FileStamp stamp, put(book, out.number(), report));
  report.fate = Fate::mended;
  if (!options_.output.empty()) return Inquiry::Judged{.report = encoded(report), .stamp = stamp};
  // The book that stands there now: a later run has nothing to do with it.
  const bool is_sound = report.after.verdict() == Verdict::valid;
  const RepairReport later{.fate = is_sound ? Fate::sound : Fate::declined,
                           .reason = is_sound ? "" : "everything that can be repaired is repaired",
                           .before = report.after,
                           .after = report.after};
  return Inquiry::Judged{.report = encoded(report), .stamp = stamp, .later = encoded(later)};
}

}  // namespace tidemill::books
