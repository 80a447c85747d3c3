#include "tidemill/state/fleet/packing.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tidemill/base/varint.h"

namespace tidemill::fleet {
namespace {

using engine::FleetTask;
using engine::TaskEnd;
using engine::TaskReport;
using engine::WorkerCard;
using namespace std::chrono_literals;

std::string any_bytes() { return *rc::gen::arbitrary<std::string>(); }
int any_count() { return *rc::gen::inRange(0, std::numeric_limits<int>::max()); }

FleetTask any_task() {
  return {.id = *rc::gen::arbitrary<std::uint64_t>(),
          .attempt = any_count(),
          .crashes = any_count(),
          .payload = any_bytes()};
}

Failure any_failure() {
  return {.cure = *rc::gen::element(Cure::retry, Cure::resume, Cure::give_up, Cure::later),
          .kind = static_cast<FailureKind>(
              *rc::gen::inRange(0, std::to_underlying(FailureKind::truncated) + 1)),
          .step = any_bytes(),
          .reason = any_bytes(),
          .hint = any_bytes(),
          .not_before = std::chrono::milliseconds(any_count()),
          .subject = any_bytes()};
}

TaskReport any_report() {
  return {.id = *rc::gen::arbitrary<std::uint64_t>(),
          .attempt = any_count(),
          .crashes = any_count(),
          .end = *rc::gen::element(TaskEnd::done, TaskEnd::skipped, TaskEnd::failed,
                                   TaskEnd::crashed, TaskEnd::returned),
          .text = any_bytes(),
          .failure = any_failure(),
          .took = std::chrono::microseconds(any_count())};
}

template <class T>
std::vector<T> some(T (*any)()) {
  std::vector<T> all;
  for (int i = *rc::gen::inRange(0, 10); i > 0; --i) all.push_back(any());
  return all;
}

RC_GTEST_PROP(Packing, BringsBackWhatWasPacked, ()) {
  const auto tasks = some(&any_task);
  RC_ASSERT(unpack_tasks(pack(tasks)) == tasks);
  const auto reports = some(&any_report);
  RC_ASSERT(unpack_reports(pack(reports)) == reports);
  const WorkerCard card{.name = any_bytes(),
                        .host = any_bytes(),
                        .places = *rc::gen::arbitrary<std::uint32_t>(),
                        .running = *rc::gen::arbitrary<std::vector<std::uint64_t>>()};
  RC_ASSERT(unpack_card(pack(card)) == card);
}

// What it makes of them does not matter: the sanitizers and limits of the test builds judge.
RC_GTEST_PROP(Packing, SurvivesAnyBytes, ()) {
  const std::string bytes = "\x01" + any_bytes();
  (void)unpack_tasks(bytes);
  (void)unpack_reports(bytes);
  (void)unpack_card(bytes);
}

const std::vector<FleetTask> kTasks = {
    {.id = 300, .attempt = 2, .crashes = 1, .payload = std::string("a\0b", 3)}, {.id = 1}};
const std::vector<TaskReport> kReports = {
    {.id = 7, .end = TaskEnd::done, .text = "ok", .took = 17ms},
    {.id = 8,
     .attempt = 3,
     .end = TaskEnd::failed,
     .failure = {.cure = Cure::retry,
                 .kind = FailureKind::busy,
                 .step = "open",
                 .reason = "in use",
                 .not_before = 5s}}};
const WorkerCard kCard{.name = "w", .host = "h", .places = 8, .running = {1, 300}};

TEST(Packing, RefusesBytesThatEndTooEarly) {
  const std::string tasks = pack(kTasks);
  for (std::size_t i = 0; i < tasks.size(); ++i) EXPECT_FALSE(unpack_tasks(tasks.substr(0, i)));
  const std::string reports = pack(kReports);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_FALSE(unpack_reports(reports.substr(0, i))) << i;
  }
  const std::string card = pack(kCard);
  for (std::size_t i = 0; i < card.size(); ++i) EXPECT_FALSE(unpack_card(card.substr(0, i)));
}

// Every byte with every value: never a crash, and what is accepted can be packed again.
TEST(Packing, SurvivesEveryChangeOfAByte) {
  const std::string whole = pack(kReports);
  int accepted = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[i] = static_cast<char>(value);
      const auto reports = unpack_reports(changed);
      if (!reports) continue;
      ++accepted;
      EXPECT_EQ(unpack_reports(pack(*reports)), *reports);
    }
  }
  EXPECT_GT(accepted, 1'000);  // those in texts and numbers
}

