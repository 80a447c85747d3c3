// Folders: finds folders that are the same, with everything below them.
//
// Two folders are the same if their entries have the same names, their files have the same contents
// and their subfolders are the same. Every folder gets the number of its kind, from the leaves up:
//
//   a/x ── kind 1      b/x ── kind 1      a ── {x: kind 1, f: content 7} ── kind 2      b ── kind 2
//
// A hash only finds the folders to compare; entries are compared by their bytes, so a forged name
// cannot make two folders the same. A folder with a file that has no copy, or with an entry that
// was not examined, has no kind, and neither has any folder above it. Nothing can fail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

namespace tidemill::dupes {

struct FolderFile {
  std::string name{};
  std::uint64_t content = 0;  // the same number, the same contents; 0: no copy, or unknown
  std::uint64_t size = 0;     // all empty files are equal, whatever `content` is
};

inline constexpr std::size_t kNoFolder = std::numeric_limits<std::size_t>::max();

struct ReportFolder {
  std::size_t parent = kNoFolder;  // index of its record, in any order; kNoFolder: a root
  std::string name{};              // the last component of the path; ignored for a root
  std::string path{};              // for the report
  std::vector<FolderFile> files{};
  bool is_whole = true;  // false: an entry was filtered out, is not a regular file, or failed
};

// Folders of one kind, unless all of them are inside larger folders that are the same.
struct SameFolders {
  std::vector<std::size_t> members{};  // by path
  std::uint64_t files = 0;             // in each, below it too
  std::uint64_t bytes = 0;
};

// Immutable.
class Folders {
 public:
  using Kind = std::uint32_t;
  static constexpr Kind kNoKind = 0;

  // A folder is in the list once, under one parent.
  explicit Folders(std::vector<ReportFolder> all);

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  // Its files are sorted by name.
  [[nodiscard]] const ReportFolder& operator[](std::size_t folder) const { return all_[folder]; }
  [[nodiscard]] Kind kind_of(std::size_t folder) const { return marks_[folder].kind; }

  // The most redundant bytes first. Folders without a single file below them are left out.
  [[nodiscard]] std::vector<SameFolders> same() const;

 private:
  struct Mark {
    Kind kind = kNoKind;
    bool is_known = true;     // false: it has no kind
    std::size_t waiting = 0;  // children that are not numbered yet
    std::uint64_t files = 0;  // below it too
    std::uint64_t bytes = 0;
    std::vector<std::size_t> children{};  // by name
  };
  using Kinds = std::unordered_multimap<std::uint64_t, std::size_t>;  // hash: one folder of a kind

  void prepare();
  void settle(std::size_t folder, Kinds& kinds);
  [[nodiscard]] std::uint64_t hash_of(std::size_t folder) const;
  [[nodiscard]] bool has_same_entries(std::size_t one, std::size_t other) const;
  [[nodiscard]] bool is_inside_same(std::size_t folder,
                                    const std::vector<std::size_t>& counts) const;

  std::vector<ReportFolder> all_;
  std::vector<Mark> marks_;
  Kind last_kind_ = kNoKind;
};

}  // namespace tidemill::dupes
