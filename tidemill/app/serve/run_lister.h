// RunLister: the runs of a state folder and their states, for a list that is asked for every two
// seconds. What a run that nobody works on was like is kept until its files change, so only runs in
// progress are opened each time. It keeps at most kMostKept of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/clock.h"
#include "tidemill/base/guarded.h"
#include "tidemill/base/result.h"
#include "tidemill/state/run/run_folder.h"
#include "tidemill/ui/cli/run_status.h"

namespace tidemill::app {

struct ListedRun {
  cli::RunStatus status;  // with the counts of the last sample for a command without journal
  bool has_counts = false;
  double rate = 0;  // settled tasks per second, of the last sample; of a run in progress
};

// Thread-safe.
class RunLister {
 public:
  static constexpr std::size_t kMostKept = 2'000;

  RunLister(const run::StateFolder& state, const Clock& clock) : state_(state), clock_(clock) {}

  // Runs and finished commands, newest first.
  [[nodiscard]] Result<std::vector<run::RunFolder>> all() const;
  // Exactly this id, never a path. Nothing: no such run.
  [[nodiscard]] Result<std::optional<run::RunFolder>> find(std::string_view id) const;

  [[nodiscard]] ListedRun look_at(const run::RunFolder& folder);

 private:
  // What changes when anybody writes to the run.
  struct FileTimes {
    std::int64_t size = -1;
    std::int64_t changed = 0;  // nanoseconds
    std::uint64_t inode = 0;
    bool operator==(const FileTimes&) const = default;
  };
  using RunFiles = std::vector<FileTimes>;
  struct KeptRun {
    RunFiles files{};
    ListedRun run;
  };

  [[nodiscard]] static RunFiles files_of(const run::RunFolder& folder);
  [[nodiscard]] ListedRun read(const run::RunFolder& folder) const;

  const run::StateFolder& state_;
  const Clock& clock_;
  Guarded<std::map<std::string, KeptRun>> kept_;
};

}  // namespace tidemill::app
