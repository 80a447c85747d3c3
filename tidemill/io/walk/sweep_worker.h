// SweepWorker: what one thread of a sweep does. It takes a folder, reads it, looks at its files,
// tells the listener and keeps the subfolders for later. Failures of single folders and files go to
// the listener; a worker itself does not fail.
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

// The folders of a sweep that follows symlinks. Thread-safe.
class EnteredFolders {
 public:
  // False: below this root it was entered before.
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

// What the workers of a sweep have in common.
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

// A root that is no folder.
struct LoneFile {
  FolderId folder = kNoFolder;  // that holds it
  FileStamp folder_stamp{};
  std::string name{};
  bool is_link = false;
  struct statx seen{};
};

// One thread.
class SweepWorker {
 public:
  SweepWorker(const SweepTeam& team, std::size_t number);

  // Until the sweep is over.
  void run();

  // Whatever the patterns say.
  void tell_lone(const LoneFile& lone);

  [[nodiscard]] const SweepReport& report() const { return report_; }

 private:
  void read(PendingFolder& pending);
  [[nodiscard]] OpenedFolder open(PendingFolder& pending);
  [[nodiscard]] int list(const PendingFolder& pending, int folder);
  [[nodiscard]] int find_rules(const PendingFolder& pending, int folder);
  void look_at_all(int folder);
  void tell(SweptFolder& folder);
  void keep_subfolders(Descriptor folder);
  void trouble(const PendingFolder& pending, int error);

  void look_at(int folder, const Entry& entry);
  [[nodiscard]] bool is_wanted(const Entry& entry, bool is_folder);
  void take_file(const Entry& entry, bool is_link, const struct statx& seen);
  void leave_out_file(const Entry& entry);
  void fail_file(const Entry& entry, bool is_link, int error);
  void take_folder(const Entry& entry, const struct statx* seen);

  const SweepTeam& team_;
  const std::size_t number_;
  const bool has_patterns_;
  int flags_;  // to open a folder with
  std::vector<PendingFolder> list_;
  SweepReport report_;

  // The folder at hand; the memory is used again.
  Entries entries_;
  std::vector<SweptFile> files_;
  std::vector<SweptSubfolder> subfolders_;
  FileStamp stamp_;
  FolderId id_ = kNoFolder;
  FolderId root_ = kNoFolder;  // only when symlinks are followed
  std::shared_ptr<const IgnoreRules> rules_;
  std::string path_;        // below the root; only when there are patterns or rules
  std::size_t prefix_ = 0;  // of path_: the folder and its '/'
};

}  // namespace tidemill::walk
