// FewDescriptors: lowers this process's limit on open descriptors while it exists.
#pragma once

#include <sys/resource.h>

#include <gtest/gtest.h>

namespace tidemill::testing {

// One thread, but the limit applies to the process: all threads have it.
class FewDescriptors {
 public:
  // Descriptors with this number or above cannot be opened.
  explicit FewDescriptors(rlim_t first_refused) {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit few{.rlim_cur = first_refused, .rlim_max = before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

}  // namespace tidemill::testing
