// Fixtures for tests of sweep(): a temporary tree, and a listener that records a sweep of it.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/io/walk/sweep.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::walk {

using Paths = std::set<std::string>;

// Readable by all users. In memory if possible: creating 10,000 folders on a disk is slow.
struct ScratchTree : testing::OwnFolder {
  ScratchTree() : OwnFolder(::access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : ::testing::TempDir()) {
    if (::chmod(path().c_str(), 0755) != 0) std::abort();
  }
};

struct RecordedSweep {
  SweptFile file{};  // without its name
  FolderId folder = kNoFolder;
};

// Records what a sweep reports, by paths below the first root.
struct Swept : SweepListener {
  std::map<std::string, RecordedSweep> files{};
  std::map<std::string, int> failures{};
  std::map<std::string, std::uint64_t> tags{};
  std::multiset<std::string> folders{};
  Paths unentered{};
  SweepReport report{};

  std::function<bool(SweptFolder&, const std::string& path)> meanwhile{};
  FolderTree tree{};
  std::string root{};
  bool is_lone = false;  // the root is a file
  std::mutex mutex{};

  [[nodiscard]] std::string below(const std::string& path) const {
    if (path == root && !is_lone) return "";
    return path.starts_with(root + '/') ? path.substr(root.size() + 1) : path;
  }

  bool folder(SweptFolder& swept) override {
    const std::scoped_lock held(mutex);
    const std::string path = below(tree.path(swept.id));
    folders.insert(path);
    tags[path] = swept.tag;
    for (const SweptFile& file : swept.files) {
      EXPECT_EQ(file.name.data()[file.name.size()], '\0');
      RecordedSweep kept{.file = file, .folder = swept.id};
      kept.file.name = {};
      files[below(tree.path(swept.id, file.name))] = kept;
    }
    for (const SweptSubfolder& sub : swept.subfolders) {
      if (sub.id == kNoFolder) unentered.insert(below(tree.path(swept.id, sub.name)));
    }
    return !meanwhile || meanwhile(swept, path);
  }
  void failure(FolderId id, std::uint64_t tag, int error) override {
    const std::scoped_lock held(mutex);
    const std::string path = below(tree.path(id));
    failures[path] = error;
    tags[path] = tag;
  }

  [[nodiscard]] Paths of(SweepDecision decision) const {
    Paths paths;
    for (const auto& [path, recorded] : files) {
      if (recorded.file.decision == decision) paths.insert(path);
    }
    return paths;
  }
  [[nodiscard]] Paths taken() const { return of(SweepDecision::taken); }
};

inline Result<SweepReport> run(Swept& swept, const std::vector<std::string>& roots,
                               const SweepOptions& options, const std::stop_token& stop = {}) {
  swept.root = roots.front();
  const auto report = sweep(roots, options, swept.tree, swept, stop);
  if (report) swept.report = *report;
  return report;
}

inline void sweep_well(Swept& swept, const std::string& root, const SweepOptions& options = {}) {
  const auto report = run(swept, {root}, options);
  ASSERT_TRUE(report) << text_of(report.error());
  EXPECT_TRUE(report->is_complete);
  EXPECT_EQ(report->files, swept.taken().size());
  EXPECT_EQ(report->folders, swept.folders.size());
  EXPECT_EQ(report->left_out, swept.of(SweepDecision::left_out).size() + swept.unentered.size());
  EXPECT_EQ(report->failures, swept.of(SweepDecision::failed).size() + swept.failures.size());
}

}  // namespace tidemill::walk
