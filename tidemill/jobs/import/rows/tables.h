// Tables: every table of an import. They are made in an order that does not depend on the threads:
// those of the files before the import begins, child tables at their turn.
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

// Thread-safe. A Table lives as long as this.
class Tables {
 public:
  // Nobody gets these names.
  explicit Tables(const std::vector<std::string>& taken = {});

  // Nobody gets this name either.
  void reserve(std::string_view name);
  // A table of this name, or of a similar one if that is taken.
  Table& add(std::string_view name);
  // One that is in the database already, by exactly this name.
  Table& add_existing(const std::string& name, Table::State known, Table* parent = nullptr,
                      const std::string& field = {});

  // The table for the list `field` in rows of `parent`, made at the first call. Nothing: there are
  // kMostChildren, and hostile records could go on for ever.
  static constexpr std::size_t kMostChildren = 1'000;
  Table* child(Table& parent, const std::string& field, std::string_view column);

  // In the order in which they were made.
  [[nodiscard]] std::vector<Table*> all() const;
  [[nodiscard]] std::vector<Table*> family(const Table& root) const;  // it and all below it

 private:
  struct State {
    NameSet names{};
    std::deque<Table> tables{};
  };

  mutable Guarded<State> state_;
};

}  // namespace tidemill::import
