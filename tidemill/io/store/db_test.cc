#include "tidemill/io/store/db.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

#include "tidemill/base/try.h"
#include "tidemill/io/store/transaction.h"

namespace tidemill::store {
namespace {

std::string fresh_path(std::string_view name) {
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    (std::to_string(::getpid()) + "-" + std::string(name));
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path.string() + suffix);
  return path.string();
}

Result<std::vector<std::string>> names_of_size(Db& db, std::int64_t size) {
  std::vector<std::string> names;
  LET(auto select, db.prepare("select path from file where size = ? order by path"));
  TRY(select.rows<std::string>(std::tuple(size),
                               [&](std::string path) { names.push_back(std::move(path)); }));
  return names;
}

std::int64_t number(Db& db, std::string_view sql) {
  return db.prepare(sql)->one<std::int64_t>().value().value_or(-1);
}

TEST(Statement, RunsManyTimesAndReadsTypedRows) {
  auto db = Db::open(":memory:");
  ASSERT_TRUE(db) << db.error().reason;
  ASSERT_TRUE(db->exec("create table file(path text primary key, size integer)"));
  auto insert = db->prepare("insert into file values (?, ?)");
  ASSERT_TRUE(insert);
  EXPECT_TRUE(insert->run(std::string_view("b"), 7));
  EXPECT_EQ(db->changes(), 1);
  EXPECT_TRUE(insert->run(std::string_view("a"), 7));
  const auto again = insert->run(std::string_view("a"), 8);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().cure, Cure::give_up);
  EXPECT_FALSE(db->damage());
  EXPECT_EQ(*names_of_size(*db, 7), (std::vector<std::string>{"a", "b"}));
}

TEST(Statement, ReturnsBlobsTextAndNullUnchanged) {
  auto db = Db::open(":memory:");
  const std::string bytes("a\0\xff'\n", 5);
  auto echo = db->prepare("select ?1, typeof(?1)");
  using Two = std::tuple<std::optional<std::string>, std::string>;
  const auto said = [&](const auto& value) {
    return echo->first<std::optional<std::string>, std::string>(value).value().value();
  };
  EXPECT_EQ(said(Blob{bytes}), Two(bytes, "blob"));
  EXPECT_EQ(said(Blob{}), Two("", "blob"));
  EXPECT_EQ(said(std::string_view("text")), Two("text", "text"));
  EXPECT_EQ(said(std::string_view()), Two("", "text"));
  EXPECT_EQ(said(nullptr), Two(std::nullopt, "null"));
  EXPECT_EQ(said(std::optional<Blob>()), Two(std::nullopt, "null"));
  EXPECT_EQ(said(std::optional(Blob{"x"})), Two("x", "blob"));
  EXPECT_EQ(said(INT64_MIN), Two(std::to_string(INT64_MIN), "integer"));
  EXPECT_EQ(db->prepare("select 1 where 0")->one<std::int64_t>().value(), std::nullopt);
}

TEST(Statement, DistinguishesARejectedRowFromADatabaseFailure) {
  auto db = Db::open(":memory:");
  ASSERT_TRUE(db->exec("create table t(k integer primary key, n not null, u unique)"));
  auto insert = db->prepare("insert into t values (?, ?, ?)");
  const auto refusal = [&](const auto& k, const auto& n, const auto& u) {
    const auto put = insert->run(k, n, u);
    return put ? RowRefusal::none : db->refusal();
  };
  EXPECT_EQ(refusal(1, 1, 1), RowRefusal::none);
  EXPECT_EQ(refusal(1, 2, 2), RowRefusal::duplicate);
  EXPECT_EQ(refusal(2, 2, 1), RowRefusal::duplicate);
  EXPECT_EQ(db->words(), "UNIQUE constraint failed: t.u");
  EXPECT_EQ(insert->run(2, 2, 1).error().subject, "t.u");
  EXPECT_EQ(insert->run(1, 2, 2).error().subject, "t.k");
  EXPECT_EQ(insert->run(2, nullptr, 2).error().subject, "");
  EXPECT_EQ(refusal(2, nullptr, 2), RowRefusal::constraint);
  EXPECT_EQ(refusal(std::string_view("x"), 2, 2), RowRefusal::mismatch);
  EXPECT_FALSE(db->exec("nonsense"));
  EXPECT_EQ(db->refusal(), RowRefusal::none);
}

TEST(Statement, KeepsEveryDigitOfAReal) {
  auto db = Db::open(":memory:");
  auto echo = db->prepare("select typeof(?1), ?1 = 0.1 + 0.2");
  EXPECT_EQ((echo->first<std::string, std::int64_t>(0.1 + 0.2).value().value()),
            std::tuple("real", 1));
}

TEST(Db, FunctionConvertsNumbersToTextAndLeavesOtherValues) {
  static constexpr NumberText kText{
      .of_integer = [](std::int64_t n, std::string& out) { out += "i" + std::to_string(n + 1); },
      .of_real = [](double, std::string& out) { out += "r"; }};
  auto db = Db::open(":memory:");
  ASSERT_TRUE(db->add_function("text_of", kText));
  EXPECT_EQ(db->prepare("select text_of(6) || text_of(0.5) || text_of('7') || text_of(x'41') || "
                        "typeof(text_of(null))")
                ->one<std::string>()
                .value(),
            "i7r7Anull");
}

