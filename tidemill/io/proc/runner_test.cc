#include "tidemill/io/proc/runner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tidemill/io/proc/program.h"
#include "tidemill/testing/eventually.h"
#include "tidemill/testing/few_descriptors.h"
#include "tidemill/testing/own_folder.h"

namespace tidemill::proc {
namespace {

using testing::eventually;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A zombie that its new parent has not reaped yet does not count as alive.
bool is_alive(pid_t pid) {
  const std::string status = contents_of("/proc/" + std::to_string(pid) + "/stat");
  const auto name_end = status.rfind(')');
  return name_end != std::string::npos && status[name_end + 2] != 'Z' &&
         status[name_end + 2] != 'X';
}

Launch shell(std::string script, std::vector<std::string> more = {}) {
  Launch launch{.path = "/bin/sh", .arguments = {"sh", "-c", std::move(script), "sh"}};
  launch.arguments.insert(launch.arguments.end(), more.begin(), more.end());
  return launch;
}

// Every test also checks that no descriptor, zombie or child is left.
class RunnerTest : public ::testing::Test {
 protected:
  void SetUp() override { descriptors_ = open_descriptors(); }
  void TearDown() override {
    runner_.reset();
    EXPECT_EQ(open_descriptors(), descriptors_);
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

  Runner& runner(RunnerOptions options = {}) {
    if (options.spill_folder.empty()) options.spill_folder = spills().string();
    runner_ = Runner::make(std::move(options)).value();
    return *runner_;
  }
  Finished run(const Launch& launch) {
    if (!runner_) runner();
    auto finished = runner_->run(launch, "task");
    EXPECT_TRUE(finished) << text_of(finished.error());
    return finished ? *std::move(finished) : Finished{};
  }
  // Runs it and rings the bell as soon as the child has created the file `ready`.
  Finished run_and_ring(const std::string& script, StopUrge urge) {
    if (!runner_) runner();
    const fs::path ready = folder_ / "ready";
    const std::jthread ringer([&, urge] {
      EXPECT_TRUE(eventually([&] { return fs::exists(ready); }));
      runner_->bell().ring(urge);
    });
    return run(shell(script, {ready.string()}));
  }
  pid_t pid_in(std::string_view file) { return std::stoi(contents_of(folder_ / file)); }
  [[nodiscard]] fs::path spills() const { return folder_ / "spills"; }
  [[nodiscard]] std::string in_folder(std::string_view name) const {
    return (folder_ / name).string();
  }

  testing::OwnFolder own_;
  const fs::path folder_ = own_.path();
  std::size_t descriptors_ = 0;
  std::unique_ptr<Runner> runner_;
};

TEST_F(RunnerTest, ReportsTheExitStatus) {
  EXPECT_EQ(run(shell("exit 0")).exit.status, 0);
  EXPECT_TRUE(run(shell("exit 0")).exit.is_success());
  EXPECT_EQ(run(shell("exit 255")).exit.status, 255);
  EXPECT_FALSE(run(shell("exit 7")).exit.is_success());
}

TEST_F(RunnerTest, ReportsTheSignalThatEndedTheChild) {
  const Exit exit = run(shell("kill -SEGV $$")).exit;
  EXPECT_EQ(exit.signal, SIGSEGV);
  EXPECT_FALSE(exit.was_urged);
  EXPECT_FALSE(exit.is_success());
}

TEST_F(RunnerTest, ReportsTheResourceUsageOfTheChild) {
  const Exit exit = run(shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")).exit;
  EXPECT_GT(exit.user + exit.system, 0us);
  EXPECT_GE(exit.wall, 1us);
  EXPECT_GT(exit.max_rss, kib(100));
}

TEST_F(RunnerTest, KeepsTheStreamsApart) {
  const Finished finished = run(shell("echo out; echo err >&2; echo more"));
  EXPECT_EQ(finished.out.head, "out\nmore\n");
  EXPECT_EQ(finished.err.head, "err\n");
  EXPECT_EQ(finished.out.total, 9U);
  EXPECT_EQ(finished.out.spill, "");
  EXPECT_FALSE(fs::exists(spills()));
  EXPECT_EQ(run(shell("echo next")).out.head, "next\n");  // nothing of the previous child
}

TEST_F(RunnerTest, AChildMayReopenItsStreams) {
  const Finished finished = run(shell("echo a; echo b >/dev/stdout; echo c | tee /dev/stderr"));
  EXPECT_EQ(finished.out.head, "a\nb\nc\n");
  EXPECT_EQ(finished.err.head, "c\n");
}

TEST_F(RunnerTest, KeepsBinaryOutput) {
  const Finished finished = run(shell(R"(printf 'a\000\377\n\000')"));
  EXPECT_EQ(finished.out.head, std::string("a\0\xff\n\0", 5));
}

TEST_F(RunnerTest, StandardInputIsEmpty) {
  EXPECT_EQ(run(shell("wc -c | tr -d ' '")).out.head, "0\n");
}

TEST_F(RunnerTest, StandardInputCanBeGiven) {
  std::ofstream(folder_ / "in") << "from a file";
  const Descriptor file(::open(in_folder("in").c_str(), O_RDONLY | O_CLOEXEC));
  runner({.stdin_fd = file.number()});
  EXPECT_EQ(run(shell("cat")).out.head, "from a file");
}

TEST_F(RunnerTest, ChildInheritsOurStreamsWithoutCapture) {
  runner({.is_capturing = false});
  const Finished finished = run(shell("readlink /proc/$$/fd/1 >\"$1\"; exit 3", {in_folder("to")}));
  EXPECT_EQ(finished.exit.status, 3);
  EXPECT_EQ(finished.out.total, 0U);
  runner({.is_capturing = false});
  const auto ours = fs::read_symlink("/proc/self/fd/2").string() + "\n";
  static_cast<void>(run(shell("readlink /proc/$$/fd/2 >\"$1\"", {in_folder("to")})));
  EXPECT_EQ(contents_of(in_folder("to")), ours);
}

std::string counted_to(int last) {
  std::string text;
  for (int i = 1; i <= last; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST_F(RunnerTest, SpillsAllBytesInOrderBeyondTheCap) {
  runner({.cap = kib(4)});
  const auto finished = run(shell("seq 1 1400000 & seq 1 1400001 >&2; wait"));
  const std::string out = counted_to(1'400'000);
  const std::string err = counted_to(1'400'001);
  EXPECT_GT(out.size(), 10'000'000U);
  EXPECT_EQ(finished.out.total, out.size());
  EXPECT_EQ(finished.err.total, err.size());
  EXPECT_EQ(finished.out.head, out.substr(0, 4096));
  EXPECT_EQ(finished.err.head, err.substr(0, 4096));
  EXPECT_EQ(finished.out.spill, (spills() / "task.out").string());
  EXPECT_TRUE(contents_of(finished.out.spill) == out);  // not EQ: it would print 10 MB
  EXPECT_TRUE(contents_of(finished.err.spill) == err);
}

TEST_F(RunnerTest, SpillsOnlyWhenOutputExceedsTheCap) {
  runner({.cap = {10}});
  EXPECT_EQ(run(shell("printf 0123456789")).out.spill, "");
  const Finished finished = run(shell("printf 01234; printf 56789a"));
  EXPECT_EQ(finished.out.head, "0123456789");
  EXPECT_EQ(contents_of(finished.out.spill), "0123456789a");
}

TEST_F(RunnerTest, SpillOverwritesAnOlderOne) {
  runner({.cap = {1}});
  EXPECT_EQ(contents_of(run(shell("echo a long text")).out.spill), "a long text\n");
  EXPECT_EQ(contents_of(run(shell("echo short")).out.spill), "short\n");
}

TEST_F(RunnerTest, FullDiskKillsTheChildAndTheFailureNamesTheFile) {
  runner({.cap = kib(4)});
  fs::create_directory(spills());
  fs::create_symlink("/dev/full", spills() / "task.err");
  const auto finished =
      runner_->run(shell("echo $$ >\"$1\"; seq 1 10000; yes >&2", {in_folder("pid")}), "task");
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().cure, Cure::retry);
  EXPECT_EQ(finished.error().step, "output");
  EXPECT_NE(finished.error().reason.find((spills() / "task.err").string()), std::string::npos);
  EXPECT_NE(finished.error().reason.find("No space left"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(spills()));  // of both streams
  EXPECT_FALSE(is_alive(pid_in("pid")));
  EXPECT_EQ(run(shell("echo again")).out.head, "again\n");
}

TEST_F(RunnerTest, FailsWhenTheSpillFolderCannotBeCreated) {
  std::ofstream(folder_ / "file") << "in the way";
  runner({.cap = {1}, .spill_folder = in_folder("file")});
  const auto finished = runner_->run(shell("echo text"), "task");
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().cure, Cure::retry);
  EXPECT_EQ(finished.error().step, "output");
}

TEST_F(RunnerTest, WaitsForAChildThatClosesItsStreamsAndKeepsRunning) {
  const Finished finished =
      run(shell("exec >&- 2>&-; read line <\"$1\"; exit 5", {in_folder("nothing")}));
  EXPECT_NE(finished.exit.status, 0);
  ASSERT_EQ(::mkfifo(in_folder("fifo").c_str(), 0600), 0);
  const std::jthread writer([&] { std::ofstream(folder_ / "fifo") << "line\n"; });
  EXPECT_EQ(run(shell("exec >&- 2>&-; read line <\"$1\"; exit 5", {in_folder("fifo")})).exit.status,
            5);
}

TEST_F(RunnerTest, DoesNotWaitForABackgroundGrandchildThatHoldsThePipe) {
  const Finished finished = run(shell("sleep 1000 & echo $!"));
  const pid_t grandchild = std::stoi(finished.out.head);
  EXPECT_TRUE(is_alive(grandchild));  // nor was it ended: there was no stop request
  ::kill(grandchild, SIGKILL);
}

TEST_F(RunnerTest, DoesNotWaitForAGrandchildThatWritesForever) {
  runner({.cap = kib(1)});
  const Finished finished = run(shell("yes & echo $! >\"$1\"; exit 4", {in_folder("pid")}));
  EXPECT_EQ(finished.exit.status, 4);
  EXPECT_TRUE(eventually([&] { return !is_alive(pid_in("pid")); }));  // of SIGPIPE
}

TEST_F(RunnerTest, EndRequestTerminatesTheChildWithSigterm) {
  const Exit exit = run_and_ring("touch \"$1\"; exec sleep 1000", StopUrge::end).exit;
  EXPECT_EQ(exit.signal, SIGTERM);
  EXPECT_TRUE(exit.was_urged);
  EXPECT_EQ(runner_->bell().urge(), StopUrge::end);  // until its owner resets it
}

TEST_F(RunnerTest, ZeroStatusAfterAnEndRequestIsNotSuccess) {
  const Exit exit =
      run_and_ring("trap 'exit 0' TERM; touch \"$1\"; sleep 1000 & wait", StopUrge::end).exit;
  EXPECT_EQ(exit.status, 0);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_TRUE(exit.was_urged);
  EXPECT_FALSE(exit.is_success());
}

TEST_F(RunnerTest, KillsAChildThatIgnoresSigtermAfterTheGracePeriod) {
  runner({.grace = 50ms});
  const Exit exit = run_and_ring("trap '' TERM; touch \"$1\"; exec sleep 1000", StopUrge::end).exit;
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_TRUE(exit.was_urged);
  EXPECT_GE(exit.wall, 50ms);
}

TEST_F(RunnerTest, KillRequestSkipsTheGracePeriod) {
  runner({.grace = 10min});
  const Exit exit =
      run_and_ring("trap '' TERM; touch \"$1\"; exec sleep 1000", StopUrge::kill).exit;
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_TRUE(exit.was_urged);
}

TEST_F(RunnerTest, KillRequestCutsTheGracePeriodShort) {
  runner({.grace = 10min});
  const std::jthread killer([&] {
    EXPECT_TRUE(eventually([&] { return fs::exists(folder_ / "term"); }));
    runner_->bell().ring(StopUrge::kill);
  });
  const std::string script =
      "trap 'touch \"'\"$2\"'\"' TERM; touch \"$1\"; while :; do sleep 1000 & wait; done";
  const std::jthread ringer([&] {
    EXPECT_TRUE(eventually([&] { return fs::exists(folder_ / "ready"); }));
    runner_->bell().ring(StopUrge::end);
  });
  const Exit exit = run(shell(script, {in_folder("ready"), in_folder("term")})).exit;
  EXPECT_EQ(exit.signal, SIGKILL);
}

TEST_F(RunnerTest, EndRequestReachesAChildThatWritesConstantly) {
  runner({.cap = kib(1), .grace = 10ms});
  const Exit exit = run_and_ring("trap '' TERM; touch \"$1\"; exec yes", StopUrge::end).exit;
  EXPECT_EQ(exit.signal, SIGKILL);
}

TEST_F(RunnerTest, StartsNoChildAfterAnEndOrKillRequestUntilReset) {
  runner().bell().ring(StopUrge::end);
  const auto touch = shell("touch \"$1\"", {in_folder("made")});
  EXPECT_TRUE(run(touch).exit.was_urged);
  EXPECT_EQ(run(touch).exit.signal, SIGTERM);
  EXPECT_FALSE(fs::exists(in_folder("made")));
  runner_->bell().ring(StopUrge::kill);
  runner_->bell().ring(StopUrge::end);  // does not lower the request
  EXPECT_EQ(run(touch).exit.signal, SIGKILL);
  runner_->bell().reset();
  EXPECT_TRUE(run(touch).exit.is_success());
  EXPECT_TRUE(fs::exists(in_folder("made")));
}

TEST_F(RunnerTest, EndRequestKillsGrandchildrenInTheGroup) {
  static_cast<void>(
      run_and_ring("trap 'exit 1' TERM; (trap '' TERM; exec sleep 1000) & echo $! >\"$1.new\"; "
                   "mv \"$1.new\" \"$1\"; wait",
                   StopUrge::end));
  EXPECT_TRUE(eventually([&] { return !is_alive(pid_in("ready")); }));
}

TEST_F(RunnerTest, AScriptWithoutAnInterpreterLineIsRunByTheShell) {
  std::ofstream(folder_ / "script") << "echo \"$0|$1|$#\"\n";
  fs::permissions(folder_ / "script", fs::perms::owner_all);
  const Launch launch{.path = in_folder("script"), .arguments = {"script", "a b"}};
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(launch).out.head, in_folder("script") + "|a b|1\n");
  EXPECT_EQ(run(shell("echo other")).out.head, "other\n");
}

TEST_F(RunnerTest, FailsInTheStartStepWhenAProgramCannotBeStarted) {
  std::ofstream(folder_ / "plain") << "text";
  std::ofstream(folder_ / "lost") << "#!/no/such/interpreter\n";
  fs::permissions(folder_ / "lost", fs::perms::owner_all);
  const auto failure = [&](const Launch& launch) {
    const auto finished = runner().run(launch, "task");
    EXPECT_FALSE(finished);
    return finished ? Failure{} : finished.error();
  };
  for (const auto* name : {"missing", "plain", "lost"}) {
    const Failure why = failure({.path = in_folder(name), .arguments = {name}});
    EXPECT_EQ(why.cure, Cure::give_up);
    EXPECT_EQ(why.step, "start");
    EXPECT_EQ(why.kind, FailureKind::other);
    EXPECT_NE(why.reason.find(in_folder(name)), std::string::npos);
  }
  EXPECT_NE(failure(shell(std::string(8U << 20U, 'x'))).hint.find("shorten"), std::string::npos);
  EXPECT_NE(failure(shell(std::string("a\0b", 3))).reason.find("NUL"), std::string::npos);
}

TEST_F(RunnerTest, LackOfDescriptorsAtAnyPointIsRetryable) {
  runner();
  const Descriptor first(::dup(0));  // all lower numbers are in use
  int failures = 0;
  for (rlim_t spare = 0; spare <= 6; ++spare) {
    const auto finished = [&] {
      const testing::FewDescriptors few(static_cast<rlim_t>(first.number()) + 1 + spare);
      return runner_->run(shell("true"), "task");
    }();
    EXPECT_EQ(open_descriptors(), descriptors_ + 3);  // first, bell, /dev/null
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    if (finished) continue;
    ++failures;
    EXPECT_EQ(finished.error().cure, Cure::retry) << text_of(finished.error());
    EXPECT_EQ(finished.error().step, "start");
    EXPECT_EQ(finished.error().kind, FailureKind::shortage);
  }
  EXPECT_GE(failures, 5);  // two pipes, and the pidfd of the running child
}

TEST_F(RunnerTest, AdditionsReplaceEntriesOfTheEnvironment) {
  Launch launch = shell("env | grep -c ^PATH=; echo \"$PATH\"; env | grep ^TIDEMILL_T");
  launch.additions = {"PATH=" + std::string(std::getenv("PATH")) + ":/extra", "TIDEMILL_T=1"};
  const std::string path = launch.additions[0].substr(5);
  EXPECT_EQ(run(launch).out.head, "1\n" + path + "\nTIDEMILL_T=1\n");
  launch.additions = {"TIDEMILL_T=2"};
  const std::string ours = std::getenv("PATH");
  EXPECT_EQ(run(launch).out.head, "1\n" + ours + "\nTIDEMILL_T=2\n");
}

TEST_F(RunnerTest, PassesArgumentsUnchanged) {
  const std::vector<std::string> hostile{"", "a\nb", "\xff\xfe", "-n", "*", "'\"$(x)", ""};
  std::string expected;
  for (const auto& text : hostile) expected += "[" + text + "]";
  EXPECT_EQ(run(shell(R"(printf '[%s]' "$@")", hostile)).out.head, expected);
}

TEST_F(RunnerTest, FailsWhenTheExitStatusIsLost) {
  runner();
  auto* before = std::signal(SIGCHLD, SIG_IGN);
  const bool is_made = Runner::make({}).has_value();
  // More than a pipe holds: the child cannot end before run() watches it.
  const auto finished = runner_->run(shell("seq 1 20000; exit 1"), "task");
  static_cast<void>(std::signal(SIGCHLD, before));
  EXPECT_FALSE(is_made);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().step, "wait");
}

TEST_F(RunnerTest, StartsTheChildWithDefaultSignalsInItsOwnGroup) {
  auto* before = std::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigset_t old;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &old), 0);
  const Finished finished =
      run(shell("grep -E '^Sig(Blk|Ign)' /proc/$$/status | cut -f2; "
                "cut -d' ' -f5 /proc/$$/stat; echo $$"));
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  static_cast<void>(std::signal(SIGPIPE, before));
  const std::string& text = finished.out.head;
  EXPECT_EQ(text.substr(0, 17), "0000000000000000\n");
  EXPECT_EQ(std::stoull(text.substr(17, 16), nullptr, 16) & (1U << (SIGPIPE - 1U)), 0U);
  const std::string rest = text.substr(34);
  EXPECT_EQ(rest.substr(0, rest.size() / 2), rest.substr(rest.size() / 2));
}

TEST_F(RunnerTest, TheChildInheritsNoneOfOurDescriptors) {
  // Not a shell, which opens descriptors itself. Descriptors that this program inherited do not
  // count.
  Launch launch{.path = resolve_program("readlink").value(), .arguments = {"readlink"}};
  for (int i = 3; i < 40; ++i) {
    if (::fcntl(i, F_GETFD) < 0) launch.arguments.push_back("/proc/self/fd/" + std::to_string(i));
  }
  const auto other = Runner::make({}).value();
  EXPECT_EQ(run(launch).out.head, "");
}

TEST_F(RunnerTest, ManyThreadsRunChildrenConcurrently) {
  constexpr int kThreads = 4;
  constexpr int kChildren = 200;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      const auto own = Runner::make({.spill_folder = spills().string()}).value();
      const std::jthread ringer([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          if (t == 0) own->bell().ring(StopUrge::end);
          std::this_thread::yield();
        }
      });
      for (int i = 0; i < kChildren; ++i) {
        const std::string text = std::to_string(t) + "." + std::to_string(i);
        own->bell().reset();
        const auto finished =
            own->run({.path = "/bin/echo", .arguments = {"echo", text}}, "task" + text);
        ASSERT_TRUE(finished) << text_of(finished.error());
        EXPECT_EQ(finished->out.head, finished->exit.was_urged ? finished->out.head : text + "\n");
        EXPECT_TRUE(finished->exit.is_success() || finished->exit.was_urged);
      }
    });
  }
}

}  // namespace
}  // namespace tidemill::proc
