#include "tidemill/io/store/writer.h"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include "tidemill/base/try.h"
#include "tidemill/testing/eventually.h"

namespace tidemill::store {
namespace {

using testing::eventually;

// A job that stays inside the transaction until the test opens the gate. Thread-safe.
class Gate {
 public:
  [[nodiscard]] DbWriter::Job job() {
    return [this](Db&) -> Result<void> {
      is_entered_ = true;
      is_open_.lock().wait([](bool open) { return open; });
      return {};
    };
  }
  [[nodiscard]] bool is_entered() const { return is_entered_; }
  void open() {
    is_open_.update([](bool& open) { open = true; });
  }

 private:
  std::atomic<bool> is_entered_ = false;
  Guarded<bool> is_open_{false};
};

// An SQLite VFS whose next calls can be made to fail. One at a time.
struct Faults {
  std::atomic<bool> sync_fails = false;
  std::atomic<bool> database_sync_fails = false;
  std::atomic<bool> write_fails = false;
  std::atomic<int> error = EIO;
  std::atomic<int> syncs = 0;
};

Faults& faults() {
  static Faults instance;
  return instance;
}

// SQLite uses different methods for a database and for its log.
template <bool IsDatabase>
struct Faulty {
  static inline const sqlite3_io_methods* real = nullptr;
  static inline sqlite3_io_methods methods{};

  static int sync(sqlite3_file* file, int flags) {
    ++faults().syncs;
    const bool fails = faults().sync_fails || (IsDatabase && faults().database_sync_fails);
    if (!fails) return real->xSync(file, flags);
    errno = faults().error;
    return SQLITE_IOERR_FSYNC;
  }

  static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
    if (!faults().write_fails) return real->xWrite(file, from, size, at);
    errno = faults().error;
    return errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
  }

  // Reports the simulated errno as the last one.
  static int control(sqlite3_file* file, int op, void* arg) {
    if (op != SQLITE_FCNTL_LAST_ERRNO) return real->xFileControl(file, op, arg);
    *static_cast<int*>(arg) = faults().error;
    return SQLITE_OK;
  }

  static void take(sqlite3_file* file) {
    if (real == nullptr) {
      real = file->pMethods;
      methods = *real;
      methods.xSync = sync;
      methods.xWrite = write;
      methods.xFileControl = control;
    }
    file->pMethods = &methods;
  }
};

int faulty_open(sqlite3_vfs* /*vfs*/, sqlite3_filename name, sqlite3_file* file, int flags,
                int* out) {
  sqlite3_vfs* real = sqlite3_vfs_find("unix");
  const int code = real->xOpen(real, name, file, flags, out);
  if (file->pMethods == nullptr) return code;
  (flags & SQLITE_OPEN_MAIN_DB) != 0 ? Faulty<true>::take(file) : Faulty<false>::take(file);
  return code;
}

class DbWriterTest : public ::testing::Test {
 protected:
  DbWriterTest() {
    static sqlite3_vfs vfs = *sqlite3_vfs_find("unix");
    vfs.zName = "faulty";
    vfs.xOpen = faulty_open;
    sqlite3_vfs_register(&vfs, 0);
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
  }
  ~DbWriterTest() override {
    faults().sync_fails = false;
    faults().database_sync_fails = false;
    faults().write_fails = false;
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path_ + suffix);
  }

  [[nodiscard]] Db open() const {
    Db db = Db::open(path_, {.vfs = "faulty"}).value();
    EXPECT_TRUE(
        db.exec("pragma journal_mode = wal; pragma synchronous = full;"
                "create table if not exists t(n integer primary key, text)"));
    return db;
  }

  [[nodiscard]] std::int64_t number(std::string_view sql) const {
    auto db = Db::open(path_, {.mode = Open::read});
    return db->prepare(sql)->one<std::int64_t>().value().value_or(-1);
  }

  static DbWriter::Job insert(int n) {
    return [n](Db& db) -> Result<void> {
      LET(auto statement, db.prepare("insert into t values (?, zeroblob(100))"));
      return statement.run(n);
    };
  }

  std::string path_ = ::testing::TempDir() + "writer-" + std::to_string(::getpid()) + ".db";
};

TEST_F(DbWriterTest, WritesAreVisibleToOtherConnections) {
  DbWriter writer(open());
  ASSERT_TRUE(writer.write(insert(1)));
  EXPECT_EQ(number("select count(*) from t"), 1);
}

TEST_F(DbWriterTest, JobsThatArriveDuringATransactionShareTheNext) {
  constexpr int kCallers = 5;
  DbWriter writer(open());
  Gate gate;
  const std::jthread first([&] { EXPECT_TRUE(writer.write(gate.job())); });
  ASSERT_TRUE(eventually([&] { return gate.is_entered(); }));
  const int before = faults().syncs;
  std::vector<std::jthread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&, i] { EXPECT_TRUE(writer.write(insert(i))); });
  }
  ASSERT_TRUE(eventually([&] { return writer.waiting() == kCallers; }));
  gate.open();
  callers.clear();
  EXPECT_EQ(number("select count(*) from t"), kCallers);
  EXPECT_LE(faults().syncs - before, 2);  // one for the new log's header, one for all five
}

