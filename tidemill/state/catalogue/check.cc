// Catalogue::check: SQLite's integrity check of the pages, then the invariants between the tables.
#include <tuple>

#include "tidemill/base/try.h"
#include "tidemill/state/catalogue/catalogue.h"
#include "tidemill/state/catalogue/schema.h"

namespace tidemill::catalogue {
namespace {

struct Question {
  std::string_view count;  // of what is wrong
  std::string_view finding;
  std::int64_t since = 1;  // the version that added the columns
};

// The lengths are those of io/hash/algorithm.h; unknown algorithms of later versions are not
// checked.
constexpr Question kQuestions[] = {
    {.count = "select count(*) from files where folder not in (select id from folders)",
     .finding = "files without a folder"},
    {.count = "select count(*) from folders where parent <> 0"
              " and parent not in (select id from folders)",
     .finding = "folders without a parent"},
    {.count = "select count(*) from folders where parent <> 0 and id not in"
              " (with recursive below(id) as (select id from folders where parent = 0"
              " union select f.id from folders f join below on f.parent = below.id)"
              " select id from below)",
     .finding = "folders that are not below any root"},
    {.count = "select count(*) from folders where root not in (select id from roots)",
     .finding = "folders without a root"},
    {.count = "select count(*) from roots r where not exists"
              " (select 1 from folders f where f.id = r.folder and f.root = r.id and f.parent = 0)",
     .finding = "roots without a folder"},
    {.count = "select count(*) from folders c join folders p on p.id = c.parent"
              " where c.removed_at is null and p.removed_at is not null",
     .finding = "existing folders below a removed folder"},
    {.count = "select count(*) from files f join folders d on d.id = f.folder"
              " where f.removed_at is null and d.removed_at is not null",
     .finding = "existing files in a removed folder"},
    {.count = "select count(*) from files where typeof(folder) <> 'integer'"
              " or typeof(name) <> 'blob' or length(name) = 0 or typeof(size) <> 'integer'"
              " or typeof(hash) not in ('blob', 'null') or typeof(edges) not in ('blob', 'null')",
     .finding = "files with a value of the wrong type"},
    {.count = "select count(*) from files where hash is not null and (algorithm is null or"
              " length(hash) <> case algorithm when 1 then 16 when 2 then 32 when 3 then 64"
              " when 4 then 32 when 5 then 64 else length(hash) end)",
     .finding = "files whose hash does not have the length of its algorithm"},
    {.count =
         "select count(*) from token_counts where tokenizer not in (select id from tokenizers)",
     .finding = "token counts without a tokenizer",
     .since = 2},
    {.count = "select count(*) from token_counts where typeof(size) <> 'integer' or size < 0"
              " or typeof(mtime_ns) <> 'integer' or typeof(ctime_ns) <> 'integer'"
              " or typeof(tokens) <> 'integer' or tokens < 0 or kind not in (0, 1)"
              " or typeof(digest) <> 'blob' or length(digest) <> 16"
              " or typeof(used_on) <> 'integer'",
     .finding = "token counts with an invalid value",
     .since = 2},
    {.count = "select count(*) from files where"
              " hash_checksum is not iif(hash is null, null, checksum(hash)) or"
              " edges_checksum is not iif(edges is null, null, checksum(edges))",
     .finding = "files with a wrong checksum, which the next scan reads again",
     .since = kSinceChecksums},
    {.count = "select count(*) from token_counts where checksum is not checksum(tokenizer, device,"
              " inode, size, mtime_ns, ctime_ns, tokens, kind, digest)",
     .finding = "token counts with a wrong checksum, which are counted again",
     .since = kSinceChecksums},
};

Result<std::int64_t> version_of(store::Db& db) {
  LET(auto pragma, db.prepare("pragma user_version"));
  LET(const auto version, pragma.one<std::int64_t>());
  return version.value_or(0);
}

Result<void> ask_pages(store::Db& db, std::vector<std::string>& findings) {
  LET(auto pragma, db.prepare("pragma integrity_check(20)"));
  return pragma.rows<std::string>(std::tuple(), [&](std::string line) {
    if (line != "ok") findings.push_back(std::move(line));
  });
}

Result<void> ask(store::Db& db, const Question& question, std::vector<std::string>& findings) {
  LET(const auto version, version_of(db));
  if (version < question.since) return {};
  LET(auto statement, db.prepare(question.count));
  LET(const auto count, statement.one<std::int64_t>());
  if (count == 0) return {};
  findings.push_back(std::string(question.finding) + ": " + std::to_string(count.value_or(0)));
  return {};
}

// A file too damaged to be read is a finding; a busy database is a failure.
Result<void> note_or_fail(const store::Db& db, Result<void> done,
                          std::vector<std::string>& findings) {
  if (done) return {};
  if (!db.damage() && done.error().cure == Cure::retry) return done;
  findings.push_back(text_of(in_catalogue(done.error())));
  return {};
}

}  // namespace

Result<std::vector<std::string>> Catalogue::check() {
  std::vector<std::string> findings;
  TRY(in_catalogue(db_.exec("begin")));  // one snapshot for all questions
  auto done = note_or_fail(db_, ask_pages(db_, findings), findings);
  for (const Question& question : kQuestions) {
    if (done) done = note_or_fail(db_, ask(db_, question, findings), findings);
  }
  (void)db_.exec("rollback");
  if (!done) return std::unexpected(in_catalogue(std::move(done).error()));
  return findings;
}

}  // namespace tidemill::catalogue
