// Tables: all tables of an import. They are created in an order that does not depend on the
// threads: those of files before the import begins, child tables in turn (turn.h).
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemill/base/guarded.h"
#include "tidemill/jobs/import/rows/names.h"
#include "tidemill/jobs/import/rows/table.h"

namespace tidemill::import {

// Thread-safe. A RowTable lives as long as this.
class Tables {
 public:
  // The names in `taken` are not used for tables.
  explicit Tables(const std::vector<std::string>& taken = {});

  // This name is not used either.
  void reserve(std::string_view name);
  // A table with this name, or with a similar one if it is used.
  RowTable& add(std::string_view name);
  // A table that exists in the database, with exactly this name.
  RowTable& add_existing(const std::string& name, RowTable::State known, RowTable* parent = nullptr,
                         const std::string& field = {});

  // The table for the list `field` in rows of `parent`, created by the first call. Null: there are
  // already kMostChildren; without the limit, hostile records could create any number.
  static constexpr std::size_t kMostChildren = 1'000;
  RowTable* child(RowTable& parent, const std::string& field, std::string_view column);

  // In the order of their creation.
  [[nodiscard]] std::vector<RowTable*> all() const;
  [[nodiscard]] std::vector<RowTable*> family(const RowTable& root) const;  // root and all below it

 private:
  struct State {
    NameSet names{};
    std::deque<RowTable> tables{};
  };

  mutable Guarded<State> state_;
};

}  // namespace tidemill::import
