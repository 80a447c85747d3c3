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

TEST(Doctor, AcceptsAGoodStateFolder) {
  const StateFacts state = good_state();
  for (const auto& finding :
       {judge_state(state), judge_file_system(state), judge_syncs(state), judge_space(state)}) {
    EXPECT_EQ(finding.level, CheckLevel::ok) << finding.check << ": " << finding.found;
    EXPECT_EQ(finding.advice, "");
  }
  EXPECT_EQ(judge_syncs(state).found, "median 2.0 ms, maximum 3.0 ms of 3 writes");
}

TEST(Doctor, ReportsWhyTheStateFolderIsNotWritable) {
  StateFacts state = good_state();
  state.trial = {.failed = Trial::Step::make, .error = EACCES};
  EXPECT_EQ(judge_state(state).level, CheckLevel::error);
  EXPECT_TRUE(judge_state(state).found.ends_with(
      "cannot create a file in /home/me/state/runs: Permission denied"));
  EXPECT_TRUE(judge_state(state).advice.contains("TIDEMILL_STATE"));
  state.trial = {.failed = Trial::Step::write, .error = ENOSPC};
  EXPECT_EQ(judge_state(state).advice, "free some space there");
}

TEST(Doctor, ChecksTheAccessRightsOfTheStateFolder) {
  StateFacts state = good_state();
  const auto level = [&](std::uint32_t mode) {
    state.mode = mode;
    return judge_state(state).level;
  };
  EXPECT_EQ(level(0755), CheckLevel::note);
  EXPECT_EQ(level(0700), CheckLevel::ok);
  state.refusal = Failure{.step = "usage", .reason = "it is another's", .hint = "chown"};
  EXPECT_EQ(level(0700), CheckLevel::error);
  EXPECT_EQ(judge_state(state).advice, "chown");
  state.is_there = false;
  EXPECT_EQ(level(0), CheckLevel::ok);
}

TEST(Doctor, RatesEachKindOfFileSystem) {
  const std::vector<std::pair<std::int64_t, CheckLevel>> expected = {
      {kExt4, CheckLevel::ok},           {0x58465342, CheckLevel::ok},
      {0x9123683E, CheckLevel::ok},      {0x2FC12FC1, CheckLevel::ok},
      {kTmpfs, CheckLevel::warning},     {0x794C7630, CheckLevel::note},
      {0x6969, CheckLevel::error},       {0xFF534D42, CheckLevel::error},
      {0x65735546, CheckLevel::warning}, {0x4D44, CheckLevel::warning},
      {0x12345, CheckLevel::note}};
  for (const auto& [type, level] : expected) {
    const DoctorFinding finding = judge_file_system({.type = type});
    EXPECT_EQ(finding.level, level) << finding.found;
    EXPECT_EQ(finding.advice.empty(), level == CheckLevel::ok) << finding.found;
  }
  EXPECT_TRUE(judge_file_system({.type = 0x12345}).found.starts_with("0x12345"));
}

TEST(Doctor, ReportsSlowAndImplausiblyFastSyncs) {
  StateFacts state = good_state();
  const auto level = [&](std::vector<std::chrono::nanoseconds> syncs) {
    state.syncs = std::move(syncs);
    return judge_syncs(state).level;
  };
  EXPECT_EQ(level({9ms, 1ms, 999ms}), CheckLevel::ok);
  EXPECT_EQ(level({1ms, 1ms, 1s}), CheckLevel::warning);
  EXPECT_EQ(level({10ms}), CheckLevel::note);
  EXPECT_EQ(level({50ms}), CheckLevel::warning);
  EXPECT_EQ(level({9us}), CheckLevel::note);
  EXPECT_EQ(level({}), CheckLevel::note);
  state.type = kTmpfs;
  EXPECT_EQ(level({9us}), CheckLevel::ok);
}

