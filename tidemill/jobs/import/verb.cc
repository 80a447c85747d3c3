// The description of the verb: help, man page, completions and parsing come from here.
#include <utility>
#include <vector>

#include "tidemill/jobs/import/options.h"
#include "tidemill/ui/command/file_flags.h"

namespace tidemill::import {
namespace {

using command::Argument;
using command::Flag;
using command::Kind;

std::vector<Flag> mode_flags() {
  const std::string group = "Where to";
  const auto mode = [&](const char* name, const char* help) {
    return Flag{.name = name, .help = help, .is_configurable = false, .group = group};
  };
  return {
      {.name = "into",
       .kind = Kind::path,
       .metavar = "DB",
       .help = "the SQLite database to fill",
       .is_configurable = false,
       .group = group},
      mode("replace", "build it anew; the old one is there until the new one is whole"),
      mode("append", "add the rows to what is there"),
      mode("upsert", "rows with a known key change what the record gives, and nothing else"),
      mode("incremental",
           "only files that have changed since the last import; they replace their "
           "rows"),
      {.name = "table",
       .kind = Kind::text,
       .metavar = "NAME",
       .help = "all files into this table",
       .fallback_text = "a table a file, named after it",
       .is_configurable = false,
       .group = group},
  };
}

std::vector<Flag> shape_flags() {
  const std::string group = "Columns";
  return {
      {.name = "nested",
       .kind = Kind::choice,
       .metavar = "HOW",
       .help = "objects and lists: as JSON text; objects as columns of their own; or lists as "
               "tables of their own, too",
       .fallback = "json",
       .choices = {"json", "flatten", "tables"},
       .group = group},
      {.name = "languages",
       .kind = Kind::text,
       .metavar = "CODES",
       .help = "of texts in several languages only these, as columns: en,de",
       .is_list = true,
       .group = group},
      {.name = "key",
       .kind = Kind::text,
       .metavar = "COLUMN",
       .help = "the column that identifies a row",
       .fallback_text = "_key, where it can be one",
       .group = group},
      {.name = "no-key", .help = "no column is a key", .group = group},
      {.name = "index",
       .kind = Kind::text,
       .metavar = "COLUMN",
       .help = "an index on this column, in every table that has it; made after the load",
       .is_list = true,
       .group = group},
      {.name = "types",
       .kind = Kind::text,
       .metavar = "COLUMN=TYPE",
       .help = "this column is integer, real or text; a line that does not fit is rejected",
       .is_list = true,
       .group = group},
  };
}

std::vector<Flag> work_flags() {
  const std::string group = "How";
  return {
      {.name = "max-rejects",
       .kind = Kind::text,
       .metavar = "N|N%",
       .help = "give up when more lines, or a larger share of them, are no rows",
       .fallback_text = "go on",
       .group = group},
      {.name = "workers",
       .letter = 'w',
       .kind = Kind::count,
       .metavar = "N",
       .help = "threads that parse; 0: one a core",
       .fallback = "0",
       .group = group,
       .most = "32"},
      {.name = "writer",
       .kind = Kind::choice,
       .metavar = "HOW",
       .help = "write the pages of a new database ourselves, or let SQLite insert",
       .fallback_text = "pages for a new database, else sql",
       .choices = {"pages", "sql"},
       .group = group},
      {.name = "page-size",
       .kind = Kind::size,
       .metavar = "SIZE",
       .help = "of a new database, a power of two",
       .fallback = "32K",
       .group = group,
       .least = "4K",
       .most = "64K"},
      {.name = "max-line",
       .kind = Kind::size,
       .metavar = "SIZE",
       .help = "a longer line is rejected; one such line must fit into memory",
       .fallback = "512M",
       .group = group,
       .least = "4K",
       .most = "900M"},
      {.name = "no-verify",
       .help = "do not count the rows and check the database at the end",
       .group = group},
      {.name = "json", .help = "the report as one JSON object on standard output", .group = group},
  };
}

}  // namespace

command::Verb verb() {
  command::Verb verb{
      .name = "import",
      .summary = "JSON lines into SQLite: all files, all columns, no line lost in silence",
      .usage = {"tidemill import SOURCE... --into DB [OPTIONS]"},
      .examples =
          {{"tidemill import export --into export.db", "a table for each *.jsonl below export"},
           {"zstd -dc log.zst | tidemill import - --into log.db --table log", "from a pipe"},
           {"tidemill import export --into export.db --incremental",
            "again, but only files that have changed"},
           {"tidemill import export --into export.db --replace --nested tables --languages en",
            "lists as tables of their own, texts in English"},
           {"sqlite3 export.db 'select file, line, reason from _rejects'",
            "which lines are no rows, and why"}},
      .description =
          {"Reads files of JSON lines (plain, gzip or zstd) and makes a table of each. The columns "
           "and their types come from all lines, not from a sample: a column that appears late is "
           "added, and a type widens from INTEGER to REAL to TEXT without losing a digit; the "
           "report says where and why.",
           "A line that is no JSON object costs itself: it is kept in the table _rejects with its "
           "file, line, offset and reason, and the exit status is 3. A file that cannot be read to "
           "its end is left out as a whole.",
           "A new database is built in DB.tidemill.part and renamed when it is whole. Into an "
           "existing one "
           "(--append, --upsert, --incremental) files go one by one, each whole or not at all, "
           "together with the note that it is in; after a crash tidemill resume, or the same "
           "command, goes on with the files that are missing."},
      .arguments = {Argument{.name = "SOURCE",
                             .help = "files, folders (*.jsonl and *.ndjson, also .gz and .zst), or "
                                     "- for standard input",
                             .is_list = true}},
  };
  std::vector<Flag> files = command::file_flags("Which files");
  files.push_back(command::allow_empty_flag("Which files"));
  for (auto flags : {mode_flags(), files, shape_flags(), work_flags()}) {
    for (Flag& flag : flags) verb.flags.push_back(std::move(flag));
  }
  verb.works = true;
  return verb;
}

}  // namespace tidemill::import
