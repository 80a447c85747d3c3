#include "tidemill/jobs/each/output/unprinted.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/jobs/each/output/output.h"

namespace tidemill::each {
namespace {

namespace fs = std::filesystem;
using engine::TaskId;

constexpr std::string_view kPrefix = "held-";

std::string held_path(const std::string& folder, TaskId id, std::string_view kind) {
  return folder + "/" + std::string(kPrefix) + std::to_string(id) + "." + std::string(kind);
}

struct HeldName {
  TaskId id = 0;
  std::string_view kind{};
};

// Empty: not the name of a held file.
std::optional<HeldName> parse(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  HeldName held;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), held.id);
  if (wrong != std::errc() || end == name.data() + name.size() || *end != '.') return std::nullopt;
  held.kind = name.substr(static_cast<std::size_t>(end - name.data()) + 1);
  if (held.kind != "out" && held.kind != "err" && held.kind != "event") return std::nullopt;
  return held;
}

Result<std::vector<std::string>> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code wrong;
  for (fs::directory_iterator entry(folder, wrong); !wrong && entry != fs::directory_iterator();
       entry.increment(wrong)) {
    names.push_back(entry->path().filename().native());
  }
  if (!wrong || wrong == std::errc::no_such_file_or_directory) return names;
  return fail(Cure::give_up, FailureKind::unwritable, "output", folder + ": " + wrong.message());
}

// Empty: the task will run again, or no task has this id.
Result<std::optional<engine::TaskRecord>> ended_task(const journal::SqliteJournal& journal,
                                                     TaskId id) {
  LET(auto task, journal.task(id));
  if (!task || task->state == engine::TaskState::pending) return std::nullopt;
  return task;
}

Result<void> hold_stream(proc::Captured& captured, const std::string& path) {
  if (captured.total == 0) return {};
  const bool is_there = ::access(path.c_str(), F_OK) == 0;  // by an earlier process
  const bool is_printed = !captured.spill.empty() && ::access(captured.spill.c_str(), F_OK) != 0;
  if (!is_there && is_printed) {
    captured = {};  // printed and removed, but a power cut lost its mark
    return {};
  }
  if (!is_there) TRY(keep_as(captured, path));
  captured.head = {};
  captured.spill = path;
  return {};
}

}  // namespace

Result<void> hold(TaskOutput& output, const std::string& folder) {
  if (output.is_event) return hold_stream(output.out, held_path(folder, output.id, "event"));
  TRY(hold_stream(output.out, held_path(folder, output.id, "out")));
  return hold_stream(output.err, held_path(folder, output.id, "err"));
}

Result<std::vector<TaskOutput>> collect_unprinted(const std::string& folder,
                                                  const journal::SqliteJournal& journal) {
  LET(auto logged, OutputLog::read(folder));
  for (TaskOutput& output : logged) {
    LET(const auto task, ended_task(journal, output.id));
    if (task) TRY(hold(output, folder));
  }
  TRY(sync_folder(folder));  // before the logs are removed
  LET(const auto names, names_in(folder));
  std::map<TaskId, TaskOutput> held;
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    const HeldName parsed = parse(name).value_or(HeldName{});
    LET(auto task, ended_task(journal, parsed.id));
    if (!task) {
      ::unlink(path.c_str());
      continue;
    }
    std::error_code wrong;
    proc::Captured stream{.total = fs::file_size(path, wrong), .spill = path};
    if (wrong) {
      return fail(Cure::give_up, FailureKind::unwritable, "output", path + ": " + wrong.message());
    }
    TaskOutput& output = held[parsed.id];
    output.id = parsed.id;
    output.name = std::move(task->subject);
    output.is_event = output.is_event || parsed.kind == "event";
    (parsed.kind == "err" ? output.err : output.out) = std::move(stream);
  }
  std::vector<TaskOutput> due;
  for (auto& [id, output] : held) due.push_back(std::move(output));
  return due;
}

Result<void> sync_folder(const std::string& folder) {
  const Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!open.is_open() && errno == ENOENT) return {};
  if (open.is_open() && ::syncfs(open.number()) == 0) return {};
  return fail(Cure::give_up, FailureKind::unwritable, "output", folder + ": " + system_text(errno));
}

}  // namespace tidemill::each
