// Options: what the user asked of `tidemill import`, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/bytes.h"
#include "tidemill/base/result.h"
#include "tidemill/jobs/import/rows/column_type.h"
#include "tidemill/jobs/tasks/list_source.h"
#include "tidemill/ui/command/values.h"
#include "tidemill/ui/command/verb.h"

namespace tidemill::import {

enum class Mode : std::uint8_t {
  fresh,        // a new database, beside the old one until it is whole
  append,       // rows are added to what is there
  upsert,       // rows with a known key change only what the record gives
  incremental,  // files that changed since the last import replace their rows
};
[[nodiscard]] std::string_view name_of(Mode mode);
enum class Writing : std::uint8_t { pages, sql };
enum class Nested : std::uint8_t { json, flatten, tables };
enum class Report : std::uint8_t { text, json };

// The most rejects that an import survives: a number, or a share of the lines.
struct RejectLimit {
  std::optional<std::uint64_t> count{};
  std::optional<double> share{};  // 0 to 1

  [[nodiscard]] bool is_exceeded(std::uint64_t rejects, std::uint64_t lines) const {
    if (count) return rejects > *count;
    return share && static_cast<double>(rejects) > *share * static_cast<double>(lines);
  }
};

// The defaults of flags are not here: they stand in the descriptions of the flags.
struct Options {
  std::vector<std::string> sources{};  // files, folders, "-"
  jobs::ListSource list{};             // names of files, instead of sources
  std::string into{};
  Mode mode = Mode::fresh;
  bool may_replace = false;  // fresh, and a database of that name is there
  Writing writing = Writing::pages;
  std::string table{};  // all files into this one; empty: a table a file
  std::vector<std::string> globs{};
  std::vector<std::string> excludes{};
  bool hidden = true;
  bool allow_empty = false;

  Nested nested = Nested::json;
  std::vector<std::string> languages{};
  std::string key{};  // empty: _key where it can be one
  bool has_key = true;
  // The field that identifies a record.
  [[nodiscard]] std::string_view key_field() const {
    return key.empty() ? "_key" : std::string_view(key);
  }
  std::vector<std::string> indices{};
  std::map<std::string, ColumnType, std::less<>> types{};

  RejectLimit most_rejects{};
  std::size_t workers = 0;  // 0: one a core
  std::uint32_t page_size = 0;
  Bytes longest_line{};
  bool verify = true;
  bool dry_run = false;
  Report report = Report::text;
};

[[nodiscard]] command::Verb verb();
[[nodiscard]] Result<Options> options_of(const command::Values& values);

}  // namespace tidemill::import
