#include "tidemill/engine/memory_journal.h"

#include <memory>

#include <gtest/gtest.h>

#include "tidemill/testing/journal_contract.h"

namespace tidemill::testing {
namespace {

INSTANTIATE_TEST_SUITE_P(Memory, JournalContract,
                         ::testing::Values(JournalMaker{
                             "memory", [] { return std::make_unique<engine::MemoryJournal>(); }}));

}  // namespace
}  // namespace tidemill::testing
