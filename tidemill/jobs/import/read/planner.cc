#include "tidemill/jobs/import/read/planner.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "tidemill/base/try.h"
#include "tidemill/formats/text/quantity.h"
#include "tidemill/io/hash/reader.h"
#include "tidemill/io/store/transaction.h"
#include "tidemill/jobs/import/rows/names.h"
#include "tidemill/jobs/import/sql/loader.h"

namespace tidemill::import {
namespace {

std::string options_text(const ImportOptions& options) {
  std::string text = options.table + "\n" + options.key + "\n";
  text += std::to_string(static_cast<int>(options.nested)) + "\n";
  for (const std::string& language : options.languages) text += language + ",";
  for (const auto& [column, type] : options.types) {
    text += "\n" + column + "=" + std::string(name_of(type));
  }
  for (const std::string& glob : options.globs) text += "\n--glob=" + glob;
  for (const std::string& glob : options.excludes) text += "\n--exclude=" + glob;
  if (!options.hidden) text += "\n--no-hidden";
  if (options.list.is_given()) text += "\n--files-from=" + absolute_name(options.list.files_from);
  return text;
}

// Identifies an interrupted import: the options, then the names of the sources, one per line. Not
// the files of a folder: some may have been added or removed since.
std::string arguments_of(const ImportOptions& options) {
  std::string text = options_text(options);
  for (const std::string& source : options.sources) text += "\n" + absolute_name(source);
  return text;
}

// Whether the import with these arguments had the same options and its sources are all named now.
// More sources may be named, because a shell expands a pattern anew each time.
bool goes_on(const std::string& arguments, const ImportOptions& options,
             const std::vector<SourceFile>& files) {
  if (arguments == arguments_of(options)) return true;
  std::string_view left = arguments;
  const std::string text = options_text(options);
  if (!left.starts_with(text + "\n")) return false;
  left.remove_prefix(text.size() + 1);
  std::set<std::string, std::less<>> names;
  for (const std::string& source : options.sources) names.insert(absolute_name(source));
  for (const SourceFile& file : files) names.insert(file.name);
  return std::ranges::all_of(std::views::split(left, '\n'), [&](const auto& name) {
    return names.contains(std::string_view(name));
  });
}

enum class Sameness : std::uint8_t { same, touched, changed };

// Whether a file has changed since its rows were stored.
Result<Sameness> compare(const SourceFile& file, const ImportedFile& known, FileStamp& stamp) {
  struct stat seen{};
  if (!file.can_restart || ::stat(file.path.c_str(), &seen) != 0) return Sameness::changed;
  stamp = stamp_of(seen);
  if (stamp == known.record.stamp) return Sameness::same;
  if (stamp.size != known.record.stamp.size) return Sameness::changed;
  LET(auto reader, hash::FileReader::make(hash::Algorithm::xxh3));
  // The user names the sources, and may name a symlink.
  const hash::FilePlace place{
      .folder = AT_FDCWD, .name = file.path.c_str(), .stamp = stamp, .is_link = true};
  LET(const hash::Digest digest, reader.whole(place, {}));
  return digest.view() == known.record.hash ? Sameness::touched : Sameness::changed;
}

// One thread.
class Joiner {
 public:
  Joiner(const ImportOptions& options, Tables& tables, store::Db& db)
      : options_(options), tables_(tables), db_(db), import_log_(db) {}

  Result<void> begin(const std::vector<SourceFile>& files) {
    LET(auto transaction, store::Transaction::begin(db_));
    TRY(import_log_.make());
    LET(const auto unfinished, import_log_.unfinished_imports(name_of(options_.mode)));
    for (const KnownImport& known : unfinished) {
      if (!goes_on(known.arguments, options_, files)) continue;
      if (!std::exchange(is_resumed_, true)) {
        plan.import = known.id;
      } else {
        TRY(import_log_.take_over_import(known.id, plan.import));
      }
    }
    if (!is_resumed_) {
      LET(plan.import, import_log_.begin_import(name_of(options_.mode), arguments_of(options_)));
    }
    LET(known_, import_log_.files());
    TRY(look_at_names());
    return transaction.commit();
  }

  // Instead of begin(), for --dry-run.
  Result<void> look() {
    LET(const bool has_import_log, import_log_.is_there());
    if (has_import_log) {
      LET(known_, import_log_.files());
    }
    return look_at_names();
  }

  // Instead of take(), for --dry-run.
  Result<void> show(SourceFile& file) {
    const auto found = known_.find(file.name);
    const ImportedFile* const known = found != known_.end() ? &found->second : nullptr;
    if (known != nullptr && options_.mode == Mode::incremental) {
      FileStamp stamp;
      LET(const Sameness sameness, compare(file, *known, stamp));
      if (sameness != Sameness::changed) {
        ++plan.skipped;
        return {};
      }
    }
    LET(file.table, table_for(file, known));
    plan.files.push_back(&file);
    return {};
  }

  Result<void> take(SourceFile& file) {
    const auto known = known_.find(file.name);
    if (known != known_.end()) {
      LET(const bool is_in, is_settled(file, known->second));
      if (is_in) return {};
    }
    LET(file.table, table_for(file, known != known_.end() ? &known->second : nullptr));
    plan.files.push_back(&file);
    return {};
  }

  void tell_vanished(const std::vector<SourceFile>& files) {
    if (options_.mode != Mode::incremental) return;
    std::set<std::string> here;
    for (const SourceFile& file : files) here.insert(file.name);
    std::uint64_t gone = 0;
    for (const auto& [name, known] : known_) gone += here.contains(name) ? 0 : 1;
    if (gone == 0) return;
    plan.notes.push_back(
        gone == 1 ? "1 file of an earlier import was not given this time; its table stays."
                  : text::count_text(gone) +
                        " files of earlier imports were not "
                        "given this time; their tables stay.");
  }

