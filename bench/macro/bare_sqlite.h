// SQLite by its own functions, for programs that are measured beside ours. What goes wrong ends the
// program: the figures would be worthless.
#pragma once

#include <sqlite3.h>

#include <cerrno>  // program_invocation_short_name
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "tidemill/formats/sqlite_pages/cells.h"

namespace tidemill::bench {

[[noreturn]] inline void leave(std::string_view why) {
  std::fprintf(stderr, "%s: %.*s\n", program_invocation_short_name, static_cast<int>(why.size()),
               why.data());
  std::exit(1);
}

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Db = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Close>;

inline void exec(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    leave(sqlite3_errmsg(db));
  }
}

inline Statement prepare(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    leave(sqlite3_errmsg(db));
  }
  return Statement(statement);
}

inline int bind(sqlite3_stmt* insert, int at, const sqlite_pages::CellValue& value) {
  const auto size = value.bytes.size();
  switch (value.type) {
    case sqlite_pages::CellType::integer:
      return sqlite3_bind_int64(insert, at, value.integer);
    case sqlite_pages::CellType::real:
      return sqlite3_bind_double(insert, at, value.real);
    case sqlite_pages::CellType::text:
      return sqlite3_bind_text64(insert, at, value.bytes.data(), size, SQLITE_STATIC, SQLITE_UTF8);
    case sqlite_pages::CellType::blob:
      return sqlite3_bind_blob64(insert, at, value.bytes.data(), size, SQLITE_STATIC);
    default:
      return sqlite3_bind_null(insert, at);
  }
}

}  // namespace tidemill::bench
