#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "tidemill/app/doctor/judge.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::app {
namespace {

using text::bytes_text;
using text::count_text;

// A command of `each` takes seven descriptors (pipes, pidfd, stop bell), the program itself a
// dozen.
constexpr std::uint64_t kFilesOfProgram = 16;
constexpr std::uint64_t kFilesOfCommand = 7;
constexpr std::uint64_t kFewFiles = 256;

// The program has about eight threads plus one per worker; a command is one process or more.
constexpr std::uint64_t kProcessesOfProgram = 16;
constexpr std::uint64_t kProcessesOfWorker = 4;

constexpr Bytes kSmallFile = mib(64);     // a journal of about 100,000 tasks
constexpr Bytes kOfProgram = mib(128);    // the program over a large tree
constexpr Bytes kOfSandbox = mib(256);    // a worker of `books`: io/sandbox/limits.h
constexpr Bytes kAddresses = mib(1'024);  // thread stacks and mapped tables, mostly untouched

// What is left under one limit.
struct Room {
  std::string_view whose;
  std::uint64_t limit = 0;
  std::uint64_t left = 0;
};

std::uint64_t minus(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

std::string limit_text(std::optional<std::uint64_t> limit) {
  return limit ? count_text(*limit) : "unlimited";
}

}  // namespace

DoctorFinding judge_open_files(const LimitFacts& limits) {
  DoctorFinding finding{.check = "open-files", .found = limit_text(limits.files)};
  if (!limits.files) return finding;
  finding.facts = {{"limit", *limits.files}};
  if (limits.files_most) finding.facts.emplace_back("most", *limits.files_most);
  const std::uint64_t commands = minus(*limits.files, kFilesOfProgram) / kFilesOfCommand;
  if (commands >= limits.cpus && *limits.files >= kFewFiles) return finding;
  finding.level = commands == 0 ? CheckLevel::error : CheckLevel::warning;
  finding.found += fmt::format(": enough for {} commands at the same time; the others wait",
                               count_text(commands));
  finding.advice = !limits.files_most || *limits.files_most >= kFewFiles
                       ? "run ulimit -n 1024"
                       : "raise the hard limit: nofile in /etc/security/limits.conf, or "
                         "LimitNOFILE= of a systemd unit";
  if (limits.files_most && *limits.files_most >= kFewFiles && *limits.files_most < 1'024) {
    finding.advice = fmt::format("run ulimit -n {}", *limits.files_most);
  }
  return finding;
}

DoctorFinding judge_file_size(const LimitFacts& limits) {
  DoctorFinding finding{.check = "file-size", .found = "unlimited"};
  if (!limits.file_size) return finding;
  finding.level = *limits.file_size < kSmallFile ? CheckLevel::error : CheckLevel::warning;
  finding.found = fmt::format(
      "at most {}: a program that writes a larger file is killed (SIGXFSZ), even in the middle of "
      "a run",
      bytes_text(*limits.file_size));
  finding.advice = "run ulimit -f unlimited";
  finding.facts = {{"limitBytes", limits.file_size->count}};
  return finding;
}

DoctorFinding judge_processes(const LimitFacts& limits) {
  DoctorFinding finding{.check = "processes", .found = "unlimited"};
  std::optional<Room> least;
  const auto look = [&](std::string_view whose, std::string_view fact,
                        std::optional<std::uint64_t> limit, std::uint64_t used) {
    if (!limit) return;
    finding.facts.emplace_back(std::string(fact), *limit);
    const Room room{.whose = whose, .limit = *limit, .left = minus(*limit, used)};
    if (!least || room.left < least->left) least = room;
  };
  look("of this user (ulimit -u)", "userLimit", limits.processes, limits.processes_used);
  look("of the control group (pids.max)", "groupLimit", limits.group_processes,
       limits.group_processes_used);
  look("of the system", "systemLimit", limits.system_processes, limits.system_processes_used);
  if (!least) return finding;
  finding.facts.emplace_back("left", least->left);
  finding.found = fmt::format("room for {} more; the limit {} is {}", count_text(least->left),
                              least->whose, count_text(least->limit));
  const std::uint64_t wanted = kProcessesOfProgram + kProcessesOfWorker * limits.cpus;
  if (least->left >= wanted) return finding;
  finding.level = least->left < kProcessesOfProgram ? CheckLevel::error : CheckLevel::warning;
  finding.found += "; commands that cannot be started wait";
  finding.advice = "raise that limit, or use a lower -j";
  return finding;
}

DoctorFinding judge_memory(const MemoryFacts& memory, std::uint64_t cpus) {
  Bytes left = memory.available;
  DoctorFinding finding{
      .check = "memory",
      .found =
          fmt::format("{} available of {}", bytes_text(memory.available), bytes_text(memory.all)),
      .facts = {{"availableBytes", memory.available.count}, {"allBytes", memory.all.count}}};
  if (memory.group) {
    left = std::min(left, Bytes{minus(memory.group->count, memory.group_used.count)});
    finding.found += fmt::format("; the control group is limited to {} and uses {}",
                                 bytes_text(*memory.group), bytes_text(memory.group_used));
    finding.facts.emplace_back("groupLimitBytes", memory.group->count);
    finding.facts.emplace_back("groupUsedBytes", memory.group_used.count);
  }
  if (memory.address_space && *memory.address_space < kAddresses) {
    finding.level = CheckLevel::warning;
    finding.found += fmt::format(
        "; ulimit -v allows {} of address space, which is little for threads and token tables",
        bytes_text(*memory.address_space));
    finding.advice = "run ulimit -v unlimited";
  }
  const Bytes wanted{kOfProgram.count + kOfSandbox.count * cpus};
  if (left < kOfProgram) {
    finding.level = CheckLevel::warning;
    finding.advice = "free some memory, or use a lower -j";
  } else if (left < wanted && finding.level == CheckLevel::ok) {
    finding.level = CheckLevel::note;
    finding.advice = "use a lower -j with tidemill books: each worker may use 256 MiB";
  }
  return finding;
}

}  // namespace tidemill::app
