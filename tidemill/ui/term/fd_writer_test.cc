#include "tidemill/ui/term/fd_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "tidemill/testing/eventually.h"

namespace tidemill::term {
namespace {

using testing::eventually;

struct Pipe {
  int from = -1;
  int to = -1;

  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe(ends), 0);
    from = ends[0];
    to = ends[1];
    EXPECT_GT(::fcntl(to, F_SETPIPE_SZ, 4096), 0);
    ::signal(SIGPIPE, SIG_IGN);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (to >= 0) ::close(to);
    if (from >= 0) ::close(from);
  }

  std::string take(std::size_t size) const {
    std::string bytes(size, '\0');
    std::size_t taken = 0;
    while (taken < size) {
      const auto got = ::read(from, bytes.data() + taken, size - taken);
      if (got <= 0) break;
      taken += static_cast<std::size_t>(got);
    }
    bytes.resize(taken);
    return bytes;
  }
};

std::string many_bytes() {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>('a' + i % 23);
  return bytes;
}

TEST(FdWriter, WritesEverythingToAFullNonBlockingPipe) {
  Pipe pipe;
  ASSERT_EQ(::fcntl(pipe.to, F_SETFL, O_NONBLOCK), 0);
  const std::string bytes = many_bytes();
  Result<void> written;
  std::jthread writer([&] {
    written = write_all(pipe.to, bytes, "standard output");
    ::close(std::exchange(pipe.to, -1));  // ends the reader if the writer gave up early
  });
  EXPECT_EQ(pipe.take(bytes.size()), bytes);
  writer.join();
  EXPECT_TRUE(written);
}

TEST(FdWriter, ContinuesAfterASignal) {
  static std::atomic<int> signals;
  signals = 0;
  struct sigaction action{};
  action.sa_handler = [](int) { ++signals; };  // without SA_RESTART
  ASSERT_EQ(::sigaction(SIGUSR2, &action, nullptr), 0);
  Pipe pipe;
  const std::string bytes = many_bytes();
  Result<void> written;
  std::atomic<bool> is_over = false;
  std::jthread writer([&] {
    written = write_all(pipe.to, bytes, "standard output");
    is_over = true;
    ::close(std::exchange(pipe.to, -1));
  });
  const auto handle = writer.native_handle();
  std::string taken = pipe.take(4096);
  for (int i = 1; i <= 20; ++i) {  // the writer is blocked by the full pipe each time
    ASSERT_EQ(::pthread_kill(handle, SIGUSR2), 0);
    ASSERT_TRUE(eventually([&] { return signals >= i; }));
    taken += pipe.take(1024);
  }
  EXPECT_FALSE(is_over);
  taken += pipe.take(bytes.size() - taken.size());
  writer.join();
  EXPECT_TRUE(written);
  EXPECT_EQ(taken, bytes);
}

TEST(FdWriter, ReportsAClosedReader) {
  Pipe pipe;
  ::close(std::exchange(pipe.from, -1));
  const auto written = write_all(pipe.to, "x", "standard output");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error(), (Failure{.cure = Cure::give_up,
                                      .kind = FailureKind::closed,
                                      .step = "output",
                                      .reason = "standard output is closed"}));
}

TEST(FdWriter, ReportsAFullDevice) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  const auto written = write_all(full, "x", "standard output");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().cure, Cure::give_up);
  EXPECT_EQ(written.error().reason, "standard output is full: no space left");
  ::close(full);
}

TEST(FdWriter, ReportsOtherSystemErrors) {
  const auto written = write_all(-1, "x", "standard error");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().reason, "standard error: cannot write: Bad file descriptor");
  EXPECT_TRUE(write_all(-1, "", "standard error"));  // nothing to write, nothing to fail
}

TEST(FdWriter, KnowsWhetherAWriteWouldBlock) {
  const Pipe pipe;
  EXPECT_TRUE(is_ready(pipe.to));
  ASSERT_TRUE(write_all(pipe.to, std::string(4096, 'x'), "standard error"));
  EXPECT_FALSE(is_ready(pipe.to));
}

}  // namespace
}  // namespace tidemill::term
