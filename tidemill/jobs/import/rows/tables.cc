#include "tidemill/jobs/import/rows/tables.h"

#include <algorithm>
#include <utility>

namespace tidemill::import {

Tables::Tables(const std::vector<std::string>& taken) {
  const auto state = state_.lock();
  for (const std::string& name : taken) (void)state->names.take(name);
}

void Tables::reserve(std::string_view name) {
  const auto state = state_.lock();
  if (!state->names.has(name)) (void)state->names.take(name);
}

RowTable& Tables::add(std::string_view name) {
  const auto state = state_.lock();
  return state->tables.emplace_back(state->names.take(name), state->tables.size(), nullptr);
}

RowTable& Tables::add_existing(const std::string& name, RowTable::State known, RowTable* parent,
                               const std::string& field) {
  const auto state = state_.lock();
  if (!state->names.has(name)) (void)state->names.take(name);
  RowTable& table = state->tables.emplace_back(name, state->tables.size(), parent, field);
  table.change([&](RowTable::State& its) { its = std::move(known); });
  return table;
}

RowTable* Tables::child(RowTable& parent, const std::string& field, std::string_view column) {
  const auto state = state_.lock();
  std::size_t children = 0;
  for (RowTable& known : state->tables) {
    if (known.parent() == &parent && known.field() == field) return &known;
    children += known.parent() != nullptr ? 1 : 0;
  }
  if (children >= kMostChildren) return nullptr;
  std::string name = state->names.take(parent.name() + "_" + column_name_of(column));
  return &state->tables.emplace_back(std::move(name), state->tables.size(), &parent, field);
}

std::vector<RowTable*> Tables::all() const {
  const auto state = state_.lock();
  std::vector<RowTable*> all;
  for (RowTable& table : state->tables) all.push_back(&table);
  return all;
}

std::vector<RowTable*> Tables::family(const RowTable& root) const {
  std::vector<RowTable*> family;
  for (RowTable* table : all()) {
    const RowTable* above = table;
    while (above != nullptr && above != &root) above = above->parent();
    if (above != nullptr) family.push_back(table);
  }
  return family;
}

}  // namespace tidemill::import
