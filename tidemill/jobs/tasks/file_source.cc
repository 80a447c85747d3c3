#include "tidemill/jobs/tasks/file_source.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/io/walk/filter/sieve.h"
#include "tidemill/ui/command/file_flags.h"
#include "tidemill/ui/command/usage.h"

namespace tidemill::jobs {
namespace {

using command::Flag;
using command::misuse;
using command::ValueKind;

FileOrder order_of(const std::string& text) {
  if (text == "size") return FileOrder::size;
  return text == "name" ? FileOrder::name : FileOrder::found;
}

}  // namespace

std::vector<Flag> source_flags(const std::string& group) {
  std::vector<Flag> flags = {
      {.name = "files-from",
       .kind = ValueKind::path,
       .metavar = "FILE",
       .help = "read names from FILE, one per line; - is standard input",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
      {.name = "null",
       .letter = '0',
       .help = "names in the list end with NUL, as from find -print0",
       .is_configurable = false,
       .group = group,
       .is_basic = true},
  };
  std::ranges::move(command::file_flags(group), std::back_inserter(flags));
  flags.push_back({.name = "order",
                   .kind = ValueKind::choice,
                   .metavar = "ORDER",
                   .help = "start order; size (smallest first) and name list all files first",
                   .fallback = "found",
                   .choices = {"found", "size", "name"},
                   .group = group});
  flags.push_back(command::allow_empty_flag(group));
  return flags;
}

Result<FileSource> source_of(const command::Values& values) {
  FileSource source{.roots = values.argument("ROOT"),
                    .files_from = values.text("files-from"),
                    .is_nul_separated = values.is_on("null"),
                    .globs = values.texts("glob"),
                    .excludes = values.texts("exclude"),
                    .no_hidden = values.is_on("no-hidden"),
                    .allow_empty = values.is_on("allow-empty"),
                    .order = order_of(values.text("order"))};
  if (!source.files_from.empty() && !source.roots.empty()) {
    return misuse("--files-from cannot be used with ROOT",
                  "use one of them, or let find write the list");
  }
  const bool filters = !source.globs.empty() || !source.excludes.empty() || source.no_hidden;
  if (!source.files_from.empty() && filters) {
    return misuse("--glob, --exclude and --no-hidden cannot be used with --files-from",
                  "filter the list before, for example with grep");
  }
  if (source.is_nul_separated && source.files_from.empty()) {
    return misuse("-0 needs a list of names", "add --files-from -");
  }
  if (source.files_from.empty() && source.roots.empty()) source.roots = {"."};
  return source;
}

Result<void> check(const FileSource& source) {
  std::error_code ignored;
  if (std::filesystem::is_directory(source.files_from, ignored)) {
    return misuse("--files-from: " + command::in_quotes(source.files_from) +
                      " is a folder, not a list of names",
                  "omit --files-from to walk the folder");
  }
  if (auto sieve = walk::Sieve::compile(source.globs, source.excludes); !sieve) {
    Failure wrong = std::move(sieve).error();
    wrong.kind = FailureKind::usage;
    wrong.step = "usage";
    return std::unexpected(std::move(wrong));
  }
  std::vector<std::string> places = source.roots;
  if (!source.files_from.empty()) places = {source.files_from};
  for (const std::string& path : places) {
    if (path == "-" || ::access(path.c_str(), F_OK) == 0) continue;
    return fail(Cure::give_up, path, system_text(errno));
  }
  return {};
}

cli::Selection selection_of(const FileSource& source) {
  return {
      .roots = source.roots,
      .wanted = {.globs = source.globs, .excludes = source.excludes, .hidden = !source.no_hidden},
      .list = source.files_from,
      .is_empty_allowed = source.allow_empty};
}

}  // namespace tidemill::jobs