TEST(Statement, IsResetAfterItsFirstRow) {
  const std::string path = fresh_path("reset.db");
  auto writer = Db::open(path);
  ASSERT_TRUE(
      writer->exec("pragma journal_mode = wal; create table t(n); insert into t values (1), (2)"));
  auto reader = Db::open(path, {.mode = Open::read});
  auto select = reader->prepare("select n from t");
  ASSERT_EQ(select->one<std::int64_t>().value(), 1);
  ASSERT_TRUE(writer->exec("insert into t values (3)"));
  EXPECT_EQ(number(*reader, "select count(*) from t"), 3);  // no old snapshot is held
  EXPECT_EQ(number(*writer, "pragma wal_checkpoint(truncate)"), 0);
}

TEST(Db, ReportsTheSystemError) {
  const auto missing = Db::open("/no/such/folder/x.db");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().cure, Cure::give_up);
  EXPECT_NE(missing.error().reason.find("No such file"), std::string::npos)
      << missing.error().reason;
  EXPECT_FALSE(Db::open(fresh_path("absent.db"), {.mode = Open::write}));
  EXPECT_FALSE(std::filesystem::exists(fresh_path("absent.db")));
}

TEST(Db, RejectsWritesInReadOnlyMode) {
  const std::string path = fresh_path("ro.db");
  ASSERT_TRUE(Db::open(path)->exec("create table t(n)"));
  auto db = Db::open(path, {.mode = Open::read});
  ASSERT_TRUE(db);
  const auto refused = db->exec("insert into t values (1)");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, Cure::give_up);
}

TEST(Db, BusyDatabaseIsRetryable) {
  const std::string path = fresh_path("busy.db");
  auto one = Db::open(path);
  auto other = Db::open(path, {.busy_timeout = std::chrono::milliseconds(0)});
  auto held = Transaction::begin(*one);
  ASSERT_TRUE(held);
  const auto refused = Transaction::begin(*other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, Cure::retry);
  EXPECT_FALSE(other->damage());
}

TEST(Db, RejectsAFileThatIsNotADatabaseAndLeavesItUnchanged) {
  const std::string path = fresh_path("prose.db");
  const std::string prose(5'000, 'x');
  std::ofstream(path) << prose;
  auto db = Db::open(path);
  const auto refused =
      db ? db->exec("create table t(n)") : Result<void>(std::unexpected(db.error()));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure, Cure::give_up);
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), prose);
}

TEST(Transaction, IsRolledBackUnlessCommitted) {
  auto db = Db::open(":memory:");
  ASSERT_TRUE(db->exec("create table t(n)"));
  {
    auto transaction = Transaction::begin(*db);
    ASSERT_TRUE(db->exec("insert into t values (1)"));
    {
      auto part = Savepoint::begin(*db);
      ASSERT_TRUE(db->exec("insert into t values (2)"));
    }
    EXPECT_EQ(db->rollbacks(), 1U);
    EXPECT_EQ(number(*db, "select count(*) from t"), 1);
    {
      auto part = Savepoint::begin(*db);
      ASSERT_TRUE(db->exec("insert into t values (3)"));
      ASSERT_TRUE(part->commit());
    }
    ASSERT_TRUE(transaction->commit());
  }
  {
    auto transaction = Transaction::begin(*db);
    ASSERT_TRUE(db->exec("insert into t values (4)"));
  }
  EXPECT_FALSE(db->in_transaction());
  EXPECT_EQ(db->rollbacks(), 2U);
  EXPECT_EQ(number(*db, "select sum(n) from t"), 4);
}

constexpr std::string_view kFirst[] = {"create table a(n)"};
constexpr std::string_view kBoth[] = {"create table a(n)",
                                      "create table b(n); insert into b values (7)"};
constexpr std::string_view kWrong[] = {"create table a(n)", "create table b(n); nonsense"};
constexpr DbFormat kOld{.name = "thing", .application_id = 4711, .scripts = kFirst};
constexpr DbFormat kNew{.name = "thing", .application_id = 4711, .scripts = kBoth};

TEST(Migrate, CreatesANewFileAndUpgradesAnOlderOne) {
  auto db = Db::open(":memory:");
  ASSERT_TRUE(migrate(*db, kOld));
  ASSERT_TRUE(db->exec("insert into a values (1)"));
  EXPECT_FALSE(require(*db, kNew));
  ASSERT_TRUE(migrate(*db, kNew));
  ASSERT_TRUE(migrate(*db, kNew));
  EXPECT_TRUE(require(*db, kNew));
  EXPECT_EQ(number(*db, "select (select n from a) + (select n from b)"), 8);
}

TEST(Migrate, RejectsANewerFileAndAForeignFile) {
  auto db = Db::open(":memory:");
  ASSERT_TRUE(migrate(*db, kNew));
  const auto newer = migrate(*db, kOld);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().cure, Cure::give_up);
  EXPECT_EQ(newer.error().reason,
            ":memory:: this thing has version 2, but this program supports versions up to 1");
  EXPECT_FALSE(require(*db, kOld));
  auto stranger = Db::open(":memory:");
  ASSERT_TRUE(stranger->exec("create table t(n)"));
  EXPECT_FALSE(migrate(*stranger, kNew));
  EXPECT_FALSE(require(*stranger, kNew));
  EXPECT_EQ(number(*stranger, "select count(*) from sqlite_schema"), 1);
}

TEST(Migrate, AScriptThatFailsLeavesTheOldVersion) {
  auto db = Db::open(":memory:");
  ASSERT_TRUE(migrate(*db, kOld));
  EXPECT_FALSE(migrate(*db, {.name = "thing", .application_id = 4711, .scripts = kWrong}));
  EXPECT_EQ(number(*db, "pragma user_version"), 1);
  EXPECT_EQ(number(*db, "select count(*) from sqlite_schema"), 1);
}

}  // namespace
}  // namespace tidemill::store
