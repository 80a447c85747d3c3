// Test helpers that open, fill and check a journal in a file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/state/journal/sqlite_journal.h"
#include "tidemill/testing/journal_model.h"

namespace tidemill::testing {

using JournalPtr = std::unique_ptr<journal::SqliteJournal>;

inline JournalPtr open(const std::string& path, journal::Access access = journal::Access::create,
                       journal::Synchronous synchronous = journal::Synchronous::full) {
  auto journal =
      journal::SqliteJournal::open({.path = path, .access = access, .synchronous = synchronous});
  EXPECT_TRUE(journal) << text_of(journal.error());
  return journal ? *std::move(journal) : nullptr;
}

inline std::vector<std::string> findings(const journal::SqliteJournal& journal) {
  return journal.check().value().findings;
}

// Entries that produce every kind of row.
inline std::vector<engine::Entry> varied_entries() {
  std::vector<engine::Entry> entries;
  for (engine::TaskId id = 1; id <= 40; ++id) {
    const auto n = static_cast<int>(id);
    entries.emplace_back(
        engine::Found{.id = id,
                      .type = n % 3 == 0 ? "copy" : "hash",
                      .subject = "/tree/" + std::to_string(n / 10) + "/f" + std::to_string(n),
                      .weight = id * 1'000});
    if (n % 4 == 0) entries.push_back(make_entry(1, id, 1));
    if (n % 5 == 0) entries.push_back(make_entry(2, id, n % 3));
    if (n % 8 == 1) entries.push_back(make_entry(5, id, 1));
    if (n % 8 == 2) entries.push_back(make_entry(6, id, 1));
    if (n % 8 == 4) entries.push_back(make_entry(7, id, n % 2));
    if (n % 16 == 4) entries.push_back(make_entry(9, id, 1));
  }
  return entries;
}

}  // namespace tidemill::testing
