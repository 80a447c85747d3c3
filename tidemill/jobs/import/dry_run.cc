#include "tidemill/jobs/import/dry_run.h"

#include <filesystem>
#include <set>
#include <system_error>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/counted.h"
#include "tidemill/formats/text/json.h"
#include "tidemill/formats/text/printable.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/io/store/db.h"
#include "tidemill/jobs/import/read/planner.h"
#include "tidemill/jobs/import/rows/tables.h"
#include "tidemill/ui/term/table.h"

namespace tidemill::import {
namespace {

bool joins(const ImportOptions& options) {
  std::error_code ignored;
  return options.mode != Mode::fresh && std::filesystem::exists(options.into, ignored);
}

Result<ReadPlan> plan_of(const ImportOptions& options, std::vector<SourceFile>& files,
                         Tables& tables) {
  if (!joins(options)) return plan_fresh(options, files, tables);
  LET(auto db, store::Db::open(options.into, {.mode = store::Open::read}));
  return plan_shown(options, files, tables, db);
}

}  // namespace

Result<ShownImport> plan_import(const ImportOptions& options, const std::stop_token& stop) {
  LET(SourceList sources, find_sources(options, stop));
  Tables tables(taken_names());
  LET(const ReadPlan plan, plan_of(options, sources.files, tables));
  ShownImport shown{.failures = std::move(sources.failures), .skipped = plan.skipped};
  for (const SourceFile* file : plan.files) {
    shown.files.emplace_back(file->path, file->table->name());
  }
  return shown;
}

std::string table_of(const ShownImport& shown, std::optional<std::size_t> width) {
  if (shown.files.empty()) return {};
  term::Table table({{.heading = "TABLE"}, {.heading = "SOURCE"}});
  for (const auto& [path, name] : shown.files) table.add({name, path});
  return table.text(width);
}

std::string text_of(const ShownImport& shown, const ImportOptions& options) {
  std::set<std::string> tables;
  for (const auto& [path, name] : shown.files) tables.insert(name);
  std::string text = "dry run: " + text::counted(shown.files.size(), "file") + " into " +
                     text::counted(tables.size(), "table") + " of " + text::printable(options.into);
  if (shown.skipped > 0) {
    text += ", " + text::count_text(shown.skipped) + " skipped (already imported)";
  }
  if (!shown.failures.empty()) {
    text += ", " + text::counted(shown.failures.size(), "file") + " failed";
  }
  text += "; nothing was changed\n";
  if (!shown.failures.empty()) text += "\nfailed files:\n";
  for (const SourceFailure& failed : shown.failures) {
    text += "  " + text::printable(text_of(failed)) + "\n";
  }
  return text;
}

std::string json_of(const ShownImport& shown, const ImportOptions& options) {
  std::string line;
  text::JsonWriter json(line);
  json.begin_object().key("v").value(1).key("event").value("summary").key("job").value("import");
  json.key("dryRun").value(true).bytes("into", options.into);
  json.key("mode").value(name_of(options.mode));
  json.key("found").value(shown.files.size() + shown.skipped + shown.failures.size());
  json.key("done").value(0).key("skipped").value(shown.skipped);
  json.key("failed").value(shown.failures.size()).key("files").begin_array();
  for (const auto& [path, table] : shown.files) {
    json.begin_object().bytes("path", path).bytes("table", table).end_object();
  }
  json.end_array().key("failures").begin_array();
  for (const SourceFailure& failed : shown.failures) {
    json.begin_object().bytes("path", failed.path).bytes("step", failed.failure.step);
    json.bytes("reason", failed.failure.reason).end_object();
  }
  json.end_array().end_object();
  return line + "\n";
}

}  // namespace tidemill::import
