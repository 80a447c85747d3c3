#include "tidemill/jobs/books/workbench.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/jobs/books/in_a_folder.h"

namespace tidemill::books {
namespace {

class WorkbenchTest : public InAFolder {};

TEST_F(WorkbenchTest, OneAtATimeIsAtWorkOnABook) {
  write("a.epub", "old");
  const Descriptor one(::open(at("a.epub").c_str(), O_RDONLY));
  Descriptor other(::open(at("a.epub").c_str(), O_RDONLY));
  ASSERT_TRUE(lock_book(other.number()));
  const auto locked = lock_book(one.number());
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().cure, Cure::retry);
  other.close();
  EXPECT_TRUE(lock_book(one.number()));
}

}  // namespace
}  // namespace tidemill::books
