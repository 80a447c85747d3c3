#include "tidemill/jobs/each/fleet/payload.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "tidemill/base/descriptor.h"
#include "tidemill/base/varint.h"
#include "tidemill/formats/text/printable.h"

namespace tidemill::each {
namespace {

namespace fs = std::filesystem;

// Whether a relative path stays below its folder, as far as its text tells.
bool is_below(std::string_view path) {
  if (path.starts_with('/')) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return false;
    at = end + 1;
  }
  return true;
}

// Whether it leads out through a symbolic link. What is not there leads nowhere: the command will
// say so.
bool leads_out(const std::string& root, const std::string& path) {
  const Descriptor folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.is_open()) return false;
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH;
  const Descriptor found(
      static_cast<int>(::syscall(SYS_openat2, folder.number(), path.c_str(), &how, sizeof(how))));
  return !found.is_open() && errno == EXDEV;
}

std::string joined(const std::string& folder, std::string_view name) {
  std::string path = folder;
  if (!path.ends_with('/')) path += '/';
  return path += name;
}

std::string name_of(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.empty() ? "root" : name;
}

}  // namespace

std::string pack(const EachPayload& payload) {
  std::string bytes;
  append_varint(bytes, payload.root ? *payload.root + 1 : 0);
  return bytes += payload.name;
}

std::optional<EachPayload> unpack_payload(std::string_view bytes) {
  const auto root = take_varint(bytes);
  if (!root) return std::nullopt;
  EachPayload payload{.name = std::string(bytes)};
  if (*root > 0) payload.root = *root - 1;
  return payload;
}

EachRoots::EachRoots(const jobs::FileSource& source, const std::string& folder)
    : is_list_(!source.files_from.empty()), roots_{{.name = "work", .path = folder}} {
  if (is_list_) return;
  for (const std::string& typed : source.roots) add(typed, folder);
}

void EachRoots::add(const std::string& typed, const std::string& folder) {
  if (is_below(typed)) return;
  fs::path path = fs::path(joined(folder, "") + typed);
  if (typed.starts_with('/')) path = typed;
  path = path.lexically_normal();
  if (path.filename().empty() && path.has_relative_path()) path = path.parent_path();
  std::error_code ignored;
  std::string below;
  if (!fs::is_directory(path, ignored)) {
    below = path.filename().string();
    path = path.parent_path();
  }
  const auto known = std::ranges::find(roots_, path.string(), &Root::path);
  std::uint64_t root = static_cast<std::uint64_t>(known - roots_.begin());
  if (known == roots_.end()) {
    std::string name = name_of(path);
    const auto has_name = [&](const Root& other) { return other.name == name; };
    for (int number = 2; std::ranges::any_of(roots_, has_name); ++number) {
      name = name_of(path) + "-" + std::to_string(number);
    }
    root = roots_.size();
    roots_.push_back({.name = std::move(name), .path = path.string()});
  }
  typed_.push_back({.text = typed, .root = root, .below = std::move(below)});
}

std::string EachRoots::payload_of(std::string_view name) const {
  if (is_list_) return pack(EachPayload{.name = std::string(name)});
  for (const Typed& typed : typed_) {
    if (!name.starts_with(typed.text)) continue;
    std::string_view rest = name.substr(typed.text.size());
    const bool is_of_it = rest.empty() || rest.starts_with('/') || typed.text.ends_with('/');
    if (!is_of_it) continue;
    while (rest.starts_with('/')) rest.remove_prefix(1);
    return pack(EachPayload{.root = typed.root, .name = typed.below + std::string(rest)});
  }
  return pack(EachPayload{.root = 0, .name = std::string(name)});
}

Result<std::string> name_for(const EachPayload& payload, const std::vector<std::string>& roots) {
  if (!payload.root) return payload.name;
  if (*payload.root >= roots.size()) {
    return fail(Cure::give_up, "root", "the task is in a folder that the run does not have");
  }
  const std::string& root = roots[*payload.root];
  if (!is_below(payload.name) || leads_out(root, payload.name)) {
    return std::unexpected(Failure{
        .kind = FailureKind::untrusted,
        .step = "root",
        .reason = text::printable(payload.name) + " leads out of " + text::printable(root)});
  }
  return *payload.root == 0 ? payload.name : joined(root, payload.name);
}

}  // namespace tidemill::each
