#include "tidemill/app/doctor/judge.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "tidemill/app/doctor/gather.h"
#include "tidemill/app/doctor/text.h"
#include "tidemill/formats/text/columns.h"

namespace tidemill::app {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kExt4 = 0xEF53;
constexpr std::int64_t kTmpfs = 0x01021994;

StateFacts good_state() {
  return {.path = "/home/me/state",
          .at = "/home/me/state/runs",
          .is_there = true,
          .mode = 0700,
          .type = kExt4,
          .syncs = {2ms, 3ms, 1ms},
          .space = Space{.free = mib(50'000), .size = mib(90'000), .free_files = 9, .files = 0}};
}

TEST(Doctor, NothingIsSaidAgainstAGoodStateFolder) {
  const StateFacts state = good_state();
  for (const auto& finding :
       {judge_state(state), judge_file_system(state), judge_syncs(state), judge_space(state)}) {
    EXPECT_EQ(finding.verdict, Verdict::ok) << finding.check << ": " << finding.found;
    EXPECT_EQ(finding.advice, "");
  }
  EXPECT_EQ(judge_syncs(state).found, "median 2.0 ms, maximum 3.0 ms of 3 writes");
}

TEST(Doctor, AStateFolderThatCannotBeWrittenIsAnErrorThatSaysWhy) {
  StateFacts state = good_state();
  state.trial = {.failed = Trial::Step::make, .error = EACCES};
  EXPECT_EQ(judge_state(state).verdict, Verdict::error);
  EXPECT_TRUE(judge_state(state).found.ends_with(
      "cannot create a file in /home/me/state/runs: Permission denied"));
  EXPECT_TRUE(judge_state(state).advice.contains("TIDEMILL_STATE"));
  state.trial = {.failed = Trial::Step::write, .error = ENOSPC};
  EXPECT_EQ(judge_state(state).advice, "free some space there");
}

TEST(Doctor, ModesOfTheStateFolder) {
  StateFacts state = good_state();
  const auto verdict = [&](std::uint32_t mode) {
    state.mode = mode;
    return judge_state(state).verdict;
  };
  EXPECT_EQ(verdict(0755), Verdict::note);
  EXPECT_EQ(verdict(0700), Verdict::ok);
  state.refusal = Failure{.step = "usage", .reason = "it is another's", .hint = "chown"};
  EXPECT_EQ(verdict(0700), Verdict::error);
  EXPECT_EQ(judge_state(state).advice, "chown");
  state.is_there = false;
  EXPECT_EQ(verdict(0), Verdict::ok);
}

TEST(Doctor, EveryKindOfFileSystemHasItsVerdict) {
  const std::vector<std::pair<std::int64_t, Verdict>> expected = {
      {kExt4, Verdict::ok},       {0x58465342, Verdict::ok},    {0x9123683E, Verdict::ok},
      {0x2FC12FC1, Verdict::ok},  {kTmpfs, Verdict::warning},   {0x794C7630, Verdict::note},
      {0x6969, Verdict::error},   {0xFF534D42, Verdict::error}, {0x65735546, Verdict::warning},
      {0x4D44, Verdict::warning}, {0x12345, Verdict::note}};
  for (const auto& [type, verdict] : expected) {
    const Finding finding = judge_file_system({.type = type});
    EXPECT_EQ(finding.verdict, verdict) << finding.found;
    EXPECT_EQ(finding.advice.empty(), verdict == Verdict::ok) << finding.found;
  }
  EXPECT_TRUE(judge_file_system({.type = 0x12345}).found.starts_with("0x12345"));
}

TEST(Doctor, SlowSyncsAndThoseThatAreTooFastToBeTrue) {
  StateFacts state = good_state();
  const auto verdict = [&](std::vector<std::chrono::nanoseconds> syncs) {
    state.syncs = std::move(syncs);
    return judge_syncs(state).verdict;
  };
  EXPECT_EQ(verdict({9ms, 1ms, 999ms}), Verdict::ok);
  EXPECT_EQ(verdict({1ms, 1ms, 1s}), Verdict::warning);
  EXPECT_EQ(verdict({10ms}), Verdict::note);
  EXPECT_EQ(verdict({50ms}), Verdict::warning);
  EXPECT_EQ(verdict({9us}), Verdict::note);
  EXPECT_EQ(verdict({}), Verdict::note);
  state.type = kTmpfs;
  EXPECT_EQ(verdict({9us}), Verdict::ok);
}

TEST(Doctor, SpaceIsBytesAndFiles) {
  const auto verdict = [](Space space) {
    StateFacts state = good_state();
    state.space = space;
    return judge_space(state).verdict;
  };
  EXPECT_EQ(verdict({.free = mib(1024)}), Verdict::ok);
  EXPECT_EQ(verdict({.free = mib(1023)}), Verdict::warning);
  EXPECT_EQ(verdict({.free = mib(63)}), Verdict::error);
  EXPECT_EQ(verdict({.free = mib(9'999), .free_files = 999, .files = 9'999}), Verdict::warning);
  EXPECT_EQ(verdict({.free = mib(9'999), .free_files = 63, .files = 9'999}), Verdict::error);
}

TEST(Doctor, OpenFilesAreJudgedByHowManyCommandsTheyAreEnoughFor) {
  EXPECT_EQ(judge_open_files({.cpus = 4}).verdict, Verdict::ok);
  EXPECT_EQ(judge_open_files({.cpus = 4, .files = 1'024}).verdict, Verdict::ok);
  EXPECT_EQ(judge_open_files({.cpus = 200, .files = 1'024}).verdict, Verdict::warning);
  const Finding few = judge_open_files({.cpus = 2, .files = 64, .files_most = 512});
  EXPECT_EQ(few.verdict, Verdict::warning);
  EXPECT_TRUE(few.found.contains("enough for 6 commands")) << few.found;
  EXPECT_EQ(few.advice, "run ulimit -n 512");
  EXPECT_EQ(judge_open_files({.files = 20}).verdict, Verdict::error);
}

TEST(Doctor, TheTightestLimitOnProcessesCounts) {
  const Finding roomy = judge_processes({.cpus = 2,
                                         .processes = 1'000,
                                         .processes_used = 100,
                                         .group_processes = 512,
                                         .group_processes_used = 12,
                                         .system_processes = 32'768});
  EXPECT_EQ(roomy.verdict, Verdict::ok);
  EXPECT_EQ(roomy.found, "room for 500 more; the limit of the control group (pids.max) is 512");
  EXPECT_EQ(judge_processes({.cpus = 2, .processes = 120, .processes_used = 100}).verdict,
            Verdict::warning);
  EXPECT_EQ(judge_processes({.processes = 100, .processes_used = 110}).verdict, Verdict::error);
  EXPECT_EQ(judge_processes({}).verdict, Verdict::ok);
}

TEST(Doctor, MemoryAndTheSizeOfFiles) {
  const MemoryFacts large{.all = mib(16'000), .available = mib(9'000)};
  EXPECT_EQ(judge_memory(large, 4).verdict, Verdict::ok);
  EXPECT_EQ(judge_memory(large, 64).verdict, Verdict::note);
  MemoryFacts caged = large;
  caged.group = mib(200);
  caged.group_used = mib(100);
  EXPECT_EQ(judge_memory(caged, 1).verdict, Verdict::warning);
  MemoryFacts narrow = large;
  narrow.address_space = mib(500);
  EXPECT_EQ(judge_memory(narrow, 1).advice, "run ulimit -v unlimited");
  EXPECT_EQ(judge_file_size({}).verdict, Verdict::ok);
  EXPECT_EQ(judge_file_size({.file_size = mib(64)}).verdict, Verdict::warning);
  EXPECT_EQ(judge_file_size({.file_size = mib(63)}).verdict, Verdict::error);
}

TEST(Doctor, CellsWithoutAWall) {
  const sandbox::Confinement whole{
      .has_landlock = true, .has_call_list = true, .has_memory_limit = true};
  sandbox::Confinement old_kernel = whole;
  old_kernel.has_landlock = false;
  EXPECT_EQ(judge_cells(whole).verdict, Verdict::ok);
  EXPECT_EQ(judge_cells(old_kernel).verdict, Verdict::note);
  EXPECT_EQ(judge_cells(fail(Cure::give_up, "confine", "seccomp_load")).verdict, Verdict::error);
}

TEST(Doctor, TheTerminalAndTheLocale) {
  ScreenFacts screen{.is_out_tty = true, .is_err_tty = true, .term = "xterm", .locale = "C.utf8"};
  EXPECT_EQ(judge_terminal(screen).found, "xterm, 80x24, no colours");
  EXPECT_EQ(judge_locale(screen).verdict, Verdict::ok);
  screen.locale = "de_DE.UTF-8@euro";
  EXPECT_EQ(judge_locale(screen).verdict, Verdict::ok);
  screen.locale = "POSIX";
  EXPECT_EQ(judge_locale(screen).verdict, Verdict::note);
  screen.term = "dumb";
  EXPECT_EQ(judge_terminal(screen).verdict, Verdict::note);
  screen.is_out_tty = screen.is_err_tty = false;
  EXPECT_EQ(judge_terminal(screen).verdict, Verdict::ok);
  EXPECT_EQ(judge_locale(screen).verdict, Verdict::ok);
}

TEST(Doctor, RunsThatDidNotComeToTheirEnd) {
  const Finding left = judge_runs({.all = 9, .seen = 9, .unfinished = {"a", "b", "c", "d"}});
  EXPECT_EQ(left.verdict, Verdict::note);
  EXPECT_EQ(left.found, "9 stored; 4 unfinished: a, b, c, …");
  const Finding broken = judge_runs({.all = 9, .seen = 3, .unreadable = {"a\x1b"}});
  EXPECT_EQ(broken.verdict, Verdict::warning);
  EXPECT_EQ(broken.found, "9 stored, newest 3 checked; 1 unreadable: a\\x1b");
}

TEST(Doctor, ARedisIsJudgedByReachVersionDelayAndWorries) {
  const auto verdict = [](const char* version, std::chrono::nanoseconds latency) {
    return judge_redis({.server = "redis://x", .version = version, .latency = latency})[0].verdict;
  };
  EXPECT_EQ(verdict("7.0.15", 1ms), Verdict::ok);
  EXPECT_EQ(verdict("10.0", 1ms), Verdict::ok);
  EXPECT_EQ(verdict("6.2.7", 1ms), Verdict::note);
  EXPECT_EQ(verdict("6.0.16", 1ms), Verdict::error);
  EXPECT_EQ(verdict("", 1ms), Verdict::note);
  EXPECT_EQ(verdict("7.0.15", 50ms), Verdict::warning);
  const auto worried =
      judge_redis({.version = "7.2", .worries = {"maxmemory-policy is x", "appendonly is no"}});
  ASSERT_EQ(worried.size(), 3U);
  EXPECT_TRUE(worried[1].advice.contains("noeviction"));
  EXPECT_TRUE(worried[2].advice.contains("appendonly yes"));
  const auto gone = judge_redis({.server = "redis://x", .problem = Failure{.reason = "refused"}});
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].verdict, Verdict::error);
  EXPECT_FALSE(gone[0].advice.empty());
}

TEST(Doctor, TheTableWrapsAtWordsAndNeverBeyondTheWidth) {
  const std::vector<Finding> findings = {
      {.check = "filesystem",
       .verdict = Verdict::warning,
       .found = "one two three four five six seven " + std::string(90, 'x') + " tüv größe",
       .advice = "first this then that and afterwards all the rest"},
      {.check = "fsync", .found = "good"}};
  const std::string text = text_of(findings, 50, false);
  EXPECT_TRUE(
      text.starts_with("CHECK       STATUS   FOUND\n"
                       "filesystem  warning  one two three four five six\n"
                       "                     seven\n"))
      << text;
  EXPECT_TRUE(
      text.contains("                     → first this then that and\n"
                    "                       afterwards all the rest\n"
                    "fsync       ok       good\n"))
      << text;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    EXPECT_LE(text::columns(text.substr(at, text.find('\n', at) - at)), 50U) << text;
  }
  EXPECT_TRUE(text_of(findings, std::nullopt, true).contains("\x1b[33mwarning\x1b[0m  one two"));
  EXPECT_EQ(summary_of(findings), "1 warning");
}

TEST(Doctor, AnObjectForProgramsHasTheWorstVerdictAndTheNumbers) {
  EXPECT_EQ(json_of({{.check = "fsync",
                      .verdict = Verdict::note,
                      .found = "slow",
                      .advice = "wait",
                      .facts = {{"seconds", 0.5}, {"writes", std::uint64_t{3}}, {"path", "\xff"}}},
                     {.check = "tokens", .facts = {{"there", true}}}}),
            R"({"v":1,"event":"doctor","status":"note","errors":0,"warnings":0,"notes":1,)"
            R"("findings":[{"check":"fsync","status":"note","found":"slow","advice":"wait",)"
            R"("facts":{"seconds":0.5,"writes":3,"pathBase64":"/w=="}},)"
            R"({"check":"tokens","status":"ok","found":"","facts":{"there":true}}]})"
            "\n");
}

TEST(Doctor, ControlGroupsOfBothVersions) {
  const std::string membership = "4:memory:/a/b\n3:cpu,pids:/\n0::/user.slice/x\n";
  EXPECT_EQ(group_folders(membership, "memory"),
            (std::vector<std::string>{"/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/memory/a",
                                      "/sys/fs/cgroup/memory", "/sys/fs/cgroup/user.slice/x",
                                      "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"}));
  EXPECT_EQ(group_folders(membership, "pids").front(), "/sys/fs/cgroup/pids");
  EXPECT_EQ(field_of("a_version:1\r\nversion:7.0\r\n", "version"), "7.0");
}

TEST(Doctor, LookingLeavesNothingBehind) {
  std::string folder = (std::filesystem::temp_directory_path() / "doctor-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const SystemClock clock;
  const run::StateFolder state(folder + "/not/yet");
  const StateFacts facts = gather_state(state, std::nullopt, clock);
  EXPECT_EQ(facts.at, folder);
  EXPECT_FALSE(facts.is_there);
  EXPECT_EQ(facts.trial, Trial{});
  EXPECT_FALSE(facts.syncs.empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  EXPECT_EQ(gather_state(state, kib(1), clock).trial,
            (Trial{.failed = Trial::Step::write, .error = EFBIG}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tidemill::app
