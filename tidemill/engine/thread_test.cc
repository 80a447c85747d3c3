#include "tidemill/base/thread.h"

#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

namespace tidemill {
namespace {

TEST(Contained, ReportsOutOfMemoryAsTransientWithoutAllocating) {
  const auto done = contained([]() -> Result<void> { throw std::bad_alloc(); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), out_of_memory());
  EXPECT_LT(done.error().reason.size(), 16U);  // a short text lives in the string itself
}

TEST(Contained, AnyOtherExceptionIsAPermanentFailure) {
  const auto done = contained([] { throw std::runtime_error("odd"); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().cure, Cure::give_up);
  EXPECT_EQ(done.error().reason, "odd");
}

TEST(StartThread, ReportsAnExceptionOfTheThreadToItsOwner) {
  std::optional<Failure> reported;
  auto thread = start_thread(
      "a test", [] { throw std::bad_alloc(); },
      [&](Failure failure) { reported = std::move(failure); });
  ASSERT_TRUE(thread);
  thread->join();
  EXPECT_EQ(reported, out_of_memory());
}

TEST(StartThread, TheBodyMayTakeAStopToken) {
  auto thread = start_thread(
      "a test",
      [](const std::stop_token& stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
      },
      [](const Failure&) {});
  ASSERT_TRUE(thread);
  EXPECT_TRUE(thread->request_stop());
  thread->join();
}

}  // namespace
}  // namespace tidemill
