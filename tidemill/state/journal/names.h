// JournalNames: interns strings that many tasks share (folders, types) as numbers, one table each.
//
// The empty string is number 0 and has no row. Recently used numbers are cached; the cache is
// bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tidemill/base/result.h"
#include "tidemill/io/store/db.h"

namespace tidemill::journal {

// One thread, that of its Db.
class JournalNames {
 public:
  JournalNames(store::Statement select, store::Statement insert)
      : select_(std::move(select)), insert_(std::move(insert)) {}

  [[nodiscard]] Result<std::int64_t> id_of(store::Db& db, std::string_view name);

  // Clears the cache: after a rollback its numbers may no longer be in the table.
  void forget();

 private:
  static constexpr std::size_t kMost = 8'192;

  store::Statement select_;
  store::Statement insert_;
  std::unordered_map<std::string, std::int64_t> known_;
  std::string last_;  // tasks of one folder usually arrive in sequence
  std::int64_t last_id_ = 0;
};

}  // namespace tidemill::journal
