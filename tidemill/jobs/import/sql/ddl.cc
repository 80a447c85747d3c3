#include "tidemill/jobs/import/sql/ddl.h"

namespace tidemill::import {

std::string quoted_name(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    out += c;
    if (c == '"') out += c;
  }
  return out += '"';
}

std::unexpected<Failure> no_rowid_name(const std::string& table) {
  return fail(Cure::give_up, "table",
              table + " has columns named rowid, oid and _rowid_: its rows cannot be removed");
}

std::string column_definition(const Column& column) {
  std::string out = quoted_name(column.name);
  if (column.type() == ColumnType::none) return out;
  return out.append(" ").append(name_of(column.type()));
}

std::string update_to_text(std::string_view table, std::span<const std::string> columns) {
  std::string changes;
  std::string types;
  for (const std::string& column : columns) {
    const std::string name = quoted_name(column);
    changes.append(changes.empty() ? "" : ", ").append(name);
    changes.append(" = tidemill_text(").append(name).append(")");
    types.append(types.empty() ? "" : ", ").append("typeof(").append(name).append(")");
  }
  return "UPDATE " + quoted_name(table) + " SET " + changes + " WHERE 'integer' IN (" + types +
         ") OR 'real' IN (" + types + ")";
}

std::string insert_into(std::string_view table, std::span<const std::string> names,
                        std::size_t rows) {
  std::string out = "INSERT OR ABORT INTO " + quoted_name(table);
  if (names.empty()) return out + " DEFAULT VALUES";
  std::string row;
  for (const std::string& name : names) {
    out.append(row.empty() ? " (" : ", ").append(name);
    row += row.empty() ? "(?" : ",?";
  }
  row += ")";
  out.append(") VALUES ").append(row);
  for (std::size_t i = 1; i < rows; ++i) out.append(",").append(row);
  return out;
}

std::string upsert_into(std::string_view table, std::span<const std::string> names,
                        const std::string& key) {
  std::string changes;
  for (const std::string& name : names) {
    if (name == key) continue;
    changes.append(changes.empty() ? "UPDATE SET " : ", ").append(name);
    changes.append(" = excluded.").append(name);
  }
  return insert_into(table, names, 1) + " ON CONFLICT (" + key + ") DO " +
         (changes.empty() ? "NOTHING" : changes);
}

std::string create_table(std::string_view name, const RowTable::State& state) {
  std::string out = "CREATE TABLE " + quoted_name(name) + " (";
  for (std::size_t i = 0; i < state.columns.size(); ++i) {
    if (i != 0) out += ", ";
    const bool is_rowid = state.rowid == RowidFrom::key && state.key == i;
    out += is_rowid ? quoted_name(state.columns[i].name) + " INTEGER PRIMARY KEY"
                    : column_definition(state.columns[i]);
  }
  if (state.columns.empty()) out += quoted_name(kEmptyColumn);
  return out += ")";
}

}  // namespace tidemill::import
