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

Table& Tables::add(std::string_view name) {
  const auto state = state_.lock();
  return state->tables.emplace_back(state->names.take(name), state->tables.size(), nullptr);
}

Table& Tables::add_existing(const std::string& name, Table::State known, Table* parent,
                            const std::string& field) {
  const auto state = state_.lock();
  if (!state->names.has(name)) (void)state->names.take(name);
  Table& table = state->tables.emplace_back(name, state->tables.size(), parent, field);
  table.change([&](Table::State& its) { its = std::move(known); });
  return table;
}

Table* Tables::child(Table& parent, const std::string& field, std::string_view column) {
  const auto state = state_.lock();
  std::size_t children = 0;
  for (Table& known : state->tables) {
    if (known.parent() == &parent && known.field() == field) return &known;
    children += known.parent() != nullptr ? 1 : 0;
  }
  if (children >= kMostChildren) return nullptr;
  std::string name = state->names.take(parent.name() + "_" + column_name_of(column));
  return &state->tables.emplace_back(std::move(name), state->tables.size(), &parent, field);
}

std::vector<Table*> Tables::all() const {
  const auto state = state_.lock();
  std::vector<Table*> all;
  for (Table& table : state->tables) all.push_back(&table);
  return all;
}

std::vector<Table*> Tables::family(const Table& root) const {
  std::vector<Table*> family;
  for (Table* table : all()) {
    const Table* above = table;
    while (above != nullptr && above != &root) above = above->parent();
    if (above != nullptr) family.push_back(table);
  }
  return family;
}

}  // namespace tidemill::import