  void tell_resumed() {
    if (!is_resumed_) return;
    plan.notes.emplace_back(plan.files.empty() ? "All files of the interrupted import are imported."
                                               : "Continuing the interrupted import.");
  }

  ReadPlan plan{};

 private:
  // True: the file need not be read.
  Result<bool> is_settled(const SourceFile& file, const ImportedFile& known) {
    const bool is_ours = is_resumed_ && known.import == plan.import;
    const bool is_append = options_.mode == Mode::append;
    if (is_append && is_resumed_ && known.import > plan.import) {
      return leave_out(file, "another import added it after this one was interrupted",
                       "if its rows are missing, import this file alone");
    }
    if (options_.mode != Mode::incremental && !is_ours) return false;
    if (is_append && !file.can_restart) {
      return leave_out(file, "the interrupted import already added its rows",
                       "check the rows: the data given now cannot be compared with them");
    }
    FileStamp stamp;
    auto sameness = compare(file, known, stamp);
    if (!sameness) {
      plan.failures.push_back({file.path, std::move(sameness).error()});
      return true;
    }
    if (*sameness == Sameness::changed) {
      if (!is_append) return false;
      return leave_out(file, "changed after the interrupted import added its rows",
                       "import the new lines from a file of their own; the old rows are kept");
    }
    if (*sameness == Sameness::touched) TRY(import_log_.touch_file(file.name, stamp));
    if (is_ours) {
      LET(RowTable * table, table_for(file, &known));
      plan.filled.push_back(table);
    }
    ++plan.skipped;
    return true;
  }

  // Importing the file could duplicate rows, and skipping it could lose rows, so the user must
  // decide.
  bool leave_out(const SourceFile& file, std::string reason, std::string hint) {
    plan.failures.push_back(
        {file.path,
         Failure{.step = "append", .reason = std::move(reason), .hint = std::move(hint)}});
    return true;
  }

  Result<void> look_at_names() {
    LET(auto list, db_.prepare("SELECT name, type FROM sqlite_schema"));
    return list.rows<std::string, std::string>(
        std::tuple<>{}, [&](const std::string& name, const std::string& type) {
          tables_.reserve(name);
          if (type == "table" || type == "view") existing_.push_back(name);
        });
  }

  [[nodiscard]] const std::string* existing(std::string_view wanted) const {
    for (const std::string& name : existing_) {
      if (is_same_name(name, wanted)) return &name;
    }
    return nullptr;
  }

  Result<RowTable*> table_for(const SourceFile& file, const ImportedFile* known) {
    std::string wanted = known != nullptr ? known->table : options_.table;
    if (wanted.empty()) wanted = table_name_of(file.path);
    const bool joins = known != nullptr || options_.mode != Mode::incremental;
    const std::string* there = joins ? existing(wanted) : nullptr;
    const std::string name = there != nullptr ? *there : wanted;
    if (const auto found = ours_.find(name);
        found != ours_.end() && (joins || !options_.table.empty())) {
      if (there != nullptr || !options_.table.empty()) return found->second;
    }
    if (there == nullptr) return ours_[name] = &tables_.add(name);
    LET(auto state, look_at_table(db_, name));
    if (!state) return ours_[name] = &tables_.add(name);
    RowTable& table = tables_.add_existing(name, *std::move(state));
    ours_[name] = &table;
    TRY(add_children(table));
    return &table;
  }

  // Adds the child tables of its lists; the columns that are ours come first.
  Result<void> add_children(RowTable& parent) {
    LET(const auto children, import_log_.children(parent.name()));
    for (const KnownChild& child : children) {
      LET(auto state, look_at_table(db_, child.table));
      if (!state) continue;
      for (Column& column : state->columns) {
        column.is_ours = column.field.empty() &&
                         (column.name == "parent" || column.name.starts_with("position"));
      }
      TRY(add_children(tables_.add_existing(child.table, *std::move(state), &parent, child.field)));
    }
    return {};
  }

  const ImportOptions& options_;
  Tables& tables_;
  store::Db& db_;
  ImportLog import_log_;
  bool is_resumed_ = false;
  std::map<std::string, ImportedFile> known_{};
  std::vector<std::string> existing_{};
  std::map<std::string, RowTable*> ours_{};
};

}  // namespace

std::vector<std::string> taken_names() { return {std::string(kRejectsTable)}; }

ReadPlan plan_fresh(const ImportOptions& options, std::vector<SourceFile>& files, Tables& tables) {
  ReadPlan plan;
  RowTable* shared = options.table.empty() ? nullptr : &tables.add(options.table);
  for (SourceFile& file : files) {
    file.table = shared != nullptr ? shared : &tables.add(table_name_of(file.path));
    plan.files.push_back(&file);
  }
  return plan;
}

Result<ReadPlan> plan_joining(const ImportOptions& options, std::vector<SourceFile>& files,
                              Tables& tables, store::Db& db) {
  Joiner joiner(options, tables, db);
  TRY(joiner.begin(files));
  for (SourceFile& file : files) TRY(joiner.take(file));
  joiner.tell_resumed();
  joiner.tell_vanished(files);
  return std::move(joiner.plan);
}

Result<ReadPlan> plan_shown(const ImportOptions& options, std::vector<SourceFile>& files,
                            Tables& tables, store::Db& db) {
  Joiner joiner(options, tables, db);
  TRY(joiner.look());
  for (SourceFile& file : files) TRY(joiner.show(file));
  return std::move(joiner.plan);
}

}  // namespace tidemill::import
