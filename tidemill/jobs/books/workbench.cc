#include "tidemill/jobs/books/workbench.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/book/copy_bytes.h"
#include "tidemill/jobs/books/judge.h"
#include "tidemill/jobs/books/replacement.h"

namespace tidemill::books {
namespace {

namespace fs = std::filesystem;

std::unexpected<Failure> system_failure(std::string step, const std::string& path) {
  return fail(Cure::give_up, std::move(step), path + ": " + std::generic_category().message(errno));
}

// Whether the mended book is there already; a Failure when something else is.
Result<bool> is_there(int mended, const std::string& path) {
  const Descriptor other(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (!other.is_open()) {
    if (errno == ENOENT) return false;
    return system_failure("output", path);
  }
  LET(const bool is_same, have_same_bytes(mended, other.number()));
  if (is_same) {
    ::unlink(part_of(path).c_str());  // that run's, if it left one
    return true;
  }
  return fail(Cure::give_up, "output", path + ": something else is there already");
}

// The book that was read is the one that still has the name.
Result<void> still_there(const Inquiry::Case& book) {
  struct stat seen{};
  if (::stat(book.path.c_str(), &seen) != 0) return system_failure("stat", book.path);
  if (stamp_of(seen) == book.stamp) return {};
  return unread("it changed while it was mended");
}

}  // namespace

Result<Descriptor> scratch_file() {
  std::error_code wrong;
  const fs::path folder = fs::temp_directory_path(wrong);
  if (!wrong) {
    Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file.is_open()) return file;
  }
  Descriptor memory(::memfd_create("tidemill", MFD_CLOEXEC));
  if (!memory.is_open()) return system_failure("scratch", "a file for a while");
  return memory;
}

std::string Workbench::target_of(const std::string& path) const {
  if (options_.output.empty()) return path;
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
  return (fs::path(options_.output) / below).string();
}

Result<std::string> Workbench::backup_of(const Inquiry::Case& book) const {
  if (!options_.has_backup || !options_.output.empty()) return std::string();
  if (options_.backups.empty()) return free_backup_name(book.path + ".orig", book.file);
  const fs::path place = fs::path(options_.backups) / fs::path(book.path).relative_path();
  std::error_code wrong;
  fs::create_directories(place.parent_path(), wrong);
  if (wrong) return fail(Cure::give_up, "backup", place.string() + ": " + wrong.message());
  return free_backup_name(place.string(), book.file);
}

Result<FileStamp> Workbench::put(const Inquiry::Case& book, int mended,
                                 RepairReport& report) const {
  const std::string target = target_of(book.path);
  report.output = target;
  if (!options_.output.empty()) {
    std::error_code wrong;
    fs::create_directories(fs::path(target).parent_path(), wrong);
    if (wrong) return fail(Cure::give_up, "output", target + ": " + wrong.message());
    LET(const bool is_done, is_there(mended, target));  // by a run that was killed just then
    if (is_done) return book.stamp;
  }
  LET(Replacement replacement, Replacement::begin(target));
  TRY(book::copy_bytes(mended, replacement.file()));
  TRY(replacement.resemble(book.file));
  TRY(still_there(book));
  LET(report.backup, backup_of(book));
  TRY(replacement.put(report.backup));
  return options_.output.empty() ? stamp_behind(replacement.file()) : Result<FileStamp>(book.stamp);
}

Result<RepairReport> Workbench::ask(const Inquiry::Case& book, int out, engine::TaskContext& task) {
  LET(const Descriptor scratch, scratch_file());
  const MendRequest request{.name = book.path,
                            .options = {.most = options_.tier,
                                        .asked = options_.asked,
                                        .refused = options_.refused,
                                        .profile = options_.work.profile}};
  const std::array files = {book.file, out, scratch.number()};
  LET(const std::string bytes,
      answer_in(cells_.ask(encoded(request), files, options_.work.timeout, task), task));
  auto report = decoded_repair(bytes);
  if (!report) return fail(Cure::give_up, "TIDE-003", "its report made no sense");
  return *std::move(report);
}

Result<Inquiry::Judged> Workbench::mend(const Inquiry::Case& book, engine::TaskContext& task) {
  TRY(lock_book(book.file));
  LET(const Descriptor out, scratch_file());
  LET(RepairReport report, ask(book, out.number(), task));
  TRY(still_there(book));
  // Not the book's fault, so it is not remembered: the next run tries again.
  if (report.fate == Fate::errored) return fail(Cure::give_up, "mend", report.reason);
  if (report.fate != Fate::planned || !options_.apply) {
    return Inquiry::Judged{.report = encoded(report), .stamp = book.stamp};
  }
  LET(const FileStamp stamp, put(book, out.number(), report));
  report.fate = Fate::mended;
  if (!options_.output.empty()) return Inquiry::Judged{.report = encoded(report), .stamp = stamp};
  // The book that stands there now: a later run has nothing to do with it.
  const bool is_sound = report.after.verdict() == Verdict::valid;
  const RepairReport later{.fate = is_sound ? Fate::sound : Fate::declined,
                           .reason = is_sound ? "" : "what could be mended was mended",
                           .before = report.after,
                           .after = report.after};
  return Inquiry::Judged{.report = encoded(report), .stamp = stamp, .later = encoded(later)};
}

}  // namespace tidemill::books
