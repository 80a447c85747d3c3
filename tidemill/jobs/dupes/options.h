// DupesOptions: the command line of `tidemill dupes`, checked and typed; and the description of the
// verb, from which it is parsed.
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

// The format of standard output.
enum class DupesOutput : std::uint8_t { text, json, jsonl, csv, fdupes };

// Which copy of a group is kept; the first rule that distinguishes two copies decides.
enum class KeepBy : std::uint8_t { oldest, newest, first_root, shortest, path };
struct KeepRule {
  KeepBy by = KeepBy::first_root;
  std::string glob{};  // of KeepBy::path
};

enum class Action : std::uint8_t { none, hardlink, reflink, remove, move, script };

// The differences to ignore: of metadata that a hard link would lose and, when root acts, of who
// may access or replace the files. Root is checked for the latter with every action.
struct Lenience {
  bool mtime = false;
  bool mode = false;
  bool owner = false;  // and group
  bool xattrs = false;
  bool folder = false;  // other users can replace the kept file (pair/reach.h)
};

// The defaults of flags are in their descriptions (verb.cc), not here.
struct DupesOptions {
  std::vector<std::string> roots{};
  std::string files_from{};  // a list of names instead of roots; "-": standard input
  bool is_nul_separated = false;
  std::vector<std::string> references{};  // scanned too; files in them are never changed
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
  std::string wanted{};             // where to write the list of files that other hosts must hash

  std::size_t least_copies = 0;
  bool between_roots = false;  // only groups with copies under at least two roots
  bool uniques = false;        // files without a copy instead of groups
  bool folders = false;        // duplicate and overlapping folders too
  double least_overlap = 0;
  DupesOutput report = DupesOutput::text;
  std::size_t top = 0;  // groups in the text; 0: all

  std::vector<KeepRule> keep{};
  Action action = Action::none;
  std::string move_to{};
  bool apply = false;
  Lenience lenience{};
};

[[nodiscard]] command::Verb verb();
// Ages are relative to `now`.
[[nodiscard]] Result<DupesOptions> options_of(const command::Values& values, WallTime now);

}  // namespace tidemill::dupes
