#include "tidemill/jobs/import/rows/names.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "tidemill/base/hex.h"
#include "tidemill/formats/text/utf8.h"

namespace tidemill::import {
namespace {

std::string folded(std::string_view name) {  // as SQLite compares: ASCII only
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool drop_ending(std::string_view& name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  if (folded(name.substr(name.size() - ending.size())) != ending) return false;
  name.remove_suffix(ending.size());
  return true;
}

// Bytes that are not UTF-8 are written as hex, so that different names stay different.
std::string as_utf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    std::size_t length = text::front_character(bytes).length;
    if (length > 0) {
      text += bytes.substr(0, length);
    } else {
      text += "_x";
      append_hex(text, static_cast<unsigned char>(bytes.front()));
      length = 1;
    }
    bytes.remove_prefix(length);
  }
  return text;
}

}  // namespace

std::string table_name_of(std::string_view path) {
  if (path == "-") return "stdin";
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view packing : {".gz", ".zst"}) {
    if (drop_ending(name, packing)) break;
  }
  for (const std::string_view format : {".jsonl", ".ndjson", ".json"}) {
    if (drop_ending(name, format)) break;
  }
  if (name.empty()) return "table";
  std::string text = as_utf8(name);
  if (is_reserved(text)) text.insert(0, 1, '_');
  return text;
}

bool is_reserved(std::string_view table) {
  const std::string lower = folded(table);
  return lower.starts_with("sqlite_") || lower.starts_with("_tidemill_");
}

std::string path_part(std::string_view field) {
  std::string part;
  for (const char c : field) {
    if (c == '.' || c == '\\') part += '\\';
    part += c;
  }
  return part;
}

std::string column_name_of(std::string_view field) {
  if (field.empty()) return "_empty";
  std::string name;
  for (const char c : field) {
    if (c == '\0') {
      name += "\\0";
    } else {
      name += c;
    }
  }
  return name;
}

std::string path_text(std::string_view path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && i + 1 < path.size()) ++i;
    text += path[i];
  }
  return text;
}

bool is_same_name(std::string_view a, std::string_view b) { return folded(a) == folded(b); }

std::string NameSet::take(std::string_view wanted) {
  std::string name(wanted);
  for (std::size_t i = 2; !taken_.insert(folded(name)).second; ++i) {
    name = std::string(wanted) + "_" + std::to_string(i);
  }
  return name;
}

bool NameSet::has(std::string_view name) const { return taken_.contains(folded(name)); }

}  // namespace tidemill::import
