#include "tidemill/state/catalogue/scan.h"

#include <chrono>
#include <utility>

#include "tidemill/base/thread.h"
#include "tidemill/base/try.h"
#include "tidemill/io/store/db.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/state/catalogue/catalogue_writer.h"
#include "tidemill/state/catalogue/memory.h"
#include "tidemill/state/catalogue/root_locks.h"
#include "tidemill/state/catalogue/roots.h"
#include "tidemill/state/catalogue/schema.h"

namespace tidemill::catalogue {
namespace {

constexpr std::size_t kTransaction = 1'000;  // files; wakes the writer
constexpr std::size_t kMostWaiting = 3'000;  // files; then record() waits
constexpr std::chrono::milliseconds kPatience{500};
constexpr std::int64_t kCheckpointPages = 16'000;

std::size_t weight_of(const FolderBatch& batch) {
  return 1 + batch.files.size() + batch.removed_files.size() + batch.removed_folders.size();
}

}  // namespace

struct Scan::Session {
  store::Db db;
  RootLocks locks;
  std::vector<RootRow> roots{};
  std::unique_ptr<CatalogueWriter> writer{};  // created when `db` has its final address
};

Result<std::unique_ptr<Scan>> Scan::begin(const std::string& path, std::span<const ScanRoot> roots,
                                          const Clock& clock) {
  LET(auto db, open_for_writing(path, store::Open::create));
  db.take_over_checkpoints();
  LET(auto locks, RootLocks::open(path));
  auto session = std::make_unique<Session>(std::move(db), std::move(locks));
  LET(session->roots, in_catalogue(begin_roots(session->db, session->locks, roots, clock.wall())));
  LET(auto writer, in_catalogue(CatalogueWriter::make(session->db)));
  session->writer = std::make_unique<CatalogueWriter>(std::move(writer));
  for (std::size_t i = 0; i < roots.size(); ++i) {
    session->writer->know(roots[i].folder, session->roots[i].folder, session->roots[i].id);
  }
  std::unique_ptr<Scan> scan(new Scan(std::move(session), clock));
  TRY(scan->start());
  return scan;
}

Scan::Scan(std::unique_ptr<Session> session, const Clock& clock)
    : clock_(clock), session_(std::move(session)), path_(session_->db.path()) {
  for (const RootRow& root : session_->roots) roots_.push_back(root.folder);
}

Result<void> Scan::start() {
  LET(thread_, start_thread(
                   "the catalogue", [this] { serve(); },
                   [this](Failure failure) {
                     inbox_.update([&](Inbox& i) {
                       i.committed = i.recorded;  // releases flush()
                       if (i.state) i.state = std::unexpected(std::move(failure));
                     });
                   }));
  return {};
}

Scan::~Scan() {
  if (!thread_.joinable()) return;
  if (close()) (void)note_ending("interrupted");
}

FolderKey Scan::root_key(std::size_t root) const { return roots_[root]; }

Result<std::unique_ptr<Memory>> Scan::memory() const { return open_memory(path_); }

Result<void> Scan::record(FolderBatch batch) {
  const std::size_t weight = weight_of(batch);
  bool is_now_due = false;
  {
    auto inbox = inbox_.lock();
    inbox.wait([](const Inbox& i) { return i.weight < kMostWaiting || !i.state; });
    if (!inbox->state) return inbox->state;
    const bool was_due = inbox->weight >= kTransaction;
    inbox->batches.push_back(std::move(batch));
    inbox->weight += weight;
    ++inbox->recorded;
    is_now_due = !was_due && inbox->weight >= kTransaction;
  }
  // Wakes the writer once per transaction, not for every folder.
  if (is_now_due) inbox_.update([](Inbox&) {});
  return {};
}

Result<void> Scan::flush() {
  const auto target = inbox_.update([](Inbox& i) { return i.wanted = i.recorded; });
  auto inbox = inbox_.lock();
  inbox.wait([&](const Inbox& i) { return i.committed >= target; });
  return inbox->state;
}

Result<void> Scan::finish() {
  TRY(close());
  return in_catalogue(note_ending("complete"));
}

Result<void> Scan::close() {
  inbox_.update([](Inbox& i) { i.is_closed = true; });
  thread_.join();
  const auto inbox = inbox_.lock();
  return inbox->state;
}

Result<void> Scan::note_ending(std::string_view ending) {
  return end_roots(session_->db, session_->roots, ending, clock_.wall());
}

void Scan::serve() {
  const auto is_due = [](const Inbox& i) {
    return i.weight >= kTransaction || i.wanted > i.committed || i.is_closed;
  };
  std::vector<FolderBatch> batches;
  for (;;) {
    (void)inbox_.lock().wait_until(clock_, clock_.now() + kPatience, is_due);
    const bool is_over = inbox_.update([&](Inbox& i) {
      batches.swap(i.batches);
      i.weight = 0;
      return i.is_closed && batches.empty();
    });
    if (is_over) return;
    if (batches.empty()) continue;
    auto committed = contained([&] { return in_catalogue(commit(batches)); });
    inbox_.update([&](Inbox& i) {
      i.committed += batches.size();
      if (i.state) i.state = std::move(committed);
    });
    batches.clear();
  }
}

// Writes nothing after a failure, because the CatalogueWriter caches folders that were rolled back.
Result<void> Scan::commit(std::vector<FolderBatch>& batches) {
  if (const auto inbox = inbox_.lock(); !inbox->state) return inbox->state;
  LET(auto transaction, store::Transaction::begin(session_->db));
  session_->writer->set_time(seconds_of(clock_.wall()));
  for (FolderBatch& batch : batches) TRY(session_->writer->put(batch));
  TRY(session_->writer->flush());
  TRY(transaction.commit());
  if (session_->db.log_pages() < kCheckpointPages) return {};
  (void)session_->db.checkpoint();  // on a full disk the next commit fails, too
  if (const auto& damage = session_->db.damage()) return std::unexpected(*damage);
  return {};
}

}  // namespace tidemill::catalogue
