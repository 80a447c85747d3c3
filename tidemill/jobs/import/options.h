// ImportOptions: the command line of `tidemill import`, checked and typed; and the description of
// the verb.
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
  fresh,        // a new database, in a separate file until it is complete
  append,       // rows are added to the existing ones
  upsert,       // rows with an existing key: only the fields of the record are updated
  incremental,  // files that changed since the last import replace their rows
};
[[nodiscard]] std::string_view name_of(Mode mode);
enum class Writing : std::uint8_t { pages, sql };
enum class Nested : std::uint8_t { json, flatten, tables };
enum class ImportOutput : std::uint8_t { text, json };

// The most rejects that an import accepts: a number, or a share of the lines.
struct RejectLimit {
  std::optional<std::uint64_t> count{};
  std::optional<double> share{};  // 0 to 1

  [[nodiscard]] bool is_exceeded(std::uint64_t rejects, std::uint64_t lines) const {
    if (count) return rejects > *count;
    return share && static_cast<double>(rejects) > *share * static_cast<double>(lines);
  }
};

// The defaults of flags are in their descriptions (verb.cc), not here.
struct ImportOptions {
  std::vector<std::string> sources{};  // files, folders, "-"
  jobs::ListSource list{};             // a list of names, instead of sources
  std::string into{};
  Mode mode = Mode::fresh;
  bool may_replace = false;  // fresh: an existing database may be replaced
  Writing writing = Writing::pages;
  std::string table{};  // for all files; empty: a table per file
  std::vector<std::string> globs{};
  std::vector<std::string> excludes{};
  bool hidden = true;
  bool allow_empty = false;

  Nested nested = Nested::json;
  std::vector<std::string> languages{};
  std::string key{};  // empty: _key, where it is unique
  bool has_key = true;
  // The field that identifies a record.
  [[nodiscard]] std::string_view key_field() const {
    return key.empty() ? "_key" : std::string_view(key);
  }
  std::vector<std::string> indices{};
  std::map<std::string, ColumnType, std::less<>> types{};

  RejectLimit most_rejects{};
  std::size_t workers = 0;  // 0: one per core
  std::uint32_t page_size = 0;
  Bytes longest_line{};
  bool verify = true;
  bool dry_run = false;
  ImportOutput report = ImportOutput::text;
};

[[nodiscard]] command::Verb verb();
[[nodiscard]] Result<ImportOptions> options_of(const command::Values& values);

}  // namespace tidemill::import
