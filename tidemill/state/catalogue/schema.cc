#include "tidemill/state/catalogue/schema.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <fstream>

#include "tidemill/base/try.h"
#include "tidemill/io/files/private_files.h"

namespace tidemill::catalogue {
namespace {

// An unchanged file is never written, so there is no last_seen column: the last complete scan of
// its root has seen it. Columns that are mostly NULL cost a byte each.
constexpr std::string_view kVersion1 = R"sql(
create table about(key text primary key, value) without rowid;
create table roots(
  id integer primary key,
  path blob not null unique,
  folder integer not null,
  added_at integer not null,
  scans_started integer not null default 0,
  started_at integer,
  scans_completed integer not null default 0,
  completed_at integer,
  ending text);
create table folders(
  id integer primary key,
  root integer not null,
  parent integer not null,
  name blob not null,
  first_seen integer not null,
  removed_at integer,
  restored_at integer,
  error text,
  unique(parent, name));
create table files(
  folder integer not null,
  name blob not null,
  size integer not null,
  mtime_ns integer not null,
  ctime_ns integer not null,
  device integer not null,
  inode integer not null,
  blocks integer not null,
  links integer not null,
  algorithm integer,
  hash blob,
  edges blob,
  removed_at integer,
  error text,
  first_seen integer not null,
  changed_at integer,
  restored_at integer,
  primary key(folder, name)) without rowid;
create view folder_paths(folder, root, path) as
  with recursive below(id, root, path) as (
    select id, root, name from folders where parent = 0
    union all
    select f.id, f.root, cast(below.path || cast('/' as blob) || f.name as blob)
    from below join folders f on f.parent = below.id)
  select id, root, path from below;
create view file_list as
  select cast(p.path || cast('/' as blob) || f.name as blob) as path, f.size, f.mtime_ns,
    f.ctime_ns, f.device, f.inode, f.blocks, f.links, f.algorithm, hex(f.hash) as hash, f.error,
    f.first_seen, f.changed_at, f.restored_at, f.removed_at,
    case when f.removed_at is null
      then max(f.first_seen, coalesce(f.changed_at, 0), coalesce(f.restored_at, 0),
               coalesce(r.completed_at, 0))
      end as last_seen
  from folder_paths p join roots r on r.id = p.root join files f on f.folder = p.folder;
)sql";

// Token counts are stored by inode and not by path, so they survive a move of the file. Tokenizer
// ids are never reused: otherwise old counts would be attributed to another tokenizer.
constexpr std::string_view kVersion2 = R"sql(
create table tokenizers(id integer primary key, fingerprint text not null unique);
create table token_counts(
  tokenizer integer not null,
  device integer not null,
  inode integer not null,
  size integer not null,
  mtime_ns integer not null,
  ctime_ns integer not null,
  tokens integer not null,
  kind integer not null,
  digest blob not null,
  used_on integer not null,
  primary key(tokenizer, device, inode)) without rowid;
)sql";

// Checksums for the values that are trusted without reading the file: hashes, edges and counts. A
// stamp is compared with the file, and a wrong one only costs a read.
constexpr std::string_view kVersion3 = R"sql(
alter table files add column hash_checksum integer;
alter table files add column edges_checksum integer;
alter table token_counts add column checksum integer;
update files set hash_checksum = checksum(hash) where hash is not null;
update files set edges_checksum = checksum(edges) where edges is not null;
update token_counts set checksum = checksum(tokenizer, device, inode, size, mtime_ns, ctime_ns,
  tokens, kind, digest);
)sql";

constexpr std::string_view kScripts[] = {kVersion1, kVersion2, kVersion3};

constexpr std::chrono::milliseconds kPatience{60'000};  // for the transactions of other scanners

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string machine_id() {
  std::string id;
  std::getline(std::ifstream("/etc/machine-id"), id);
  return id;
}

Result<bool> is_empty(store::Db& db) {
  LET(auto objects, db.prepare("select count(*) from sqlite_schema"));
  LET(const auto count, objects.one<std::int64_t>());
  return count == 0;
}

Result<void> refuse_stranger(store::Db& db) {
  LET(auto id, db.prepare("pragma application_id"));
  LET(const auto found, id.one<std::int64_t>());
  if (found == catalogue_format().application_id) return {};
  return store::migrate(db, catalogue_format());
}

Result<void> write_about(store::Db& db) {
  LET(auto insert, db.prepare("insert or ignore into about values (?, ?)"));
  TRY(insert.run(std::string_view("host"), std::string_view(host_name())));
  if (const std::string id = machine_id(); !id.empty()) {
    TRY(insert.run(std::string_view("machine_id"), std::string_view(id)));
  }
  return db.exec("insert or ignore into about values ('made_at', unixepoch())");
}

Result<store::Db> open_unnamed(const std::string& path, store::Open mode) {
  if (mode == store::Open::create) files::make_private_file(path);  // it lists all file names
  LET(auto db, store::Db::open(path, {.mode = mode, .busy_timeout = kPatience}));
  // A wrong path must not turn another program's file into a WAL database.
  LET(const bool is_new, is_empty(db));
  if (!is_new) TRY(refuse_stranger(db));
  if (is_new && mode != store::Open::create) {
    return fail(Cure::give_up, "open", path + ": the catalogue is empty");
  }
  LET(auto wal, db.prepare("pragma journal_mode = wal"));
  LET(const auto log, wal.one<std::string>());
  if (log != "wal") {
    return fail(Cure::give_up, "open",
                path + ": the file system does not support a write-ahead log");
  }
  // secure_delete would overwrite every value that grows with zeros.
  TRY(
      db.exec("pragma synchronous = normal; pragma secure_delete = off;"
              "pragma cache_size = -2000"));
  TRY(store::migrate(db, catalogue_format()));
  if (is_new) TRY(write_about(db));
  return db;
}

// Later versions only added tables and columns, so readers can use older files.
Result<OpenedCatalogue> open_reader(const std::string& path) {
  LET(auto db, store::Db::open(path, {.mode = store::Open::read,
                                      .busy_timeout = kPatience,
                                      .is_immutable = is_immutable(path)}));
  TRY(db.exec("pragma cache_size = -512"));  // folders are read roughly in the order of their rows
  LET(const auto version, store::require_since(db, catalogue_format(), 1));
  return OpenedCatalogue{.db = std::move(db), .version = version};
}

}  // namespace

const store::DbFormat& catalogue_format() {
  static constexpr store::DbFormat kFormat{
      .name = "catalogue",
      .application_id = 0x746d6361,  // "tmca"
      .scripts = kScripts,
      .update_hint = "scan one of its roots to upgrade the file",
      .damage_hint = "remove the file; the next scan creates a new one and reads the files again"};
  return kFormat;
}

Result<store::Db> open_for_writing(const std::string& path, store::Open mode) {
  return in_catalogue(open_unnamed(path, mode));
}

Result<store::Db> open_for_reading(const std::string& path) {
  LET(auto opened, open_with_version(path));
  return std::move(opened.db);
}

bool is_immutable(const std::string& path) {
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const bool has_log = ::access((path + "-wal").c_str(), F_OK) == 0;
  return !has_log && ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0;
}

Result<OpenedCatalogue> open_with_version(const std::string& path) {
  return in_catalogue(open_reader(path));
}

}  // namespace tidemill::catalogue
