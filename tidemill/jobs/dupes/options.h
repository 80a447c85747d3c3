// Options: what `tidemill dupes` was asked to do, checked and typed; and the description of the
// verb that asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/clock.h"
#include "tidemill/base/result.h"
#include "tidemill/io/hash/algorithm.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::dupes {

// What goes to standard output.
enum class Report : std::uint8_t { text, json, jsonl, csv, fdupes };

// Which copy of a group is kept; the first rule that tells two copies apart decides.
enum class KeepBy : std::uint8_t { oldest, newest, first_root, shortest, path };
struct KeepRule {
  KeepBy by = KeepBy::first_root;
  std::string glob{};  // of KeepBy::path
};

enum class Action : std::uint8_t { none, hardlink, reflink, remove, move, script };

// Which differences are no reason to leave a pair alone: of metadata that would be lost when it is
// linked, or of who may use or exchange the files, which root is held to with every action.
struct Lenience {
  bool mtime = false;
  bool mode = false;
  bool owner = false;  // and group
  bool xattrs = false;
  bool folder = false;  // others can exchange the kept file (pair/reach.h)
};

// The defaults of flags are not here: they stand in the descriptions of the flags.
struct Options {
  std::vector<std::string> roots{};
  std::string files_from{};  // a list of names instead of roots; "-": standard input
  bool is_nul_separated = false;
  std::vector<std::string> references{};  // scanned too; nothing in them is ever touched
  std::vector<std::string> globs{};
  std::vector<std::string> excludes{};
  bool no_hidden = false;
  bool allow_empty = false;
  bool ignore_rules = false;  // .gitignore and .ignore
  bool follow = false;
  bool one_device = false;
  std::uint64_t least_size = 0;
  std::uint64_t most_size = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::int64_t> newer_than_ns{};
  std::optional<std::int64_t> older_than_ns{};

  hash::Algorithm algorithm = hash::Algorithm::xxh3;
  bool verify = false;
  bool hash_all = false;
  std::size_t threads = 0;  // 0: as many as the disk needs
  std::optional<Bytes> memory{};

  bool has_catalogue = true;
  std::string catalogue{};          // empty: the one in the state folder
  std::vector<std::string> with{};  // catalogues of other hosts
  std::string wanted{};             // where to write what other hosts must hash

  std::size_t least_copies = 0;
  bool between_roots = false;  // only groups with copies under two roots at least
  bool uniques = false;        // the files without a copy instead of the groups
  bool folders = false;        // duplicate and overlapping folders too
  double least_overlap = 0;
  Report report = Report::text;
  std::size_t top = 0;  // groups in the text; 0: all

  std::vector<KeepRule> keep{};
  Action action = Action::none;
  std::string move_to{};
  bool apply = false;
  Lenience lenience{};
};

[[nodiscard]] command::Verb verb();
// Ages are counted back from `now`.
[[nodiscard]] Result<Options> options_of(const command::Values& values, WallTime now);

}  // namespace tidemill::dupes
