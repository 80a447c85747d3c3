// held_vfs: the name of an SQLite VFS that opens a file by exactly the name it was given. SQLite's
// own VFS first resolves the symlinks in a path: a path through the descriptor of a folder
// (/proc/self/fd/7/a.db) then becomes an ordinary path again, and any user who can rename a folder
// on it decides which file is opened.
//
// It also refuses to open a super-journal. The journal beside a database can name one by any path,
// and SQLite deletes it after the rollback, so the creator of a database could have any file
// deleted. A database interrupted in a transaction over several databases is refused; the program
// that wrote it can recover it.
#pragma once

namespace tidemill::store {

[[nodiscard]] const char* held_vfs();

}  // namespace tidemill::store
