// RunFolder: the folder with all files of one run. StateFolder: the folder that contains the runs.
//
//   <state>/runs/20261115-0431-each/     a run: start minute (UTC), job, and "-2" and so on when
//                                        several start in the same minute
//   <state>/runs/.forgotten-...          a run whose removal was interrupted: not listed; the next
//                                        remove() completes it
//   <state>/finished/20261115-...        a command without a journal that has finished, with its
//                                        history: for `report` and `serve` only
//
// A run has a journal, or it is the record of a command without one (command_record.h).
//
// Names sort by time and are easy to type. mkdir decides which process gets a name, so processes
// can create runs concurrently. Folders have mode 0700, because paths and failures may contain
// secrets. A folder that another user owns or can write is refused (io/files/own_path.h), because a
// run is a command that `resume` runs. Failures: step "create", "list", "no such run", "ambiguous
// run", "remove"; kind held when a run to be removed is in use; kind usage for a folder that
// another user could have changed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"

namespace tidemill::run {

// Immutable: names only. The folder itself may be removed at any time.
class RunFolder {
 public:
  RunFolder(const std::string& runs, std::string id, std::string program = "tidemill")
      : path_(runs + '/' + id), id_(std::move(id)), program_(std::move(program)) {}

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] std::string_view job() const;  // that its name says: "books-check"
  [[nodiscard]] const std::string& program() const { return program_; }  // whose run it is
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::string journal() const { return path_ + "/journal.db"; }
  [[nodiscard]] std::string in_flight() const { return path_ + "/slate"; }
  [[nodiscard]] std::string lock() const { return path_ + "/lock"; }
  [[nodiscard]] std::string spill() const { return path_ + "/spill"; }
  [[nodiscard]] std::string log() const { return path_ + "/log.jsonl"; }
  [[nodiscard]] std::string command() const { return path_ + "/command"; }
  [[nodiscard]] std::string history() const { return path_ + "/history.db"; }  // of a record

  // False: killed before it had one, or the record of a command.
  [[nodiscard]] bool has_journal() const;
  [[nodiscard]] bool is_record() const;  // of a command without a journal

  [[nodiscard]] Bytes bytes() const;  // total size on disk

  bool operator==(const RunFolder&) const = default;

 private:
  std::string path_;
  std::string id_;
  std::string program_;
};

// Immutable: every caller may share one.
class StateFolder {
 public:
  // The value of an environment variable, if it is set.
  using Lookup = std::function<std::optional<std::string>(std::string_view)>;

  // TIDEMILL_STATE, or XDG_STATE_HOME/tidemill, or HOME/.local/state/tidemill, with the name of the
  // program. An empty value counts as unset, and so does a relative XDG_STATE_HOME, as the XDG
  // specification requires.
  [[nodiscard]] static Result<StateFolder> from(const Lookup& lookup,
                                                std::string program = "tidemill");

  explicit StateFolder(std::string path, std::string program = "tidemill")
      : path_(std::move(path)), program_(std::move(program)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& program() const { return program_; }
  [[nodiscard]] std::string variable() const;  // "TIDEMILL_STATE"
  [[nodiscard]] std::string runs() const { return path_ + "/runs"; }
  [[nodiscard]] std::string finished() const { return path_ + "/finished"; }

  // Fails if the folder exists and another user owns it, can write to it or can replace it. The
  // functions below call this first; call it before reading anything else from the folder.
  [[nodiscard]] Result<void> demand_own() const;
  // Creates the folder and its parents.
  [[nodiscard]] Result<void> make() const;

  // `job` is a verb: lower-case letters, digits, '-' and '_'.
  [[nodiscard]] Result<RunFolder> create(std::string_view job, WallTime now) const;

  // Newest first. Within a minute, ordered by the birth time of the folder if the file system has
  // it.
  [[nodiscard]] Result<std::vector<RunFolder>> list() const;
  // The runs of one job.
  [[nodiscard]] Result<std::vector<RunFolder>> list(std::string_view job) const;

  // Those of finished commands, likewise.
  [[nodiscard]] Result<std::vector<RunFolder>> list_finished(std::string_view job = {}) const;

  // Finds a run by its id, by an unambiguous prefix of it, by "last" or "@" for the newest, or by
  // "last-each" for the newest of a verb ("last-books" is the newest of books-check and
  // books-repair). Otherwise the hint of the failure suggests runs.
  [[nodiscard]] Result<RunFolder> find(std::string_view which) const;
  // The same among runs and finished commands.
  [[nodiscard]] Result<RunFolder> find_any(std::string_view which) const;

  // Names that find() accepts: "last", "last-each" for each job that has a run, and all ids, newest
  // first.
  [[nodiscard]] Result<std::vector<std::string>> names() const;

  // A run or a finished command. Takes the run's lock first, so a run in use is not removed. It
  // renames the run before deleting it: from then on the run is no longer listed, even if this call
  // is interrupted.
  [[nodiscard]] Result<void> remove(std::string_view id, WallTime now) const;
  // Removes a run whose lock the caller holds.
  [[nodiscard]] Result<void> remove_own(const RunFolder& run) const;
  // Moves a run whose lock the caller holds to those of finished commands, and removes all but the
  // newest `most` of its job there.
  [[nodiscard]] Result<void> keep_finished(const RunFolder& run, std::size_t most) const;

 private:
  std::string path_;
  std::string program_;
};

}  // namespace tidemill::run
