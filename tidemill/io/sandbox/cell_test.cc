#include "tidemill/io/sandbox/cell.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/base/descriptor.h"
#include "tidemill/io/sandbox/confine.h"
#include "tidemill/io/sandbox/wire.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::sandbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using Kind = Answer::Kind;

constexpr milliseconds kLong = minutes(2);  // never reached by a sound test

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string spin() {
  for (std::atomic<std::uint64_t> turns = 0;;) ++turns;
}

std::string eat(bool in_one_piece) {
  std::vector<std::unique_ptr<std::string>> eaten;
  for (;;) {
    eaten.push_back(std::make_unique<std::string>(in_one_piece ? 3U << 29U : 1U << 16U, 'x'));
  }
}

// Whatever descriptor the cell talks through, it gets these bytes.
void babble(std::string_view bytes) {
  for (int fd = 3; fd < 12; ++fd) (void)!::write(fd, bytes.data(), bytes.size());
}

std::string numbers_of_open_descriptors() {
  std::string open;
  for (int fd = 0; fd < 256; ++fd) {
    struct stat facts{};
    if (::fstat(fd, &facts) == 0) open += number(static_cast<std::uint64_t>(fd)) + " ";
  }
  return open;
}

std::string read_descriptor(int fd) {
  std::string text(100, '\0');
  const auto got = ::pread(fd, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

// What the cells of these tests do with a request.
std::string serve(std::string_view request, std::span<const int> descriptors) {
  if (request == "pid") return number(static_cast<std::uint64_t>(::getpid()));
  if (request == "crash") {
    (void)std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's would exit
    (void)::raise(SIGSEGV);
  }
  if (request == "abort") std::abort();
  if (request == "throw") throw 1;
  if (request == "leave") ::_exit(7);
  if (request == "spin") return spin();
  if (request == "eat") return eat(false);
  if (request == "eat at once") return eat(true);
  if (request == "throw bad_alloc") throw std::bad_alloc();
  if (request == "open") {
    const int fd = ::open("/etc/passwd", O_RDONLY);
    return fd < 0 ? number(static_cast<std::uint64_t>(errno)) : "opened";
  }
  if (request == "create") {
    const int fd = ::open("/tmp/tidemill-cell-escaped", O_CREAT | O_WRONLY, 0600);
    return fd < 0 ? number(static_cast<std::uint64_t>(errno)) : "created";
  }
  if (request == "socket")
    return number(static_cast<std::uint64_t>(::socket(AF_INET, SOCK_STREAM, 0)));
  if (request == "execute")
    return number(static_cast<std::uint64_t>(::execl("/bin/true", "true", nullptr)));
  if (request == "kill parent")
    return number(static_cast<std::uint64_t>(::kill(::getppid(), SIGTERM)));
  if (request == "map code") {
    return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
                   MAP_FAILED
               ? "no"
               : "yes";
  }
  if (request == "secret") return std::getenv("TIDEMILL_TEST_SECRET") == nullptr ? "no" : "yes";
  if (request == "giant") return std::string(3U << 20U, 'g');
  if (request == "open descriptors") return numbers_of_open_descriptors();
  if (request == "babble before") babble("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX");
  if (request == "lie about the length") {
    babble(std::string_view(reinterpret_cast<const char*>(
                                std::array{AnswerHead{.sequence = 1, .length = ~0ULL}}.data()),
                            sizeof(AnswerHead)));
  }
  if (request == "read") return read_descriptor(descriptors[0]);
  if (request == "write") {
    return ::pwrite(descriptors[1], "out", 3, 0) == 3 ? number(descriptors.size()) : "no";
  }
  return "you said " + std::string(request);
}

std::unique_ptr<Nursery> nursery_with(CellLimits limits) {
  auto nursery = Nursery::start(serve, limits);
  EXPECT_TRUE(nursery) << text_of(nursery.error());
  return *std::move(nursery);
}

Kind kind_of(std::string_view request, CellLimits limits = {}) {
  const auto nursery = nursery_with(limits);
  Cell cell(*nursery);
  const Answer answer = cell.ask(request, {}, kLong);
  EXPECT_EQ(cell.pid().has_value(), answer.is_answered());
  EXPECT_EQ(cell.ask("still there?", {}, kLong).text, "you said still there?");
  return answer.kind;
}

Descriptor file_with(std::string_view text) {
  Descriptor file(::memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.number(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return file;
}

bool has_ended(const Descriptor& pidfd) {
  pollfd watched{.fd = pidfd.number(), .events = POLLIN, .revents = 0};
  return ::poll(&watched, 1, 0) == 1;
}

Descriptor pidfd_of(pid_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

TEST(Cell, AnswersAThousandRequestsInOneChild) {
  const auto nursery = nursery_with({.requests = 1'000});
  Cell cell(*nursery);
  for (std::uint64_t n = 0; n < 1'000; ++n) {
    const Answer answer = cell.ask(number(n), {}, kLong);
    ASSERT_EQ(answer.kind, Kind::answered);
    ASSERT_EQ(answer.text, "you said " + number(n));
  }
  EXPECT_EQ(cell.started(), 1U);
  EXPECT_TRUE(cell.ask("one more", {}, kLong).is_answered());
  EXPECT_EQ(cell.started(), 2U) << "the limit on requests has no effect";
}

TEST(Cell, TakesARequestThatIsLargerThanTheSocketHolds) {
  const auto nursery = nursery_with({});
  Cell cell(*nursery);
  const std::string request(5U << 20U, 'r');
  EXPECT_TRUE(cell.ask(request, {}, kLong).text == "you said " + request);  // too long to print
  EXPECT_EQ(cell.ask("", {}, kLong).text, "you said ");
}

TEST(Cell, ACrashIsAnAnswerAndTheNextRequestGetsANewChild) {
  const auto nursery = nursery_with({});
  Cell cell(*nursery);
  const std::string before = cell.ask("pid", {}, kLong).text;
  const Answer crash = cell.ask("crash", {}, kLong);
  EXPECT_EQ(crash.kind, Kind::crashed);
  EXPECT_EQ(crash.signal, SIGSEGV);
  EXPECT_NE(cell.ask("pid", {}, kLong).text, before);
  EXPECT_EQ(cell.ask("abort", {}, kLong).signal, SIGABRT);
  EXPECT_EQ(cell.ask("throw", {}, kLong).signal, SIGABRT);
  const Answer exit = cell.ask("leave", {}, kLong);
  EXPECT_EQ(exit.kind, Kind::crashed);
  EXPECT_EQ(exit.exit_status, 7);
}

TEST(Cell, AnEndlessLoopEndsWithThePatience) {
  const auto nursery = nursery_with({});
  Cell cell(*nursery);
  ASSERT_TRUE(cell.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*cell.pid());
  const Answer answer = cell.ask("spin", {}, milliseconds(20));
  EXPECT_EQ(answer.kind, Kind::timed_out);
  EXPECT_TRUE(has_ended(child)) << "the child lives on";
  EXPECT_EQ(cell.ask("hello", {}, kLong).text, "you said hello");
}

TEST(Cell, AnEndlessLoopEndsWithTheLimitOnCpuTime) {
  const auto nursery = nursery_with({.cpu = milliseconds(50)});
  Cell cell(*nursery);
  const Answer answer = cell.ask("spin", {}, kLong);
  EXPECT_EQ(answer.kind, Kind::timed_out);
  EXPECT_GE(answer.cpu, milliseconds(45));
  EXPECT_LT(answer.cpu, std::chrono::seconds(20));
}

TEST(Cell, TheMemoryEaterIsOutOfMemory) {
  EXPECT_EQ(kind_of("throw bad_alloc"), Kind::out_of_memory);
  if (kIsSanitized) GTEST_SKIP() << "no limit on memory under a sanitizer";
  EXPECT_EQ(kind_of("eat"), Kind::out_of_memory);
  const auto nursery = nursery_with({});
  EXPECT_GT(Cell(*nursery).ask("eat", {}, kLong).cpu, milliseconds(1));
  EXPECT_EQ(kind_of("eat at once"), Kind::out_of_memory);
}

TEST(Cell, FilesCannotBeOpenedOrMade) {
  const auto nursery = nursery_with({});
  Cell cell(*nursery);
  EXPECT_EQ(cell.ask("open", {}, kLong).text, number(EACCES));
  EXPECT_EQ(cell.ask("create", {}, kLong).text, number(EACCES));
  EXPECT_NE(::access("/tmp/tidemill-cell-escaped", F_OK), 0);
}

TEST(Cell, OtherSystemCallsAreRefused) {
  EXPECT_EQ(kind_of("socket"), Kind::refused);
  EXPECT_EQ(kind_of("execute"), Kind::refused);
  if (kIsSanitized) GTEST_SKIP() << "the list of calls is short under a sanitizer";
  EXPECT_EQ(kind_of("map code"), Kind::refused);
  EXPECT_EQ(kind_of("kill parent"), Kind::refused);
}

TEST(Cell, AnAnswerBeyondTheLimitIsTooMuch) {
  EXPECT_EQ(kind_of("giant", {.answer = mib(2)}), Kind::too_much);
  EXPECT_EQ(kind_of("giant", {.answer = mib(3)}), Kind::answered);
  EXPECT_EQ(kind_of("lie about the length"), Kind::too_much);
}

TEST(Cell, GarbageIsNoAnswer) { EXPECT_EQ(kind_of("babble before"), Kind::garbled); }

TEST(Cell, WhatIsSaidUnaskedDoesNotBecomeTheNextAnswer) {
  const auto nursery = Nursery::start([](std::string_view request, std::span<const int>) {
    if (request == "pid") return number(static_cast<std::uint64_t>(::getpid()));
    // An answer to this request, and at once one to the next.
    std::string bytes;
    for (const std::uint32_t sequence : {1U, 2U}) {
      const AnswerHead head{.sequence = sequence, .length = 4};
      bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
      bytes += "evil";
    }
    babble(bytes);
    ::_exit(0);
  });
  ASSERT_TRUE(nursery);
  Cell cell(**nursery);
  EXPECT_EQ(cell.ask("two at once", {}, kLong).text, "evil");
  EXPECT_NE(cell.ask("pid", {}, kLong).text, "evil");
}

TEST(Cell, DescriptorsGoOverAndNoOthersAreOpen) {
  const Descriptor secret = file_with("not for the cell");
  const auto nursery = nursery_with({});
  const Descriptor in = file_with("from the test");
  const Descriptor out = file_with("");
  Cell cell(*nursery);
  EXPECT_EQ(cell.ask("read", std::array{in.number()}, kLong).text, "from the test");
  EXPECT_EQ(cell.ask("write", std::array{in.number(), out.number()}, kLong).text, "2");
  EXPECT_EQ(read_descriptor(out.number()), "out");
  const std::string open = cell.ask("open descriptors", {}, kLong).text;
  EXPECT_EQ(std::count(open.begin(), open.end(), ' '), 4) << open << ": 0, 1, 2 and the socket";
  const std::vector<int> many(Cell::kMaxDescriptors, in.number());
  EXPECT_TRUE(cell.ask("many", many, kLong).is_answered());
  const std::vector<int> too_many(Cell::kMaxDescriptors + 1, in.number());
  EXPECT_EQ(cell.ask("many", too_many, kLong).kind, Kind::unavailable);
}

TEST(Cell, AStopEndsTheChildAtWork) {
  const auto nursery = nursery_with({});
  Cell cell(*nursery);
  ASSERT_TRUE(cell.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*cell.pid());
  std::stop_source source;
  Answer answer;
  {
    const std::jthread worker([&] { answer = cell.ask("spin", {}, kLong, source.get_token()); });
    source.request_stop();
  }
  EXPECT_EQ(answer.kind, Kind::stopped);
  EXPECT_TRUE(has_ended(child));
  EXPECT_EQ(cell.ask("hello", {}, kLong, source.get_token()).kind, Kind::stopped);
  EXPECT_TRUE(cell.ask("hello", {}, kLong).is_answered());
}

TEST(Cell, AChildThatEndedBetweenTwoRequestsIsReplaced) {
  const auto nursery = nursery_with({});
  Cell cell(*nursery);
  ASSERT_TRUE(cell.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*cell.pid());
  ASSERT_EQ(::kill(*cell.pid(), SIGKILL), 0);
  ASSERT_TRUE(testing::eventually([&] { return has_ended(child); }));
  EXPECT_EQ(cell.ask("hello", {}, kLong).kind, Kind::answered);
  EXPECT_EQ(cell.started(), 2U);
}

TEST(Cell, ARetiredChildIsGoneAndReplaced) {
  const auto nursery = nursery_with({});
  Cell cell(*nursery);
  EXPECT_TRUE(cell.retire());
  ASSERT_TRUE(cell.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*cell.pid());
  EXPECT_TRUE(cell.retire());
  EXPECT_TRUE(has_ended(child));
  EXPECT_FALSE(cell.pid());
  EXPECT_TRUE(cell.ask("hello", {}, kLong).is_answered());
  EXPECT_EQ(cell.started(), 2U);
}

TEST(Cell, TheEnvironmentIsEmptyAndItsBytesAreGone) {
  ASSERT_EQ(::setenv("TIDEMILL_TEST_SECRET", "sesame", 1), 0);
  const auto nursery = nursery_with({});
  Cell cell(*nursery);
  EXPECT_EQ(cell.ask("secret", {}, kLong).text, "no");
  EXPECT_STREQ(std::getenv("TIDEMILL_TEST_SECRET"), "sesame");  // ours is as it was
  std::ifstream shown("/proc/" + std::to_string(*cell.pid()) + "/environ", std::ios::binary);
  ASSERT_TRUE(shown);
  const std::string bytes{std::istreambuf_iterator<char>(shown), {}};
  EXPECT_EQ(bytes.find_first_not_of('\0'), std::string::npos) << bytes;
  ::unsetenv("TIDEMILL_TEST_SECRET");
}

TEST(Nursery, ServesManyThreads) {
  const auto nursery = nursery_with({.requests = 3});
  std::vector<std::jthread> workers;
  for (int worker = 0; worker < 4; ++worker) {
    workers.emplace_back([&] {
      Cell cell(*nursery);
      for (std::uint64_t n = 0; n < 20; ++n) {
        const bool is_crash = n % 5 == 4;
        const Answer answer = cell.ask(is_crash ? "leave" : number(n), {}, kLong);
        EXPECT_EQ(answer.kind, is_crash ? Kind::crashed : Kind::answered);
      }
    });
  }
}

TEST(Nursery, ItsEndIsTheEndOfAllCells) {
  auto nursery = nursery_with({});
  Cell cell(*nursery);
  ASSERT_TRUE(cell.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*cell.pid());
  nursery.reset();
  EXPECT_TRUE(has_ended(child));
}

TEST(Nursery, SaysWhichWallsStand) {
  const Confinement walls = nursery_with({})->confinement();
  EXPECT_EQ(walls.has_call_list, !kIsSanitized);
  EXPECT_EQ(walls.has_memory_limit, !kIsSanitized);
}

// The program as a process of its own: it starts a cell, tells its number and waits for its end.
[[noreturn]] void be_the_program(int tell) {
  const auto nursery = Nursery::start(serve);
  Cell cell(**nursery);
  (void)cell.ask("hello", {}, kLong);
  const std::array<pid_t, 2> numbers = {*cell.pid(), ::getpid()};
  (void)!::write(tell, numbers.data(), sizeof numbers);
  (void)cell.ask("spin", {}, kLong);
  ::_exit(1);
}

TEST(Nursery, AKilledProgramLeavesNoChild) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const pid_t program = ::fork();
  if (program == 0) be_the_program(pipe[1]);
  std::array<pid_t, 2> numbers{};
  ASSERT_EQ(::read(pipe[0], numbers.data(), sizeof numbers), static_cast<ssize_t>(sizeof numbers));
  const Descriptor child = pidfd_of(numbers[0]);
  ASSERT_FALSE(has_ended(child));
  ASSERT_EQ(::kill(program, SIGKILL), 0);
  ASSERT_EQ(::waitpid(program, nullptr, 0), program);
  EXPECT_TRUE(testing::eventually([&] { return has_ended(child); }));
  ::close(pipe[0]);
  ::close(pipe[1]);
}

}  // namespace
}  // namespace tidemill::sandbox
