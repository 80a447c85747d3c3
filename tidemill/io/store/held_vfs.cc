#include "tidemill/io/store/held_vfs.h"

#include <sqlite3.h>

#include <cstddef>
#include <cstring>

namespace tidemill::store {
namespace {

constexpr const char* kName = "tidemill-held";

const sqlite3_vfs& usual() {
  static const sqlite3_vfs* const found = sqlite3_vfs_find("unix");
  return *found;
}

int as_named(sqlite3_vfs* /*vfs*/, const char* name, int room, char* out) {
  const std::size_t size = std::strlen(name) + 1;
  if (size > static_cast<std::size_t>(room)) return SQLITE_CANTOPEN;
  std::memcpy(out, name, size);
  return SQLITE_OK;
}

int open_no_other(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* given) {
  if ((flags & SQLITE_OPEN_SUPER_JOURNAL) != 0) {
    file->pMethods = nullptr;
    return SQLITE_CANTOPEN;
  }
  return usual().xOpen(vfs, name, file, flags, given);
}

sqlite3_vfs make() {
  sqlite3_vfs made = usual();
  made.pNext = nullptr;
  made.zName = kName;
  made.xFullPathname = as_named;
  made.xOpen = open_no_other;
  return made;
}

}  // namespace

const char* held_vfs() {
  static sqlite3_vfs held = make();
  static const int once = sqlite3_vfs_register(&held, 0);
  (void)once;
  return kName;
}

}  // namespace tidemill::store
