#include "tidemill/jobs/books/repair/book_repairer.h"

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

// Whether the output already has the repaired book; a Failure if it has a different file.
Result<bool> is_there(int repaired, const files::HeldFolder& folder, const std::string& name) {
  const Descriptor other(
      ::openat(folder.number(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!other.is_open()) {
    if (errno == ENOENT) return false;
    return system_failure("output", folder.path_of(name));
  }
  LET(const bool is_same, files::have_same_bytes(repaired, other.number()));
  if (is_same) {  // remove the part file that the earlier run may have left
    (void)::unlinkat(folder.number(), files::part_name(name).c_str(), 0);
    return true;
  }
  return fail(Cure::give_up, "output", folder.path_of(name) + ": another file is already there");
}

// Fails unless the name still refers to the book that was read, unchanged.
Result<void> still_there(const BookScan::Case& book) {
  struct stat seen{};
  if (::fstatat(book.folder.number(), book.name.c_str(), &seen, AT_SYMLINK_NOFOLLOW) != 0) {
    return system_failure("stat", book.path);
  }
  if (stamp_of(seen) == book.stamp) return {};
  return unread("it changed while it was being repaired");
}

// Fails unless the open file is the one the walk found. It may have been written to since.
Result<void> expect_found(const BookScan::Case& book) {
  if (book.stamp.inode == book.found.inode && book.stamp.device == book.found.device) return {};
  return unread("it was replaced by another file");
}

// A path as a relative path without "." and "..", so that it stays inside the folder it is used in.
std::string relative_path_of(const std::string& path) {
  fs::path relative;
  for (const fs::path& part : fs::path(path).relative_path()) {
    if (part != "." && part != "..") relative /= part;
  }
  return relative.string();
}

// Reopens the file read-only, for a process that must not change it.
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
  return {};  // some file systems do not support flock
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

std::string BookRepairer::path_below_root(const std::string& path) const {
  if (!options_.work.files_from.empty()) return relative_path_of(path);
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

// Keeps the old book under a second name before the new one takes its name.
Result<std::string> BookRepairer::back_up(const BookScan::Case& book) const {
  if (!options_.has_backup) return std::string();
  const auto in = [&](const files::HeldFolder& folder,
                      const std::string& wanted) -> Result<std::string> {
    LET(const std::string name, files::free_backup_name(book.file, folder, wanted));
    TRY(files::back_up(book.file, folder, name));
    return folder.path_of(name);
  };
  if (options_.backups.empty()) return in(book.folder, book.name + ".orig");
  const fs::path relative = relative_path_of(book.path);
  LET(const auto backups, files::HeldFolder::make(options_.backups));
  LET(const auto folder, backups.make_below(relative.parent_path().string()));
  return in(folder, relative.filename().string());
}

Result<FileStamp> BookRepairer::put_in_place(const BookScan::Case& book, int repaired,
                                             RepairReport& report) const {
  report.output = book.path;
  LET(auto file, files::NewFile::begin(book.folder, book.name));
  TRY(files::copy_bytes(repaired, file.file()));
  TRY(file.resemble(book.file));
  TRY(still_there(book));
  LET(report.backup, back_up(book));
  TRY(file.put());
  return stamp_behind(file.file());
}

Result<FileStamp> BookRepairer::put_in_output(const BookScan::Case& book, int repaired,
                                              RepairReport& report) const {
  const fs::path relative = path_below_root(book.path);
  report.output = (fs::path(options_.output) / relative).string();
  LET(const auto output, files::HeldFolder::make(options_.output));
  LET(const auto folder, output.make_below(relative.parent_path().string()));
  const std::string name = relative.filename().string();
  LET(const bool is_done, is_there(repaired, folder, name));  // by a run that was killed then
  if (is_done) return book.stamp;
  LET(auto file, files::NewFile::begin(folder, name));
  TRY(files::copy_bytes(repaired, file.file()));
  TRY(file.resemble(book.file));
  TRY(still_there(book));
  TRY(file.put());
  return book.stamp;
}

Result<FileStamp> BookRepairer::put(const BookScan::Case& book, int repaired,
                                    RepairReport& report) const {
  return options_.output.empty() ? put_in_place(book, repaired, report)
                                 : put_in_output(book, repaired, report);
}

Result<RepairReport> BookRepairer::ask(const BookScan::Case& book, int out,
                                       engine::TaskContext& task) {
  LET(const Descriptor scratch, scratch_file());
  LET(const Descriptor spare, scratch_file());
  const RepairRequest request{.name = book.path,
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

Result<std::string> BookRepairer::answer_of(std::string_view request,
                                            std::span<const int> descriptors,
                                            engine::TaskContext& task) {
  auto answer = sandboxes_.ask(request, descriptors, options_.work.timeout, task);
  if (!sandboxes_.retire(task)) {
    return fail_as("TIDE-003", "the process that read it does not exit");
  }
  return answer_in(std::move(answer), task);
}

Result<BookReport> BookRepairer::judge(const BookScan::Case& book, int file,
                                       engine::TaskContext& task) {
  const JudgeRequest request{.name = book.path, .profile = options_.work.profile};
  LET(const std::string bytes, answer_of(encoded(request), std::span(&file, 1), task));
  auto report = decoded(bytes);
  if (!report) return fail_as("TIDE-003", "its report cannot be read");
  return *std::move(report);
}

Result<void> BookRepairer::confirm(const BookScan::Case& book, int repaired,
                                   const RepairReport& report, engine::TaskContext& task) {
  LET(const Descriptor readable, for_reading(repaired));
  LET(const BookReport before, judge(book, book.file, task));
  LET(const BookReport after, judge(book, readable.number(), task));
  const std::string why = contradiction(report, before, after);
  if (why.empty()) return {};
  return fail_as("TIDE-003", "the repair was not confirmed: " + why);
}

Result<BookScan::Judged> BookRepairer::repair(const BookScan::Case& book,
                                              engine::TaskContext& task) {
  TRY(expect_found(book));
  TRY(lock_book(book.file));
  LET(const Descriptor out, scratch_file());
  LET(RepairReport report, ask(book, out.number(), task));
  TRY(still_there(book));
  // Not the book's fault, so the result is not cached: the next run tries again.
  if (report.fate == Fate::errored) return fail(Cure::give_up, "repair", report.reason);
  if (report.fate != Fate::planned || !options_.apply) {
    return BookScan::Judged{.report = encoded(report), .stamp = book.stamp};
  }
  TRY(confirm(book, out.number(), report, task));
  LET(const FileStamp stamp, put(book, out.number(), report));
  report.fate = Fate::repaired;
  if (!options_.output.empty()) return BookScan::Judged{.report = encoded(report), .stamp = stamp};
  // The file in place is now the repaired book: a later run has nothing left to do.
  const bool is_sound = report.after.status() == BookStatus::valid;
  const RepairReport later{.fate = is_sound ? Fate::sound : Fate::declined,
                           .reason = is_sound ? "" : "everything that can be repaired is repaired",
                           .before = report.after,
                           .after = report.after};
  return BookScan::Judged{.report = encoded(report), .stamp = stamp, .later = encoded(later)};
}

}  // namespace tidemill::books
