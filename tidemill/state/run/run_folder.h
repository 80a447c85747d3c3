// RunFolder: where one run keeps everything. StateFolder: where the runs are.
//
//   <state>/runs/20261115-0431-each/     a run: minute it began (UTC), job, "-2" and so on when two
//                                        begin in the same minute
//   <state>/runs/.forgotten-...          a run whose removal was interrupted: nobody sees it, and
//                                        the next remove() ends it
//
// A run has a journal, or it is the record of a command that keeps none (command_record.h).
//
// Names are sortable and can be typed. mkdir decides who gets one, so processes may create at the
// same time. Folders are made with mode 0700: paths and letters may tell secrets. What another user
// owns or may write is refused (io/files/own_path.h), for a run is a command that `resume` runs.
// Failures: step "create", "list", "no such run", "ambiguous run", "remove", kind held when
// somebody works on a run to be removed, kind usage for a folder that is not ours alone.
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

// Immutable: names only. The folder itself may be gone at any time.
class RunFolder {
 public:
  RunFolder(const std::string& runs, std::string id, std::string program = "tidemill")
      : path_(runs + '/' + id), id_(std::move(id)), program_(std::move(program)) {}

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] const std::string& program() const { return program_; }  // whose run it is
  [[nodiscard]] const std::string& path() const { return path_; }

  [[nodiscard]] std::string journal() const { return path_ + "/journal.db"; }
  [[nodiscard]] std::string slate() const { return path_ + "/slate"; }
  [[nodiscard]] std::string lock() const { return path_ + "/lock"; }
  [[nodiscard]] std::string spill() const { return path_ + "/spill"; }
  [[nodiscard]] std::string log() const { return path_ + "/log.jsonl"; }
  [[nodiscard]] std::string command() const { return path_ + "/command"; }

  // False: it was killed before it had one, or it is the record of a command.
  [[nodiscard]] bool has_journal() const;
  [[nodiscard]] bool is_record() const;  // of a command that keeps no journal

  [[nodiscard]] Bytes bytes() const;  // on disk, all of it

  bool operator==(const RunFolder&) const = default;

 private:
  std::string path_;
  std::string id_;
  std::string program_;
};

// Immutable: every caller may share one.
class StateFolder {
 public:
  // The value of a variable of the environment, if it is set.
  using Lookup = std::function<std::optional<std::string>(std::string_view)>;

  // TIDEMILL_STATE, or XDG_STATE_HOME/tidemill, or HOME/.local/state/tidemill: each program has its
  // own. An empty value counts as none, and so does a relative XDG_STATE_HOME, as its standard
  // says.
  [[nodiscard]] static Result<StateFolder> from(const Lookup& lookup,
                                                std::string program = "tidemill");

  explicit StateFolder(std::string path, std::string program = "tidemill")
      : path_(std::move(path)), program_(std::move(program)) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& program() const { return program_; }
  [[nodiscard]] std::string variable() const;  // "TIDEMILL_STATE"
  [[nodiscard]] std::string runs() const { return path_ + "/runs"; }

  // Fails if it is there and somebody else owns it, may write in it or may exchange it. Everything
  // below calls this first; call it before anything else is read from the folder.
  [[nodiscard]] Result<void> demand_own() const;
  // Makes it, with the folders above it.
  [[nodiscard]] Result<void> make() const;

  // `job` is a verb: lower-case letters, digits, '-' and '_'.
  [[nodiscard]] Result<RunFolder> create(std::string_view job, WallTime now) const;

  // Newest first. Within a minute the file system's time of birth decides, where it keeps one.
  [[nodiscard]] Result<std::vector<RunFolder>> list() const;
  // Those of one job.
  [[nodiscard]] Result<std::vector<RunFolder>> list(std::string_view job) const;

  // By its id, by the beginning of it if no other run begins so, "last" or "@" for the newest, or
  // "last-each" for the newest of a verb ("last-books" is the newest of books-check and
  // books-repair). Otherwise the hint of the failure names the runs that could have been meant.
  [[nodiscard]] Result<RunFolder> find(std::string_view which) const;

  // What find() accepts: "last", "last-each" for each job that has a run, all ids, the newest
  // first.
  [[nodiscard]] Result<std::vector<std::string>> names() const;

  // Takes the run's lock first, so a run that somebody works on stays. From the rename on, the run
  // is gone for everybody, whether or not this call comes to its end.
  [[nodiscard]] Result<void> remove(std::string_view id, WallTime now) const;
  // The same for one whose lock the caller has.
  [[nodiscard]] Result<void> remove_own(const RunFolder& run) const;

 private:
  std::string path_;
  std::string program_;
};

}  // namespace tidemill::run