TEST(Packing, RefusesAnotherVersion) {
  std::string bytes = pack(kTasks);
  bytes[0] = 2;
  EXPECT_FALSE(unpack_tasks(bytes));
  bytes = pack(kCard);
  bytes[0] = 0;
  EXPECT_FALSE(unpack_card(bytes));
}

TEST(Packing, IgnoresFieldsThatItDoesNotKnow) {
  std::string task;
  for (const std::uint64_t number : {9U, 1U, 0U, 1U}) append_varint(task, number);
  task += "xmore";
  std::string bytes = "\x01\x01";
  append_varint(bytes, task.size());
  bytes += task;
  EXPECT_EQ(unpack_tasks(bytes), (std::vector<FleetTask>{{.id = 9, .payload = "x"}}));
  EXPECT_EQ(unpack_card(pack(kCard) + "more"), kCard);
}

// A count takes memory only for what can follow it.
TEST(Packing, RefusesACountThatTheBytesHaveNoRoomFor) {
  for (const std::uint64_t count :
       {std::uint64_t{21}, std::uint64_t{1} << 40U, ~std::uint64_t{0}}) {
    std::string bytes = "\x01";
    append_varint(bytes, count);
    bytes.resize(100, '\0');
    EXPECT_FALSE(unpack_tasks(bytes));
    EXPECT_FALSE(unpack_reports(bytes));
    std::string card("\x01\0\0\x01", 4);
    append_varint(card, count);
    EXPECT_FALSE(unpack_card(card));
  }
}

std::string a_report(std::uint64_t attempt, std::uint64_t end, std::uint64_t took,
                     std::string_view failure) {
  std::string record;
  for (const std::uint64_t number : {std::uint64_t{1}, attempt, std::uint64_t{0}, end, took,
                                     std::uint64_t{0}, std::uint64_t{failure.size()}}) {
    append_varint(record, number);
  }
  record += failure;
  std::string bytes = "\x01\x01";
  append_varint(bytes, record.size());
  return bytes + record;
}

TEST(Packing, RefusesNumbersOutOfRange) {
  constexpr std::uint64_t kInt = std::numeric_limits<int>::max();
  constexpr std::uint64_t kLong = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(unpack_reports(a_report(kInt, 4, kLong, "")));
  EXPECT_FALSE(unpack_reports(a_report(kInt + 1, 4, 0, "")));
  EXPECT_FALSE(unpack_reports(a_report(1, 5, 0, "")));
  EXPECT_FALSE(unpack_reports(a_report(1, 4, kLong + 1, "")));
  const std::string_view busy(
      "\x00\x04"
      "busy\0\0\0\0\0",
      11);
  ASSERT_TRUE(unpack_reports(a_report(1, 2, 0, busy)));
  std::string no_cure(busy);
  no_cure[0] = 4;
  EXPECT_FALSE(unpack_reports(a_report(1, 2, 0, no_cure)));
}

// A worker of a later version may know more kinds.
TEST(Packing, TakesAnUnknownKindForOther) {
  const std::string_view lazy(
      "\x00\x04"
      "lazy\0\0\0\0\0",
      11);
  const auto reports = unpack_reports(a_report(1, 2, 0, lazy));
  ASSERT_TRUE(reports);
  EXPECT_EQ(reports->at(0).failure, (Failure{.cure = Cure::retry}));
}

}  // namespace
}  // namespace tidemill::fleet
