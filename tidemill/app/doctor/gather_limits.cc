#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>

#include "tidemill/app/doctor/gather.h"

namespace tidemill::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGroups = "/sys/fs/cgroup";
// Version 1 reports "no limit" as a number above this.
constexpr std::uint64_t kAsGoodAsNone = std::uint64_t{1} << 62U;

std::string contents_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The leading number of the text; nullopt for "max".
std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc() || number >= kAsGoodAsNone) return std::nullopt;
  return number;
}

std::optional<std::uint64_t> limit_of(__rlimit_resource which, bool is_hard = false) {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0) return std::nullopt;
  const rlim_t value = is_hard ? limit.rlim_max : limit.rlim_cur;
  return value == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(value);
}

std::optional<Bytes> size_limit_of(__rlimit_resource which) {
  const auto limit = limit_of(which);
  return limit ? std::optional(Bytes{*limit}) : std::nullopt;
}

struct GroupLimit {
  std::optional<std::uint64_t> limit{};
  std::uint64_t used = 0;
};

struct GroupFiles {
  std::string_view controller;
  std::string_view limit;  // version 2, then version 1
  std::string_view used;
  std::string_view old_limit;
  std::string_view old_used;
};

// The tightest limit of this group and its parents, because all of them apply.
GroupLimit group_limit(const GroupFiles& files) {
  GroupLimit least;
  const std::string membership = contents_of("/proc/self/cgroup");
  for (const std::string& folder : group_folders(membership, files.controller)) {
    const auto look = [&](std::string_view limit_name, std::string_view used_name) {
      const auto file = [&](std::string_view name) {
        return contents_of(folder + "/" + std::string(name));
      };
      const auto limit = number_in(file(limit_name));
      if (!limit) return;
      const std::uint64_t used = number_in(file(used_name)).value_or(0);
      const std::uint64_t left = *limit - std::min(*limit, used);
      if (!least.limit || left < *least.limit - std::min(*least.limit, least.used)) {
        least = {.limit = limit, .used = used};
      }
    };
    look(files.limit, files.used);
    if (files.old_limit != files.limit) look(files.old_limit, files.old_used);
  }
  return least;
}

// RLIMIT_NPROC counts the threads of the user.
std::uint64_t threads_of_user() {
  std::uint64_t count = 0;
  std::error_code wrong;
  for (fs::directory_iterator entry("/proc", wrong); !wrong && entry != fs::directory_iterator();
       entry.increment(wrong)) {
    const std::string path = entry->path().string();
    if (path.find_first_not_of("0123456789", std::string_view("/proc/").size()) !=
        std::string::npos) {
      continue;
    }
    struct stat owner{};
    struct stat tasks{};
    if (::stat(path.c_str(), &owner) != 0 || owner.st_uid != ::getuid()) continue;
    if (::stat((path + "/task").c_str(), &tasks) == 0 && tasks.st_nlink > 2) {
      count += tasks.st_nlink - 2;
    }
  }
  return count;
}

}  // namespace

std::vector<std::string> group_folders(std::string_view membership, std::string_view controller) {
  std::vector<std::string> folders;
  while (!membership.empty()) {
    const std::string_view line = membership.substr(0, membership.find('\n'));
    membership.remove_prefix(std::min(line.size() + 1, membership.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string names = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const bool is_unified = names == ",,";
    if (!is_unified && !names.contains("," + std::string(controller) + ",")) continue;
    std::string base(kGroups);
    if (!is_unified) base += "/" + std::string(controller);
    std::string path(line.substr(second + 1));
    while (path.size() > 1) {
      folders.push_back(base + path);
      path.resize(path.rfind('/'));
    }
    folders.push_back(base);
  }
  return folders;
}

LimitFacts gather_limits() {
  LimitFacts facts{.cpus = std::max(1U, std::thread::hardware_concurrency()),
                   .files = limit_of(RLIMIT_NOFILE),
                   .files_most = limit_of(RLIMIT_NOFILE, true),
                   .file_size = size_limit_of(RLIMIT_FSIZE)};
  if (::geteuid() != 0) {
    facts.processes = limit_of(RLIMIT_NPROC);
    if (facts.processes) facts.processes_used = threads_of_user();
  }
  const GroupLimit group = group_limit({.controller = "pids",
                                        .limit = "pids.max",
                                        .used = "pids.current",
                                        .old_limit = "pids.max",
                                        .old_used = "pids.current"});
  facts.group_processes = group.limit;
  facts.group_processes_used = group.used;
  for (const char* name : {"threads-max", "pid_max"}) {
    const auto limit = number_in(contents_of(std::string("/proc/sys/kernel/") + name));
    if (!limit) continue;
    facts.system_processes = std::min(*limit, facts.system_processes.value_or(*limit));
  }
  struct sysinfo system{};
  if (::sysinfo(&system) == 0) facts.system_processes_used = system.procs;
  return facts;
}

MemoryFacts gather_memory() {
  MemoryFacts facts{.address_space = size_limit_of(RLIMIT_AS)};
  const std::string text = contents_of("/proc/meminfo");
  const auto kibibytes = [&](std::string_view name) {
    std::string value = field_of(text, name);
    value.erase(0, value.find_first_not_of(' '));
    return kib(number_in(value).value_or(0));
  };
  facts.all = kibibytes("MemTotal");
  facts.available = kibibytes("MemAvailable");
  const GroupLimit group = group_limit({.controller = "memory",
                                        .limit = "memory.max",
                                        .used = "memory.current",
                                        .old_limit = "memory.limit_in_bytes",
                                        .old_used = "memory.usage_in_bytes"});
  if (group.limit && *group.limit < facts.all.count) {
    facts.group = Bytes{*group.limit};
    facts.group_used = {group.used};
  }
  return facts;
}

}  // namespace tidemill::app
