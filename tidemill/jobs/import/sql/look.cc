#include <map>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/sql/ddl.h"
#include "tidemill/jobs/import/sql/loader.h"
#include "tidemill/jobs/import/sql/schema.h"
#include "tidemill/jobs/import/sql/shape.h"
#include "tidemill/jobs/import/target/import_log.h"

namespace tidemill::import {
namespace {

Result<std::map<std::string, KnownColumn>> known_columns(store::Db& db, const std::string& table) {
  std::map<std::string, KnownColumn> known;
  ImportLog import_log(db);
  LET(const bool has_import_log, import_log.is_there());
  if (!has_import_log) return known;
  LET(auto columns, import_log.columns(table));
  for (KnownColumn& column : columns) {
    std::string name = column.name;
    known.emplace(std::move(name), std::move(column));
  }
  return known;
}

// The type that a column of a foreign table forces. A NUMERIC column accepts every kind, and
// whether it alters a value depends on the value: the loader checks each one.
ColumnType type_for(Affinity affinity) {
  switch (affinity) {
    case Affinity::integer:
      return ColumnType::integer;
    case Affinity::real:
      return ColumnType::real;
    case Affinity::text:
      return ColumnType::text;
    case Affinity::none:
    case Affinity::numeric:
      break;
  }
  return ColumnType::none;
}

Column column_of(const DeclaredColumn& declared, const std::map<std::string, KnownColumn>& known,
                 bool is_ours) {
  Column column{.name = declared.name, .field = declared.name};
  if (const auto found = known.find(declared.name); found != known.end()) {
    column.field = found->second.field;
    column.seen = found->second.seen;
    // A field may also be named "", and its column is then _empty.
    column.is_ours = column.field.empty() && !column.name.starts_with(kEmptyColumn);
  }
  const ColumnType type =
      is_ours ? type_named(declared.type).value_or(ColumnType::none) : type_for(declared.affinity);
  // In our tables, the seen and the declared type differ only if --types chose the type.
  if (!is_ours || type != type_of(column.seen)) column.forced = type;
  return column;
}

}  // namespace

Result<std::optional<RowTable::State>> look_at_table(store::Db& db, const std::string& name) {
  LET(const auto declared, read_declared(db, name));
  if (!declared) return std::nullopt;
  LET(const bool is_made_by_us, is_ours(db, *declared));
  LET(const auto known, known_columns(db, declared->name));
  RowTable::State state{.rowid = RowidFrom::database, .key = declared->key};
  const bool is_placeholder = is_made_by_us && known.empty() && declared->columns.size() == 1 &&
                              declared->columns.front().name == kEmptyColumn;
  if (is_placeholder) return state;
  for (const DeclaredColumn& column : declared->columns) {
    state.columns.push_back(column_of(column, known, is_made_by_us));
  }
  return state;
}

}  // namespace tidemill::import
