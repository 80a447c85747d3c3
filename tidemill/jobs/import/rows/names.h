// Names: the names of tables and columns. Files and fields may have any name; SQLite compares names
// without regard to ASCII case, they must be UTF-8 without NUL, and a few are reserved.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace tidemill::import {

// The file name without folders and extensions: "a/types.jsonl.gz" → "types". An empty name becomes
// "table"; "sqlite_x" is reserved by SQLite and becomes "_sqlite_x", "_tidemill_x" is ours and
// becomes "__tidemill_x"; bytes that are not UTF-8 are written as _xNN.
[[nodiscard]] std::string table_name_of(std::string_view path);
[[nodiscard]] bool is_reserved(std::string_view table);

// For a field, or a path of fields joined by '_'. An empty name becomes "_empty"; a NUL is written
// as \0.
[[nodiscard]] std::string column_name_of(std::string_view field);

// A field as part of a path such as "position.x": escapes its dots and backslashes with a
// backslash.
[[nodiscard]] std::string path_part(std::string_view field);
// The path without those backslashes, for display: two paths may look the same.
[[nodiscard]] std::string path_text(std::string_view path);

// Whether SQLite treats the two names as the same.
[[nodiscard]] bool is_same_name(std::string_view a, std::string_view b);

// A set of used names. One thread.
class NameSet {
 public:
  // Adds and returns the name itself, or name_2, name_3, … if it is used.
  [[nodiscard]] std::string take(std::string_view wanted);
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  std::unordered_set<std::string> taken_;  // in lower case
};

}  // namespace tidemill::import
