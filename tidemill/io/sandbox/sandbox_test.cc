#include "tidemill/io/sandbox/sandbox.h"

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
#include "tidemill/io/sandbox/messages.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::sandbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using Kind = SandboxAnswer::Kind;

constexpr milliseconds kLong = minutes(2);  // never reached when the test passes

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

// Writes these bytes to whichever descriptor the sandbox sends its answers through.
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

// How the sandboxes of these tests handle a request.
std::string serve(std::string_view request, std::span<const int> descriptors) {
  if (request == "pid") return number(static_cast<std::uint64_t>(::getpid()));
  if (request == "crash") {
    (void)std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would exit
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
    const int fd = ::open("/tmp/tidemill-sandbox-escaped", O_CREAT | O_WRONLY, 0600);
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

std::unique_ptr<ForkServer> fork_server_with(SandboxLimits limits) {
  auto fork_server = ForkServer::start(serve, limits);
  EXPECT_TRUE(fork_server) << text_of(fork_server.error());
  return *std::move(fork_server);
}

Kind kind_of(std::string_view request, SandboxLimits limits = {}) {
  const auto fork_server = fork_server_with(limits);
  Sandbox sandbox(*fork_server);
  const SandboxAnswer answer = sandbox.ask(request, {}, kLong);
  EXPECT_EQ(sandbox.pid().has_value(), answer.is_answered());
  EXPECT_EQ(sandbox.ask("still there?", {}, kLong).text, "you said still there?");
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

TEST(Sandbox, AnswersAThousandRequestsInOneChild) {
  const auto fork_server = fork_server_with({.requests = 1'000});
  Sandbox sandbox(*fork_server);
  for (std::uint64_t n = 0; n < 1'000; ++n) {
    const SandboxAnswer answer = sandbox.ask(number(n), {}, kLong);
    ASSERT_EQ(answer.kind, Kind::answered);
    ASSERT_EQ(answer.text, "you said " + number(n));
  }
  EXPECT_EQ(sandbox.started(), 1U);
  EXPECT_TRUE(sandbox.ask("one more", {}, kLong).is_answered());
  EXPECT_EQ(sandbox.started(), 2U) << "the limit on requests has no effect";
}

TEST(Sandbox, AcceptsARequestLargerThanTheSocketBuffer) {
  const auto fork_server = fork_server_with({});
  Sandbox sandbox(*fork_server);
  const std::string request(5U << 20U, 'r');
  EXPECT_TRUE(sandbox.ask(request, {}, kLong).text == "you said " + request);  // too long to print
  EXPECT_EQ(sandbox.ask("", {}, kLong).text, "you said ");
}

TEST(Sandbox, ReportsACrashAndServesTheNextRequestInANewChild) {
  const auto fork_server = fork_server_with({});
  Sandbox sandbox(*fork_server);
  const std::string before = sandbox.ask("pid", {}, kLong).text;
  const SandboxAnswer crash = sandbox.ask("crash", {}, kLong);
  EXPECT_EQ(crash.kind, Kind::crashed);
  EXPECT_EQ(crash.signal, SIGSEGV);
  EXPECT_NE(sandbox.ask("pid", {}, kLong).text, before);
  EXPECT_EQ(sandbox.ask("abort", {}, kLong).signal, SIGABRT);
  EXPECT_EQ(sandbox.ask("throw", {}, kLong).signal, SIGABRT);
  const SandboxAnswer exit = sandbox.ask("leave", {}, kLong);
  EXPECT_EQ(exit.kind, Kind::crashed);
  EXPECT_EQ(exit.exit_status, 7);
}

TEST(Sandbox, KillsAnEndlessLoopAtTheTimeout) {
  const auto fork_server = fork_server_with({});
  Sandbox sandbox(*fork_server);
  ASSERT_TRUE(sandbox.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*sandbox.pid());
  const SandboxAnswer answer = sandbox.ask("spin", {}, milliseconds(20));
  EXPECT_EQ(answer.kind, Kind::timed_out);
  EXPECT_TRUE(has_ended(child)) << "the child lives on";
  EXPECT_EQ(sandbox.ask("hello", {}, kLong).text, "you said hello");
}

TEST(Sandbox, KillsAnEndlessLoopAtTheCpuTimeLimit) {
  const auto fork_server = fork_server_with({.cpu = milliseconds(50)});
  Sandbox sandbox(*fork_server);
  const SandboxAnswer answer = sandbox.ask("spin", {}, kLong);
  EXPECT_EQ(answer.kind, Kind::timed_out);
  EXPECT_GE(answer.cpu, milliseconds(45));
  EXPECT_LT(answer.cpu, std::chrono::seconds(20));
}

TEST(Sandbox, ReportsAChildThatRunsOutOfMemory) {
  EXPECT_EQ(kind_of("throw bad_alloc"), Kind::out_of_memory);
  if (kIsSanitized) GTEST_SKIP() << "no limit on memory under a sanitizer";
  EXPECT_EQ(kind_of("eat"), Kind::out_of_memory);
  const auto fork_server = fork_server_with({});
  EXPECT_GT(Sandbox(*fork_server).ask("eat", {}, kLong).cpu, milliseconds(1));
  EXPECT_EQ(kind_of("eat at once"), Kind::out_of_memory);
}

TEST(Sandbox, CannotOpenOrCreateFiles) {
  const auto fork_server = fork_server_with({});
  Sandbox sandbox(*fork_server);
  EXPECT_EQ(sandbox.ask("open", {}, kLong).text, number(EACCES));
  EXPECT_EQ(sandbox.ask("create", {}, kLong).text, number(EACCES));
  EXPECT_NE(::access("/tmp/tidemill-sandbox-escaped", F_OK), 0);
}

TEST(Sandbox, OtherSystemCallsAreRefused) {
  EXPECT_EQ(kind_of("socket"), Kind::refused);
  EXPECT_EQ(kind_of("execute"), Kind::refused);
  if (kIsSanitized) GTEST_SKIP() << "the list of calls is short under a sanitizer";
  EXPECT_EQ(kind_of("map code"), Kind::refused);
  EXPECT_EQ(kind_of("kill parent"), Kind::refused);
}

TEST(Sandbox, RejectsAnAnswerAboveTheSizeLimit) {
  EXPECT_EQ(kind_of("giant", {.answer = mib(2)}), Kind::too_much);
  EXPECT_EQ(kind_of("giant", {.answer = mib(3)}), Kind::answered);
  EXPECT_EQ(kind_of("lie about the length"), Kind::too_much);
}

TEST(Sandbox, ReportsAGarbledAnswer) { EXPECT_EQ(kind_of("babble before"), Kind::garbled); }

TEST(Sandbox, DoesNotUseAnUnsolicitedAnswerForTheNextRequest) {
  const auto fork_server = ForkServer::start([](std::string_view request, std::span<const int>) {
    if (request == "pid") return number(static_cast<std::uint64_t>(::getpid()));
    // The answer to this request, followed at once by one to the next.
    std::string bytes;
    for (const std::uint32_t sequence : {1U, 2U}) {
      const AnswerHead head{.sequence = sequence, .length = 4};
      bytes.append(reinterpret_cast<const char*>(&head), sizeof head);
      bytes += "evil";
    }
    babble(bytes);
    ::_exit(0);
  });
  ASSERT_TRUE(fork_server);
  Sandbox sandbox(**fork_server);
  EXPECT_EQ(sandbox.ask("two at once", {}, kLong).text, "evil");
  EXPECT_NE(sandbox.ask("pid", {}, kLong).text, "evil");
}

TEST(Sandbox, PassesDescriptorsAndInheritsNoOthers) {
  const Descriptor secret = file_with("not for the cell");
  const auto fork_server = fork_server_with({});
  const Descriptor in = file_with("from the test");
  const Descriptor out = file_with("");
  Sandbox sandbox(*fork_server);
  EXPECT_EQ(sandbox.ask("read", std::array{in.number()}, kLong).text, "from the test");
  EXPECT_EQ(sandbox.ask("write", std::array{in.number(), out.number()}, kLong).text, "2");
  EXPECT_EQ(read_descriptor(out.number()), "out");
  const std::string open = sandbox.ask("open descriptors", {}, kLong).text;
  EXPECT_EQ(std::count(open.begin(), open.end(), ' '), 4) << open << ": 0, 1, 2 and the socket";
  const std::vector<int> many(Sandbox::kMaxDescriptors, in.number());
  EXPECT_TRUE(sandbox.ask("many", many, kLong).is_answered());
  const std::vector<int> too_many(Sandbox::kMaxDescriptors + 1, in.number());
  EXPECT_EQ(sandbox.ask("many", too_many, kLong).kind, Kind::unavailable);
}

TEST(Sandbox, StopEndsTheBusyChild) {
  const auto fork_server = fork_server_with({});
  Sandbox sandbox(*fork_server);
  ASSERT_TRUE(sandbox.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*sandbox.pid());
  std::stop_source source;
  SandboxAnswer answer;
  {
    const std::jthread worker([&] { answer = sandbox.ask("spin", {}, kLong, source.get_token()); });
    source.request_stop();
  }
  EXPECT_EQ(answer.kind, Kind::stopped);
  EXPECT_TRUE(has_ended(child));
  EXPECT_EQ(sandbox.ask("hello", {}, kLong, source.get_token()).kind, Kind::stopped);
  EXPECT_TRUE(sandbox.ask("hello", {}, kLong).is_answered());
}

TEST(Sandbox, AChildThatEndedBetweenTwoRequestsIsReplaced) {
  const auto fork_server = fork_server_with({});
  Sandbox sandbox(*fork_server);
  ASSERT_TRUE(sandbox.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*sandbox.pid());
  ASSERT_EQ(::kill(*sandbox.pid(), SIGKILL), 0);
  ASSERT_TRUE(testing::eventually([&] { return has_ended(child); }));
  EXPECT_EQ(sandbox.ask("hello", {}, kLong).kind, Kind::answered);
  EXPECT_EQ(sandbox.started(), 2U);
}

TEST(Sandbox, RetireEndsTheChildAndTheNextRequestStartsAnother) {
  const auto fork_server = fork_server_with({});
  Sandbox sandbox(*fork_server);
  EXPECT_TRUE(sandbox.retire());
  ASSERT_TRUE(sandbox.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*sandbox.pid());
  EXPECT_TRUE(sandbox.retire());
  EXPECT_TRUE(has_ended(child));
  EXPECT_FALSE(sandbox.pid());
  EXPECT_TRUE(sandbox.ask("hello", {}, kLong).is_answered());
  EXPECT_EQ(sandbox.started(), 2U);
}

TEST(Sandbox, ClearsTheEnvironmentAndErasesItsBytes) {
  ASSERT_EQ(::setenv("TIDEMILL_TEST_SECRET", "sesame", 1), 0);
  const auto fork_server = fork_server_with({});
  Sandbox sandbox(*fork_server);
  EXPECT_EQ(sandbox.ask("secret", {}, kLong).text, "no");
  EXPECT_STREQ(std::getenv("TIDEMILL_TEST_SECRET"), "sesame");  // unchanged in the program
  std::ifstream shown("/proc/" + std::to_string(*sandbox.pid()) + "/environ", std::ios::binary);
  ASSERT_TRUE(shown);
  const std::string bytes{std::istreambuf_iterator<char>(shown), {}};
  EXPECT_EQ(bytes.find_first_not_of('\0'), std::string::npos) << bytes;
  ::unsetenv("TIDEMILL_TEST_SECRET");
}

TEST(ForkServer, ServesManyThreads) {
  const auto fork_server = fork_server_with({.requests = 3});
  std::vector<std::jthread> workers;
  for (int worker = 0; worker < 4; ++worker) {
    workers.emplace_back([&] {
      Sandbox sandbox(*fork_server);
      for (std::uint64_t n = 0; n < 20; ++n) {
        const bool is_crash = n % 5 == 4;
        const SandboxAnswer answer = sandbox.ask(is_crash ? "leave" : number(n), {}, kLong);
        EXPECT_EQ(answer.kind, is_crash ? Kind::crashed : Kind::answered);
      }
    });
  }
}

TEST(ForkServer, EndsAllChildrenWhenDestroyed) {
  auto fork_server = fork_server_with({});
  Sandbox sandbox(*fork_server);
  ASSERT_TRUE(sandbox.ask("hello", {}, kLong).is_answered());
  const Descriptor child = pidfd_of(*sandbox.pid());
  fork_server.reset();
  EXPECT_TRUE(has_ended(child));
}

TEST(ForkServer, ReportsTheActiveConfinement) {
  const Confinement sandbox_rules = fork_server_with({})->confinement();
  EXPECT_EQ(sandbox_rules.has_call_list, !kIsSanitized);
  EXPECT_EQ(sandbox_rules.has_memory_limit, !kIsSanitized);
}

// The program as a separate process: it starts a sandbox, reports its pid and waits for its end.
[[noreturn]] void be_the_program(int tell) {
  const auto fork_server = ForkServer::start(serve);
  Sandbox sandbox(**fork_server);
  (void)sandbox.ask("hello", {}, kLong);
  const std::array<pid_t, 2> numbers = {*sandbox.pid(), ::getpid()};
  (void)!::write(tell, numbers.data(), sizeof numbers);
  (void)sandbox.ask("spin", {}, kLong);
  ::_exit(1);
}

TEST(ForkServer, AKilledProgramLeavesNoChild) {
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
