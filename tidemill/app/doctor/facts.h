// Facts: what `tidemill doctor` has learnt of the machine, before anybody judges it. Plain values,
// so that a test can be any machine. Nothing here fails: what could not be learnt is a fact too.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/io/sandbox/limits.h"
#include "tidemill/ui/term/terminal.h"

namespace tidemill::app {

// A file that was made, written and removed, to see whether it can be.
struct Trial {
  enum class Step : std::uint8_t { none, make, write, sync };

  Step failed = Step::none;  // none: all went well
  int error = 0;             // errno

  bool operator==(const Trial&) const = default;
};

struct Space {
  Bytes free{};  // for us, not only for root
  Bytes size{};
  std::uint64_t free_files = 0;  // how many more the file system can have
  std::uint64_t files = 0;       // 0: it does not count them
};

struct StateFacts {
  std::string path{};      // of the state folder
  std::string at{};        // the folder that was looked at: where runs are, or the nearest above
  bool is_there = false;   // the state folder
  std::uint32_t mode = 0;  // its permissions
  std::optional<Failure> refusal{};  // another user may have written there: no verb will use it
  std::int64_t type = 0;             // of the file system, as of statfs()
  Trial trial{};
  std::vector<std::chrono::nanoseconds> syncs{};  // how long each fdatasync() took
  std::optional<Space> space{};
};

// Limits of this process and of the system. Nothing: there is no limit.
struct LimitFacts {
  std::uint64_t cpus = 1;
  std::optional<std::uint64_t> files{};       // that may be open
  std::optional<std::uint64_t> files_most{};  // up to which we may raise that ourselves
  std::optional<Bytes> file_size{};
  std::optional<std::uint64_t> processes{};  // of this user, threads counted; not for root
  std::uint64_t processes_used = 0;
  std::optional<std::uint64_t> group_processes{};  // of the control group
  std::uint64_t group_processes_used = 0;
  std::optional<std::uint64_t> system_processes{};  // the smaller of threads-max and pid_max
  std::uint64_t system_processes_used = 0;
};

struct MemoryFacts {
  Bytes all{};
  Bytes available{};
  std::optional<Bytes> group{};  // limit of the control group
  Bytes group_used{};
  std::optional<Bytes> address_space{};  // ulimit -v
};

// Which walls of a cell stand here, or why no cell can be started.
using CellFacts = Result<sandbox::Confinement>;

struct TemporaryFacts {
  std::string path{};
  Trial trial{};
};

struct ScreenFacts {
  bool is_out_tty = false;
  bool is_err_tty = false;
  bool has_colour = false;
  term::Size size{};
  std::string term{};
  std::string no_screen{};  // why --screen cannot be had; only asked on a terminal
  std::string locale{};     // LC_ALL, else LC_CTYPE, else LANG
};

struct PartFacts {
  std::string tables{};                // the folder of the token tables
  std::vector<std::string> missing{};  // tables that are not there or cannot be read
  Result<std::string> epubcheck{};     // the jar
};

struct RunFacts {
  std::uint64_t all = 0;
  std::uint64_t seen = 0;                 // so many were looked at, the newest
  std::vector<std::string> unfinished{};  // something is left to be done, and nobody is at it
  std::vector<std::string> unreadable{};
  std::optional<Failure> problem{};  // they could not be listed
};

struct ConfigFacts {
  std::vector<std::string> looked{};  // where files may be
  std::vector<std::string> found{};   // those that are there; they were read without complaint
};

struct RedisFacts {
  std::string server{};  // its URL, without a password
  std::optional<Failure> problem{};
  std::string version{};                // empty: it does not tell
  std::chrono::nanoseconds latency{0};  // the median of some PINGs
  std::vector<std::string> worries{};   // state/queue/redis_outlet.h
};

struct Facts {
  StateFacts state{};
  LimitFacts limits{};
  MemoryFacts memory{};
  CellFacts cells{};
  TemporaryFacts temporary{};
  ScreenFacts screen{};
  PartFacts parts{};
  RunFacts runs{};
  ConfigFacts config{};
  std::optional<RedisFacts> redis{};  // if one was named
};

}  // namespace tidemill::app
