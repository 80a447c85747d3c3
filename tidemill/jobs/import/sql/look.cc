#include <map>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/jobs/import/sql/ddl.h"
#include "tidemill/jobs/import/sql/loader.h"
#include "tidemill/jobs/import/sql/schema.h"
#include "tidemill/jobs/import/sql/shape.h"
#include "tidemill/jobs/import/target/ledger.h"

namespace tidemill::import {
namespace {

Result<std::map<std::string, KnownColumn>> known_columns(store::Db& db, const std::string& table) {
  std::map<std::string, KnownColumn> known;
  Ledger ledger(db);
  LET(const bool has_ledger, ledger.is_there());
  if (!has_ledger) return known;
  LET(auto columns, ledger.columns(table));
  for (KnownColumn& column : columns) {
    std::string name = column.name;
    known.emplace(std::move(name), std::move(column));
  }
  return known;
}

// What a stranger's column makes of values. One of NUMERIC takes every kind, and whether a value
// stays what it is depends on the value: the loader looks at each.
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
    // A field may be called "" too, and its column is then called _empty.
    column.is_ours = column.field.empty() && !column.name.starts_with(kEmptyColumn);
  }
  const ColumnType type =
      is_ours ? type_named(declared.type).value_or(ColumnType::none) : type_for(declared.affinity);
  // Of ours, what was seen and what is declared differ only when the type was chosen by --types.
  if (!is_ours || type != type_of(column.seen)) column.forced = type;
  return column;
}

}  // namespace

Result<std::optional<Table::State>> look_at_table(store::Db& db, const std::string& name) {
  LET(const auto declared, read_declared(db, name));
  if (!declared) return std::nullopt;
  LET(const bool is_made_by_us, is_ours(db, *declared));
  LET(const auto known, known_columns(db, declared->name));
  Table::State state{.rowid = RowidFrom::database, .key = declared->key};
  const bool is_placeholder = is_made_by_us && known.empty() && declared->columns.size() == 1 &&
                              declared->columns.front().name == kEmptyColumn;
  if (is_placeholder) return state;
  for (const DeclaredColumn& column : declared->columns) {
    state.columns.push_back(column_of(column, known, is_made_by_us));
  }
  return state;
}

}  // namespace tidemill::import
