// JournalContract: tests that every Journal must pass. They are in journal_contract.cc; the test of
// an implementation instantiates them:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, JournalContract, ::testing::Values(JournalMaker{
//       .name = "memory", .make = [] { return std::make_unique<MemoryJournal>(); }}));
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "tidemill/engine/journal.h"

namespace tidemill::testing {

struct JournalMaker {
  std::string name;
  std::function<std::unique_ptr<engine::Journal>()> make;  // a new, empty one at every call
  engine::TaskId raced_letters = 200;  // one commit each: use more where commits are cheap
};
// Not inline: every instantiation calls it, so the tests are linked even from an archive.
void PrintTo(const JournalMaker& maker, std::ostream* out);

// One thread, except in tests that start more.
class JournalContract : public ::testing::TestWithParam<JournalMaker> {
 protected:
  void SetUp() override { journal_ = GetParam().make(); }

  [[nodiscard]] Result<void> commit(std::initializer_list<engine::Entry> batch) {
    return journal_->commit(std::span(batch.begin(), batch.size()));
  }
  void find(std::initializer_list<engine::TaskId> ids) {
    for (const engine::TaskId id : ids) ASSERT_TRUE(commit({engine::Found{.id = id}}));
  }
  [[nodiscard]] engine::TaskRecord record(engine::TaskId id) {
    return journal_->task(id).value().value_or(engine::TaskRecord{});
  }

  std::unique_ptr<engine::Journal> journal_;
};

}  // namespace tidemill::testing
