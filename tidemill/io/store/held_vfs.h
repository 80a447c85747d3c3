// held_vfs: SQLite's name of a file system layer that opens a file by the very name it was given.
// SQLite's own one first asks where each symlink on the way leads, and opens that: with it, a path
// through the descriptor of a folder (/proc/self/fd/7/a.db) becomes an ordinary one again, and
// whoever may rename a folder on it decides what is opened.
//
// It also opens no super-journal. The journal beside a database names one, by any path; SQLite
// deletes it when it has played the journal back. So the maker of a database could have any file
// deleted. What was cut off in the middle of a transaction over several databases is refused, and
// the program that wrote them can put it right.
#pragma once

namespace tidemill::store {

[[nodiscard]] const char* held_vfs();

}  // namespace tidemill::store