TEST_F(DbWriterTest, RejectedJobDoesNotAffectOthersInTheTransaction) {
  DbWriter writer(open());
  ASSERT_TRUE(writer.write(insert(7)));
  Gate gate;
  const std::jthread first([&] { EXPECT_TRUE(writer.write(gate.job())); });
  ASSERT_TRUE(eventually([&] { return gate.is_entered(); }));
  std::atomic<int> refused = 0;
  std::vector<std::jthread> callers;
  for (const int n : {5, 6, 7, 8}) {
    callers.emplace_back([&, n] {
      const auto done = writer.write([n](Db& db) -> Result<void> {
        TRY(insert(100 + n)(db));
        return insert(n)(db);
      });
      refused += done ? 0 : 1;
    });
  }
  ASSERT_TRUE(eventually([&] { return writer.waiting() == 4; }));
  gate.open();
  callers.clear();
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(number("select count(*) from t"), 7);
  EXPECT_EQ(number("select count(*) from t where n = 107"), 0);
}

TEST_F(DbWriterTest, FullDatabaseRejectsTheJobAndRecoversWhenThereIsRoom) {
  DbWriter writer(open());
  const auto limit = [](int pages) {
    return [pages](Db& db) { return db.exec("pragma max_page_count = " + std::to_string(pages)); };
  };
  const auto many = [](Db& db) -> Result<void> {
    for (int n = 1; n <= 1'000; ++n) TRY(insert(n)(db));
    return {};
  };
  ASSERT_TRUE(writer.write(limit(5)));
  for (int i = 0; i < 2; ++i) {
    const auto full = writer.write(many);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().cure, Cure::retry);
    EXPECT_EQ(full.error().step, "disk full");
    EXPECT_EQ(full.error().hint, "free space on the disk that holds " + path_);
    EXPECT_EQ(number("select count(*) from t"), 0);
  }
  ASSERT_TRUE(writer.write(limit(5'000)));
  ASSERT_TRUE(writer.write(many));
  EXPECT_EQ(number("select count(*) from t"), 1'000);
}

TEST_F(DbWriterTest, FullDiskAtCommitAppliesNothingAndLeavesTheWriterUsable) {
  DbWriter writer(open());
  for (const int error : {ENOSPC, EDQUOT}) {
    faults().error = error;
    faults().write_fails = true;
    const auto full = writer.write(insert(2));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().cure, Cure::retry);
    EXPECT_EQ(full.error().step, "disk full");
    EXPECT_EQ(number("select count(*) from t where n = 2"), 0);
    faults().write_fails = false;
    ASSERT_TRUE(writer.write(insert(error)));
  }
  EXPECT_EQ(number("select sum(n) from t"), ENOSPC + EDQUOT);
}

TEST_F(DbWriterTest, AFailedFsyncIsNeverTriedAgain) {
  for (const int error : {EIO, ENOSPC}) {
    DbWriter writer(open());
    faults().error = error;
    faults().sync_fails = true;
    const auto failed = writer.write(insert(error));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().cure, Cure::give_up);
    EXPECT_EQ(failed.error().hint, "resume the run");
    faults().sync_fails = false;
    const int before = faults().syncs;
    bool called = false;
    const auto refused = writer.write([&](Db&) -> Result<void> {
      called = true;
      return {};
    });
    EXPECT_EQ(refused, failed);
    EXPECT_FALSE(called);
    EXPECT_EQ(faults().syncs, before);
  }
}

TEST_F(DbWriterTest, FailedWritePoisonsTheWriter) {
  DbWriter writer(open());
  faults().error = EIO;
  faults().write_fails = true;
  EXPECT_EQ(writer.write(insert(1)).error().cure, Cure::give_up);
  faults().write_fails = false;
  const auto refused = writer.write(insert(2));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("Input/output error"), std::string::npos)
      << refused.error().reason;
}

TEST_F(DbWriterTest, FailedCheckpointPoisonsLaterWritesButKeepsCommittedData) {
  {
    DbWriter writer(open(), {.checkpoint_pages = 1});
    faults().error = EIO;
    faults().database_sync_fails = true;
    ASSERT_TRUE(writer.write(insert(1)));
    bool is_called = false;
    EXPECT_FALSE(writer.write([&](Db&) -> Result<void> {
      is_called = true;
      return {};
    }));
    EXPECT_FALSE(is_called);
    faults().database_sync_fails = false;
    EXPECT_FALSE(writer.write(insert(3)));
  }
  EXPECT_TRUE(std::filesystem::exists(path_ + "-wal"));  // closing does not checkpoint either
  EXPECT_EQ(number("select sum(n) from t"), 1);
}

TEST_F(DbWriterTest, RollsBackAJobThatRunsOutOfMemoryAndContinues) {
  DbWriter writer(open());
  const auto lost = writer.write([](Db& db) -> Result<void> {
    TRY(db.exec("insert into t(n) values (7)"));
    throw std::bad_alloc();
  });
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().step, "memory");
  EXPECT_EQ(lost.error().cure, Cure::give_up);  // unlike a full disk, it is not retried
  EXPECT_TRUE(writer.write(insert(1)));
  EXPECT_EQ(number("select sum(n) from t"), 1);
}

}  // namespace
}  // namespace tidemill::store
