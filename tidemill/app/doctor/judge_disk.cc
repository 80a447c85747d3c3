#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "tidemill/app/doctor/judge.h"
#include "tidemill/base/system_text.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"

namespace tidemill::app {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using text::printable;

// A commit is one fdatasync(), and commits of several threads share one: 10 ms allow 100 commits a
// second, more than most commands need. A hard disk takes about that long.
constexpr nanoseconds kSlow = 10ms;
constexpr nanoseconds kVerySlow = 50ms;
constexpr nanoseconds kStalled = 1s;  // of a single sync: something else keeps the disk busy
// No disk is that fast: some layer reports success before the data is on disk.
constexpr nanoseconds kTooFast = 10us;

// A journal takes a few hundred bytes per task. On a full disk a run waits for space.
constexpr Bytes kNoRoom = mib(64);
constexpr Bytes kLittleRoom = mib(1024);
constexpr std::uint64_t kNoFiles = 64;  // a run has about six files, and one for each long output
constexpr std::uint64_t kFewFiles = 1'000;

enum class Nature : std::uint8_t { disk, memory, layer, network, foreign, modeless };

struct FileSystem {
  std::int64_t type;  // the magic number in statfs.f_type
  std::string_view name;
  Nature nature;
};

constexpr std::array kFileSystems = {
    FileSystem{.type = 0xEF53, .name = "ext2/ext3/ext4", .nature = Nature::disk},
    FileSystem{.type = 0x58465342, .name = "xfs", .nature = Nature::disk},
    FileSystem{.type = 0x9123683E, .name = "btrfs", .nature = Nature::disk},
    FileSystem{.type = 0x2FC12FC1, .name = "zfs", .nature = Nature::disk},
    FileSystem{.type = 0xF2F52010, .name = "f2fs", .nature = Nature::disk},
    FileSystem{.type = 0xCA451A4E, .name = "bcachefs", .nature = Nature::disk},
    FileSystem{.type = 0x01021994, .name = "tmpfs", .nature = Nature::memory},
    FileSystem{.type = 0x858458F6, .name = "ramfs", .nature = Nature::memory},
    FileSystem{.type = 0x794C7630, .name = "overlay", .nature = Nature::layer},
    FileSystem{.type = 0x6969, .name = "nfs", .nature = Nature::network},
    FileSystem{.type = 0xFF534D42, .name = "cifs", .nature = Nature::network},
    FileSystem{.type = 0xFE534D42, .name = "smb2", .nature = Nature::network},
    FileSystem{.type = 0x517B, .name = "smb", .nature = Nature::network},
    FileSystem{.type = 0x5346414F, .name = "afs", .nature = Nature::network},
    FileSystem{.type = 0x65735546, .name = "fuse", .nature = Nature::foreign},
    FileSystem{.type = 0x01021997, .name = "9p", .nature = Nature::foreign},
    FileSystem{.type = 0x00C36400, .name = "ceph", .nature = Nature::foreign},
    FileSystem{.type = 0x4D44, .name = "vfat", .nature = Nature::modeless},
    FileSystem{.type = 0x2011BAB0, .name = "exfat", .nature = Nature::modeless},
};

constexpr std::string_view kOnADisk = "set TIDEMILL_STATE to a folder on a disk of this machine";

const FileSystem* find(std::int64_t type) {
  const auto* found = std::ranges::find(kFileSystems, type, &FileSystem::type);
  return found == kFileSystems.end() ? nullptr : found;
}

// "cannot write in /x: Permission denied".
std::string text_of(const Trial& trial, const std::string& folder) {
  const std::string where = printable(folder);
  const std::string why = system_text(trial.error);
  if (trial.failed == Trial::Step::make) {
    return fmt::format("cannot create a file in {}: {}", where, why);
  }
  if (trial.failed == Trial::Step::write) {
    return fmt::format("cannot write in {}: {}", where, why);
  }
  return fmt::format("cannot sync a file in {}: {}", where, why);
}

// How to make the folder writable.
std::string advice_on(const Trial& trial, std::string_view variable) {
  const auto is = [&](std::errc code) { return trial.error == static_cast<int>(code); };
  if (is(std::errc::no_space_on_device)) return "free some space there";
  if (is(std::errc::file_too_large)) return "run ulimit -f unlimited";
  if (is(std::errc::not_a_directory)) {
    return fmt::format("that path is not a folder: move the file away, or set {}", variable);
  }
  return fmt::format("make it writable for this user, or set {} to a writable folder", variable);
}

std::string with_mode(const StateFacts& state) {
  return fmt::format("{}, mode {:04o}", printable(state.path), state.mode);
}

}  // namespace

DoctorFinding judge_state(const StateFacts& state) {
  DoctorFinding finding{.check = "state",
                        .facts = {{"path", state.path}, {"exists", state.is_there}}};
  if (state.trial.failed != Trial::Step::none) {
    finding.level = CheckLevel::error;
    finding.found = printable(state.path) + ": " + text_of(state.trial, state.at);
    finding.advice = advice_on(state.trial, "TIDEMILL_STATE");
    return finding;
  }
  if (!state.is_there) {
    finding.found =
        fmt::format("{}: does not exist yet, the first run creates it", printable(state.path));
    return finding;
  }
  finding.found = with_mode(state);
  finding.facts.emplace_back("mode", fmt::format("{:04o}", state.mode));
  if (state.refusal) {
    finding.level = CheckLevel::error;
    finding.found = printable(state.refusal->reason);
    finding.advice = printable(state.refusal->hint);
    return finding;
  }
  if ((state.mode & 077U) != 0) {
    finding.level = CheckLevel::note;
    finding.found += ": other users can read the catalogue in it, but not the runs";
  }
  if (finding.level != CheckLevel::ok) finding.advice = "run chmod 700 " + printable(state.path);
  return finding;
}

