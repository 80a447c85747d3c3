// Names: what tables and columns are called. Files and fields are called anything; SQLite's names
// are the same whatever the case of ASCII letters, must be UTF-8 without NUL, and a few are taken.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace tidemill::import {

// Without its folders and the endings that say how it is packed: "a/types.jsonl.gz" → "types". An
// empty one is "table"; "sqlite_x" is SQLite's own and becomes "_sqlite_x", "_tidemill_x" is ours
// and becomes "__tidemill_x"; bytes that are no UTF-8 are written _xNN.
[[nodiscard]] std::string table_name_of(std::string_view path);
[[nodiscard]] bool is_reserved(std::string_view table);

// Of a field, or of a path of fields joined by '_'. An empty one is "_empty"; a NUL is written \0.
[[nodiscard]] std::string column_name_of(std::string_view field);

// A field as part of a path of fields, "position.x": its own dots and backslashes get a backslash.
[[nodiscard]] std::string path_part(std::string_view field);
// The path without those backslashes, for people: two may look the same.
[[nodiscard]] std::string path_text(std::string_view path);

// Whether two names are one to SQLite.
[[nodiscard]] bool is_same_name(std::string_view a, std::string_view b);

// Names that are taken. One thread.
class NameSet {
 public:
  // The name itself, or name_2, name_3, … if it is taken; it is taken afterwards.
  [[nodiscard]] std::string take(std::string_view wanted);
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  std::unordered_set<std::string> taken_;  // in lower case
};

}  // namespace tidemill::import
