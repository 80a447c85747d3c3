// sync_together: many open files and folders on the disk at the price of few syncs. An fsync makes
// the disk flush its cache, whatever there is to write; a disk does that a few hundred times a
// second. So where there are many on one file system, and it is one that keeps its word, it is
// synced as a whole, once.
#pragma once

#include <map>
#include <span>

namespace tidemill::dupes {

// An errno for each descriptor; 0: it is on the disk, or it is a folder of a file system that keeps
// its names in another way. One may be given twice.
[[nodiscard]] std::map<int, int> sync_together(std::span<const int> open);

}  // namespace tidemill::dupes