DoctorFinding judge_file_system(const StateFacts& state) {
  const FileSystem* known = find(state.type);
  const std::string name =
      known != nullptr ? std::string(known->name) : fmt::format("{:#x}", state.type);
  DoctorFinding finding{.check = "filesystem", .found = name, .facts = {{"type", name}}};
  const auto say = [&](CheckLevel level, std::string_view what, std::string_view advice) {
    finding.level = level;
    finding.found += std::string(": ").append(what);
    finding.advice = advice;
  };
  if (known == nullptr) {
    say(CheckLevel::note, "unknown file system",
        "make sure that fdatasync() and open file locks (F_OFD_SETLK) work on it");
    return finding;
  }
  switch (known->nature) {
    case Nature::disk:
      break;
    case Nature::memory:
      say(CheckLevel::warning, "in memory, so runs are lost at a reboot", kOnADisk);
      break;
    case Nature::layer:
      say(CheckLevel::note, "in a container, runs are lost when it is removed",
          "set TIDEMILL_STATE to a folder in a volume");
      break;
    case Nature::network:
      say(CheckLevel::error, "its locks are not safe for SQLite, so journals can be damaged",
          kOnADisk);
      break;
    case Nature::foreign:
      say(CheckLevel::warning,
          "its locks and fdatasync() depend on another program or machine and may not be safe for "
          "SQLite",
          kOnADisk);
      break;
    case Nature::modeless:
      say(CheckLevel::warning, "it has no permissions: other users can read the runs", kOnADisk);
      break;
  }
  return finding;
}

DoctorFinding judge_syncs(const StateFacts& state) {
  DoctorFinding finding{.check = "fsync"};
  if (state.syncs.empty()) {
    finding.level = CheckLevel::note;
    finding.found = "not measured: the state folder is not writable";
    return finding;
  }
  auto sorted = state.syncs;
  std::ranges::sort(sorted);
  const nanoseconds median = sorted[sorted.size() / 2];
  const nanoseconds worst = sorted.back();
  const auto seconds = [](nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  finding.found = fmt::format("median {}, maximum {} of {} writes", latency_text(median),
                              latency_text(worst), sorted.size());
  finding.facts = {{"medianSeconds", seconds(median)},
                   {"worstSeconds", seconds(worst)},
                   {"writes", std::uint64_t{sorted.size()}}};
  const FileSystem* known = find(state.type);
  if (median >= kVerySlow || worst >= kStalled) {
    finding.level = CheckLevel::warning;
    finding.found += ": every commit of a run waits this long";
    finding.advice =
        "check what is keeping the disk busy, or set TIDEMILL_STATE to a folder on a faster one";
  } else if (median >= kSlow) {
    finding.level = CheckLevel::note;
    finding.found += ": slow for runs of many short commands";
    finding.advice = "set TIDEMILL_STATE to a folder on a faster disk";
  } else if (median < kTooFast && (known == nullptr || known->nature != Nature::memory)) {
    finding.level = CheckLevel::note;
    finding.found += ": faster than any disk, so the data may not be on it yet";
    finding.advice =
        "if commits must survive a power cut, make sure that no layer below drops flushes";
  }
  return finding;
}

DoctorFinding judge_space(const StateFacts& state) {
  DoctorFinding finding{.check = "space"};
  if (!state.space) {
    finding.level = CheckLevel::note;
    finding.found = "unknown: the file system does not report it";
    return finding;
  }
  const Space& space = *state.space;
  finding.found =
      fmt::format("{} free of {}", text::bytes_text(space.free), text::bytes_text(space.size));
  finding.facts = {{"freeBytes", space.free.count}, {"sizeBytes", space.size.count}};
  bool has_no_room = space.free < kNoRoom;
  bool has_little_room = space.free < kLittleRoom;
  if (space.files > 0) {
    finding.found += fmt::format(", room for {} files", text::count_text(space.free_files));
    finding.facts.emplace_back("freeFiles", space.free_files);
    has_no_room = has_no_room || space.free_files < kNoFiles;
    has_little_room = has_little_room || space.free_files < kFewFiles;
  }
  if (has_no_room || has_little_room) {
    finding.level = has_no_room ? CheckLevel::error : CheckLevel::warning;
    finding.found += ": a run that finds the disk full waits until there is space";
    finding.advice =
        "free space (tidemill forget removes old runs), or set TIDEMILL_STATE to another disk";
  }
  return finding;
}

DoctorFinding judge_temporary(const TemporaryFacts& temporary) {
  DoctorFinding finding{.check = "temporary",
                        .found = printable(temporary.path),
                        .facts = {{"path", temporary.path}}};
  if (temporary.trial.failed == Trial::Step::none) return finding;
  finding.level = CheckLevel::warning;
  finding.found = text_of(temporary.trial, temporary.path) +
                  "; books repair then keeps repaired books in memory";
  finding.advice = advice_on(temporary.trial, "TMPDIR");
  return finding;
}

}  // namespace tidemill::app
