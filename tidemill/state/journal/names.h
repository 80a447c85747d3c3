// JournalNames: numbers for strings that many tasks share (folders, types), one table each.
//
// The empty string is number 0 and has no row. The numbers met last are remembered, a bounded lot.
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

  // What was remembered may not be in the table any more.
  void forget();

 private:
  static constexpr std::size_t kMost = 8'192;

  store::Statement select_;
  store::Statement insert_;
  std::unordered_map<std::string, std::int64_t> known_;
  std::string last_;  // tasks of a folder come one after the other
  std::int64_t last_id_ = 0;
};

}  // namespace tidemill::journal
