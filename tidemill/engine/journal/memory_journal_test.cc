#include "tidemill/engine/memory_journal.h"

#include <memory>

#include <gtest/gtest.h>

#include "tidemill/testing/journal_contract.h"

namespace tidemill::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(Memory, JournalContract,
                         ::testing::Values(JournalMaker{
                             .name = "memory",
                             .make = [] { return std::make_unique<engine::MemoryJournal>(); },
                             .raced_letters = 5'000}));

}  // namespace
}  // namespace tidemill::testing
