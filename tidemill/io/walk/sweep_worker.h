// SweepWorker: one thread of a sweep. It takes a folder, reads it, calls statx on its files,
// reports them to the listener and keeps the subfolders for later. Failures of single folders and
// files go to the listener; a worker itself does not fail.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/io/walk/entries.h"
#include "tidemill/io/walk/filter/ignore.h"
#include "tidemill/io/walk/filter/sieve.h"
#include "tidemill/io/walk/folder_queue.h"
#include "tidemill/io/walk/folder_tree.h"
#include "tidemill/io/walk/sweep.h"

namespace tidemill::walk {

// The folders that a sweep has entered; used when it follows symlinks. Thread-safe.
class EnteredFolders {
 public:
  // False: already entered below this root.
  [[nodiscard]] bool enter(FolderId root, const FileStamp& folder);

 private:
  struct Key {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    FolderId root = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return (key.inode * 31 + key.device) * 31 + key.root;
    }
  };
  Guarded<std::unordered_set<Key, Hash>> entered_;
};

// Shared by the workers of a sweep.
struct SweepTeam {
  const SweepOptions& options;
  const Sieve& sieve;
  FolderTree& tree;
  SweepListener& listener;
  const std::stop_token& stop;
  FolderQueue& queue;
  OpenParents& parents;
  EnteredFolders& entered;
};

// A root that is not a folder.
struct LoneFile {
  FolderId folder = kNoFolder;  // that contains it
  FileStamp folder_stamp{};
  std::string name{};
  bool is_link = false;
  struct statx seen{};
};

// One thread.
class SweepWorker {
 public:
  SweepWorker(const SweepTeam& team, std::size_t number);

  // Returns when the sweep is over.
  void run();

  // Reports a root that is a file, whatever the patterns say.
  void tell_lone(const LoneFile& lone);

  [[nodiscard]] const SweepReport& report() const { return report_; }

 private:
  void read(PendingFolder& pending);
  [[nodiscard]] OpenedFolder open(PendingFolder& pending);
  [[nodiscard]] int list(const PendingFolder& pending, int folder);
  [[nodiscard]] int find_rules(const PendingFolder& pending, int folder);
  void look_at_all(int folder);
  void report_folder(SweptFolder& folder);
  void keep_subfolders(Descriptor folder);
  void report_failure(const PendingFolder& pending, int error);

  void look_at(int folder, const FolderEntry& entry);
  [[nodiscard]] bool is_wanted(const FolderEntry& entry, bool is_folder);
  void take_file(const FolderEntry& entry, bool is_link, const struct statx& seen);
  void leave_out_file(const FolderEntry& entry);
  void fail_file(const FolderEntry& entry, bool is_link, int error);
  void take_folder(const FolderEntry& entry, const struct statx* seen);

  const SweepTeam& team_;
  const std::size_t number_;
  const bool has_patterns_;
  int flags_;  // to open a folder with
  std::vector<PendingFolder> list_;
  SweepReport report_;

  // The current folder; the memory is reused.
  Entries entries_;
  std::vector<SweptFile> files_;
  std::vector<SweptSubfolder> subfolders_;
  FileStamp stamp_;
  FolderId id_ = kNoFolder;
  FolderId root_ = kNoFolder;  // only when symlinks are followed
  std::shared_ptr<const IgnoreRules> rules_;
  std::string path_;        // below the root; only used with patterns or rules
  std::size_t prefix_ = 0;  // length in path_ of the folder and its '/'
};

}  // namespace tidemill::walk
