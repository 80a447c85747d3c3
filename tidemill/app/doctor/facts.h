// The facts that `tidemill doctor` gathers about the machine, before judging them. Plain values, so
// that a test can describe any machine. Nothing here fails: missing information is a fact too.
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

// The result of creating, writing and removing a test file.
struct Trial {
  enum class Step : std::uint8_t { none, make, write, sync };

  Step failed = Step::none;  // none: success
  int error = 0;             // errno

  bool operator==(const Trial&) const = default;
};

struct Space {
  Bytes free{};  // for unprivileged users
  Bytes size{};
  std::uint64_t free_files = 0;  // free inodes
  std::uint64_t files = 0;       // total inodes; 0: not counted
};

struct StateFacts {
  std::string path{};      // of the state folder
  std::string at{};        // the folder that was tested: that of the runs, or its nearest parent
  bool is_there = false;   // the state folder exists
  std::uint32_t mode = 0;  // its permissions
  std::optional<Failure> refusal{};  // another user could have written there: no verb will use it
  std::int64_t type = 0;             // of the file system, from statfs()
  Trial trial{};
  std::vector<std::chrono::nanoseconds> syncs{};  // how long each fdatasync() took
  std::optional<Space> space{};
};

// Limits of this process and of the system. nullopt: no limit.
struct LimitFacts {
  std::uint64_t cpus = 1;
  std::optional<std::uint64_t> files{};       // open files, soft limit
  std::optional<std::uint64_t> files_most{};  // hard limit
  std::optional<Bytes> file_size{};
  std::optional<std::uint64_t> processes{};  // of this user, including threads; not for root
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

// The protections of a sandbox on this machine, or why none can be started.
using SandboxFacts = Result<sandbox::Confinement>;

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
  std::string no_screen{};  // why --screen is not available; checked only on a terminal
  std::string locale{};     // LC_ALL, else LC_CTYPE, else LANG
};

struct PartFacts {
  std::string tables{};                // the folder of the token tables
  std::vector<std::string> missing{};  // tables that do not exist or cannot be read
  Result<std::string> epubcheck{};     // the jar
};

struct RunFacts {
  std::uint64_t all = 0;
  std::uint64_t seen = 0;                 // the number that was checked, newest first
  std::vector<std::string> unfinished{};  // work is left, and no process is running it
  std::vector<std::string> unreadable{};
  std::optional<Failure> problem{};  // they could not be listed
};

struct ConfigFacts {
  std::vector<std::string> looked{};  // possible paths
  std::vector<std::string> found{};   // those that exist; they were parsed without errors
};

struct RedisFacts {
  std::string server{};  // its URL, without a password
  std::optional<Failure> problem{};
  std::string version{};                // empty: not reported
  std::chrono::nanoseconds latency{0};  // the median of some PINGs
  std::vector<std::string> worries{};   // state/queue/redis_outlet.h
};

// What the user of Redis may not do of what each side of a fleet needs (doctor/fleet_rights.h).
struct FleetRights {
  std::string version{};                     // of the server
  std::vector<std::string> to_coordinate{};  // "xadd {films}:*:q"
  std::vector<std::string> to_work{};
};

// How far the clock of this machine is ahead of the server's: between these two.
struct ClockLead {
  std::chrono::nanoseconds least{0};
  std::chrono::nanoseconds most{0};
};

struct FleetKeyFacts {
  std::string path{};     // empty: the user has no config folder
  bool is_named = false;  // by --fleet-key, TIDEMILL_FLEET_KEY or the config file
  std::optional<Failure> problem{};
};

struct FleetFacts {
  std::string name{};
  std::string user{"default"};  // of Redis
  FleetKeyFacts key{};
  std::optional<Result<FleetRights>> rights{};  // nullopt: the server does not answer
  std::optional<Result<ClockLead>> clock{};
};

struct MachineFacts {
  StateFacts state{};
  LimitFacts limits{};
  MemoryFacts memory{};
  SandboxFacts sandbox{};
  TemporaryFacts temporary{};
  ScreenFacts screen{};
  PartFacts parts{};
  RunFacts runs{};
  ConfigFacts config{};
  std::optional<RedisFacts> redis{};  // if a server was given
  std::optional<FleetFacts> fleet{};  // if a fleet was given
};

}  // namespace tidemill::app
