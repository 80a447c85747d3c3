// The description of the verb: help, man page, completions and parsing come from here.
#include <utility>
#include <vector>

#include "tidemill/jobs/import/options.h"

namespace tidemill::import {
namespace {

using command::Argument;
using command::Flag;
using command::ValueKind;

std::vector<Flag> mode_flags() {
  const std::string group = "Database";
  const auto mode = [&](const char* name, const char* help, bool is_basic) {
    return Flag{
        .name = name, .help = help, .is_configurable = false, .group = group, .is_basic = is_basic};
  };
  return {
      {.name = "into",
       .kind = ValueKind::path,
       .metavar = "DB",
       .help = "SQLite database to write",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      mode("replace", "build a new database; keep the old one until it is done", true),
      mode("append", "add rows to an existing database", true),
      mode("upsert", "insert or update rows by key; keep columns the record lacks", false),
      mode("incremental", "import new and changed files; replace their rows", true),
      {.name = "table",
       .kind = ValueKind::text,
       .metavar = "NAME",
       .help = "import all files into one table",
       .fallback_text = "one table per file, named after it",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> shape_flags() {
  const std::string group = "Columns";
  return {
      {.name = "nested",
       .kind = ValueKind::choice,
       .metavar = "HOW",
       .help = "how to store nested values",
       .fallback = "json",
       .choices = {"json", "flatten", "tables"},
       .group = group,
       .is_basic = true},
      {.name = "languages",
       .kind = ValueKind::text,
       .metavar = "CODES",
       .help = "keep only these languages of translated text, such as en,de",
       .is_list = true,
       .group = group},
      {.name = "key",
       .kind = ValueKind::text,
       .metavar = "COLUMN",
       .help = "column that identifies a row",
       .fallback_text = "_key, if it can be a key",
       .group = group},
      {.name = "no-key", .help = "do not use any column as the key", .group = group},
      {.name = "index",
       .kind = ValueKind::text,
       .metavar = "COLUMN",
       .help = "create an index on COLUMN in every table that has it, after loading",
       .is_list = true,
       .group = group},
      {.name = "types",
       .kind = ValueKind::text,
       .metavar = "COLUMN=TYPE",
       .help = "force a column to integer, real or text; reject lines that do not fit",
       .is_list = true,
       .group = group},
  };
}

std::vector<Flag> work_flags() {
  const std::string group = "Running";
  return {
      {.name = "max-rejects",
       .kind = ValueKind::text,
       .metavar = "N|N%",
       .help = "give up when more lines than this are rejected",
       .fallback_text = "no limit",
       .group = group},
      {.name = "jobs",
       .letter = 'j',
       .aliases = {"workers", "w"},
       .kind = ValueKind::count,
       .metavar = "N",
       .help = "parser threads; 0 = all cores",
       .fallback = "0",
       .group = group,
       .most = "32",
       .is_basic = true},
      {.name = "writer",
       .kind = ValueKind::choice,
       .metavar = "HOW",
       .help = "write database pages directly, or insert rows with SQL",
       .fallback_text = "pages for a new database, else sql",
       .choices = {"pages", "sql"},
       .group = group},
      {.name = "page-size",
       .kind = ValueKind::size,
       .metavar = "SIZE",
       .help = "page size of a new database, a power of two",
       .fallback = "32K",
       .group = group,
       .least = "4K",
       .most = "64K"},
      {.name = "max-line",
       .kind = ValueKind::size,
       .metavar = "SIZE",
       .help = "reject longer lines; one line of this size must fit into memory",
       .fallback = "512M",
       .group = group,
       .least = "4K",
       .most = "900M"},
      {.name = "no-verify",
       .help = "skip the row count and the integrity check at the end",
       .group = group},
      {.name = "dry-run",
       .letter = 'n',
       .help = "list the files and their tables; change nothing",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "json",
       .help = "print the report as one JSON object",
       .group = group,
       .is_basic = true},
  };
}

}  // namespace

command::Verb verb() {
  command::Verb verb{
      .name = "import",
      .summary = "import JSON Lines into SQLite",
      .usage = {"tidemill import SOURCE... --into DB [OPTIONS]",
                "tidemill import --files-from FILE|- [-0] --into DB [OPTIONS]"},
      .examples =
          {{"tidemill import export --into export.db", "one table for each *.jsonl below export"},
           {"tidemill import export --into export.db --incremental",
            "import again, but only files that have changed"},
           {"zstd -dc log.zst | tidemill import - --into log.db --table log",
            "read from a pipe into one table"},
           {"tidemill import export --into export.db --replace --nested tables --languages en",
            "lists as tables of their own, translated text in English"},
           {"sqlite3 export.db 'select file, line, reason from _rejects'",
            "list the rejected lines and the reasons"}},
      .description =
          {"Reads files of JSON Lines (plain, gzip or zstd) and writes one table per file. Columns "
           "and types come from all lines, not from a sample: a column that appears late is added, "
           "and a type widens from INTEGER to REAL to TEXT without losing a digit; the report says "
           "where and why.",
           "A line that is not a JSON object is rejected: it is kept in the table _rejects with "
           "its file, line, offset and reason, and the exit status is 3. A file that cannot be "
           "read to the end is not imported at all.",
           "--nested json stores objects and lists as JSON text; flatten stores objects as "
           "columns; tables also stores lists as tables of their own.",
           "A new database is built in DB.tidemill.part and renamed when it is complete. With "
           "--append, --upsert and --incremental, each file is committed as a whole together with "
           "the record that it is imported; after a crash, tidemill resume or the same command "
           "continues with the files that are missing. Standard input cannot be resumed: pipe the "
           "data in again."},
      .arguments = {Argument{.name = "SOURCE",
                             .help = "files, folders (*.jsonl and *.ndjson, also .gz and .zst), or "
                                     "- for standard input",
                             .is_list = true}},
  };
  for (auto flags : {mode_flags(), jobs::list_source_flags("Files"), shape_flags(), work_flags()}) {
    for (Flag& flag : flags) verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  return verb;
}

}  // namespace tidemill::import