TEST(Doctor, ChecksFreeBytesAndFreeFiles) {
  const auto level = [](Space space) {
    StateFacts state = good_state();
    state.space = space;
    return judge_space(state).level;
  };
  EXPECT_EQ(level({.free = mib(1024)}), CheckLevel::ok);
  EXPECT_EQ(level({.free = mib(1023)}), CheckLevel::warning);
  EXPECT_EQ(level({.free = mib(63)}), CheckLevel::error);
  EXPECT_EQ(level({.free = mib(9'999), .free_files = 999, .files = 9'999}), CheckLevel::warning);
  EXPECT_EQ(level({.free = mib(9'999), .free_files = 63, .files = 9'999}), CheckLevel::error);
}

TEST(Doctor, RatesTheOpenFileLimitByTheCommandsItAllows) {
  EXPECT_EQ(judge_open_files({.cpus = 4}).level, CheckLevel::ok);
  EXPECT_EQ(judge_open_files({.cpus = 4, .files = 1'024}).level, CheckLevel::ok);
  EXPECT_EQ(judge_open_files({.cpus = 200, .files = 1'024}).level, CheckLevel::warning);
  const DoctorFinding few = judge_open_files({.cpus = 2, .files = 64, .files_most = 512});
  EXPECT_EQ(few.level, CheckLevel::warning);
  EXPECT_TRUE(few.found.contains("enough for 6 commands")) << few.found;
  EXPECT_EQ(few.advice, "run ulimit -n 512");
  EXPECT_EQ(judge_open_files({.files = 20}).level, CheckLevel::error);
}

TEST(Doctor, TheTightestLimitOnProcessesCounts) {
  const DoctorFinding roomy = judge_processes({.cpus = 2,
                                               .processes = 1'000,
                                               .processes_used = 100,
                                               .group_processes = 512,
                                               .group_processes_used = 12,
                                               .system_processes = 32'768});
  EXPECT_EQ(roomy.level, CheckLevel::ok);
  EXPECT_EQ(roomy.found, "room for 500 more; the limit of the control group (pids.max) is 512");
  EXPECT_EQ(judge_processes({.cpus = 2, .processes = 120, .processes_used = 100}).level,
            CheckLevel::warning);
  EXPECT_EQ(judge_processes({.processes = 100, .processes_used = 110}).level, CheckLevel::error);
  EXPECT_EQ(judge_processes({}).level, CheckLevel::ok);
}

TEST(Doctor, ChecksMemoryAndTheFileSizeLimit) {
  const MemoryFacts large{.all = mib(16'000), .available = mib(9'000)};
  EXPECT_EQ(judge_memory(large, 4).level, CheckLevel::ok);
  EXPECT_EQ(judge_memory(large, 64).level, CheckLevel::note);
  MemoryFacts caged = large;
  caged.group = mib(200);
  caged.group_used = mib(100);
  EXPECT_EQ(judge_memory(caged, 1).level, CheckLevel::warning);
  MemoryFacts narrow = large;
  narrow.address_space = mib(500);
  EXPECT_EQ(judge_memory(narrow, 1).advice, "run ulimit -v unlimited");
  EXPECT_EQ(judge_file_size({}).level, CheckLevel::ok);
  EXPECT_EQ(judge_file_size({.file_size = mib(64)}).level, CheckLevel::warning);
  EXPECT_EQ(judge_file_size({.file_size = mib(63)}).level, CheckLevel::error);
}

TEST(Doctor, ReportsAnIncompleteSandbox) {
  const sandbox::Confinement whole{
      .has_landlock = true, .has_call_list = true, .has_memory_limit = true};
  sandbox::Confinement old_kernel = whole;
  old_kernel.has_landlock = false;
  EXPECT_EQ(judge_sandbox(whole).level, CheckLevel::ok);
  EXPECT_EQ(judge_sandbox(old_kernel).level, CheckLevel::note);
  EXPECT_EQ(judge_sandbox(fail(Cure::give_up, "confine", "seccomp_load")).level, CheckLevel::error);
}

TEST(Doctor, ChecksTheTerminalAndTheLocale) {
  ScreenFacts screen{.is_out_tty = true, .is_err_tty = true, .term = "xterm", .locale = "C.utf8"};
  EXPECT_EQ(judge_terminal(screen).found, "xterm, 80x24, no colours");
  EXPECT_EQ(judge_locale(screen).level, CheckLevel::ok);
  screen.locale = "de_DE.UTF-8@euro";
  EXPECT_EQ(judge_locale(screen).level, CheckLevel::ok);
  screen.locale = "POSIX";
  EXPECT_EQ(judge_locale(screen).level, CheckLevel::note);
  screen.term = "dumb";
  EXPECT_EQ(judge_terminal(screen).level, CheckLevel::note);
  screen.is_out_tty = screen.is_err_tty = false;
  EXPECT_EQ(judge_terminal(screen).level, CheckLevel::ok);
  EXPECT_EQ(judge_locale(screen).level, CheckLevel::ok);
}

TEST(Doctor, ReportsUnfinishedAndUnreadableRuns) {
  const DoctorFinding left = judge_runs({.all = 9, .seen = 9, .unfinished = {"a", "b", "c", "d"}});
  EXPECT_EQ(left.level, CheckLevel::note);
  EXPECT_EQ(left.found, "9 stored; 4 unfinished: a, b, c, …");
  const DoctorFinding broken = judge_runs({.all = 9, .seen = 3, .unreadable = {"a\x1b"}});
  EXPECT_EQ(broken.level, CheckLevel::warning);
  EXPECT_EQ(broken.found, "9 stored, newest 3 checked; 1 unreadable: a\\x1b");
}

TEST(Doctor, RatesRedisByReachabilityVersionLatencyAndSettings) {
  const auto level = [](const char* version, std::chrono::nanoseconds latency) {
    return judge_redis({.server = "redis://x", .version = version, .latency = latency})[0].level;
  };
  EXPECT_EQ(level("7.0.15", 1ms), CheckLevel::ok);
  EXPECT_EQ(level("10.0", 1ms), CheckLevel::ok);
  EXPECT_EQ(level("6.2.7", 1ms), CheckLevel::note);
  EXPECT_EQ(level("6.0.16", 1ms), CheckLevel::error);
  EXPECT_EQ(level("", 1ms), CheckLevel::note);
  EXPECT_EQ(level("7.0.15", 50ms), CheckLevel::warning);
  const auto worried =
      judge_redis({.version = "7.2", .worries = {"maxmemory-policy is x", "appendonly is no"}});
  ASSERT_EQ(worried.size(), 3U);
  EXPECT_TRUE(worried[1].advice.contains("noeviction"));
  EXPECT_TRUE(worried[2].advice.contains("appendonly yes"));
  const auto gone = judge_redis({.server = "redis://x", .problem = Failure{.reason = "refused"}});
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].level, CheckLevel::error);
  EXPECT_FALSE(gone[0].advice.empty());
}

TEST(Doctor, TheTableWrapsAtWordsAndNeverBeyondTheWidth) {
  const std::vector<DoctorFinding> findings = {
      {.check = "filesystem",
       .level = CheckLevel::warning,
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

TEST(Doctor, JsonHasTheWorstStatusAndTheFacts) {
  EXPECT_EQ(json_of({{.check = "fsync",
                      .level = CheckLevel::note,
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

TEST(Doctor, FindsControlGroupsOfBothVersions) {
  const std::string membership = "4:memory:/a/b\n3:cpu,pids:/\n0::/user.slice/x\n";
  EXPECT_EQ(group_folders(membership, "memory"),
            (std::vector<std::string>{"/sys/fs/cgroup/memory/a/b", "/sys/fs/cgroup/memory/a",
                                      "/sys/fs/cgroup/memory", "/sys/fs/cgroup/user.slice/x",
                                      "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"}));
  EXPECT_EQ(group_folders(membership, "pids").front(), "/sys/fs/cgroup/pids");
  EXPECT_EQ(field_of("a_version:1\r\nversion:7.0\r\n", "version"), "7.0");
}

TEST(Doctor, GatheringFactsLeavesNothingBehind) {
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
