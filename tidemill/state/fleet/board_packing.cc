#include "tidemill/state/fleet/board_packing.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "tidemill/base/varint.h"

namespace tidemill::fleet {
namespace {

constexpr char kVersion = 1;
constexpr std::chrono::milliseconds kLongestTerm = std::chrono::hours(24);

void append_text(std::string& bytes, std::string_view text) {
  append_varint(bytes, text.size());
  bytes += text;
}

void append_field(std::string& bytes, std::string_view name, std::string_view value) {
  append_text(bytes, name);
  append_text(bytes, value);
}

template <std::integral Number>
void append_field(std::string& bytes, std::string_view name, Number number) {
  std::string value;
  append_varint(value, static_cast<std::uint64_t>(number));
  append_field(bytes, name, std::string_view(value));
}

[[nodiscard]] std::optional<std::string_view> take_text(std::string_view& bytes) {
  const auto length = take_varint(bytes);
  if (!length || *length > bytes.size()) return std::nullopt;
  const std::string_view text = bytes.substr(0, *length);
  bytes.remove_prefix(*length);
  return text;
}

// Calls on_field(name, value), which returns false for an invalid value. False: something is
// invalid.
template <class OnField>
[[nodiscard]] bool each_field(std::string_view bytes, const OnField& on_field) {
  while (!bytes.empty()) {
    const auto name = take_text(bytes);
    const auto value = name ? take_text(bytes) : std::nullopt;
    if (!value || !on_field(*name, *value)) return false;
  }
  return true;
}

[[nodiscard]] bool read(std::string_view value, std::string& text) {
  text = value;
  return true;
}

template <std::integral Number>
[[nodiscard]] bool read(std::string_view value, Number& number) {
  const auto read = take_varint(value);
  if (!read || !value.empty()) return false;
  if constexpr (std::signed_integral<Number>) {
    number = static_cast<Number>(std::bit_cast<std::int64_t>(*read));
  } else {
    if (*read > std::numeric_limits<Number>::max()) return false;
    number = static_cast<Number>(*read);
  }
  return true;
}

[[nodiscard]] std::string pack(const RecipeId& recipe) {
  std::string bytes;
  append_field(bytes, "name", recipe.name);
  append_field(bytes, "version", recipe.version);
  append_field(bytes, "digest", recipe.digest);
  return bytes;
}

[[nodiscard]] bool read(std::string_view bytes, RecipeId& recipe) {
  return each_field(bytes, [&](std::string_view name, std::string_view value) {
    if (name == "name") return read(value, recipe.name);
    if (name == "version") return read(value, recipe.version);
    return name != "digest" || read(value, recipe.digest);
  });
}

[[nodiscard]] std::string pack(const SampledEntry& entry) {
  std::string bytes;
  append_field(bytes, "name", entry.name);
  append_field(bytes, "inode", entry.inode);
  append_field(bytes, "size", entry.size);
  append_field(bytes, "changed", entry.changed);
  return bytes;
}

[[nodiscard]] bool read(std::string_view bytes, SampledEntry& entry) {
  return each_field(bytes, [&](std::string_view name, std::string_view value) {
    if (name == "name") return read(value, entry.name);
    if (name == "inode") return read(value, entry.inode);
    if (name == "size") return read(value, entry.size);
    return name != "changed" || read(value, entry.changed);
  });
}

[[nodiscard]] std::string pack(const FleetRoot& root) {
  std::string bytes;
  append_field(bytes, "name", root.name);
  append_field(bytes, "path", root.path);
  append_field(bytes, "inode", root.probe.inode);
  for (const SampledEntry& entry : root.probe.entries) append_field(bytes, "entry", pack(entry));
  return bytes;
}

[[nodiscard]] bool read(std::string_view bytes, FleetRoot& root);
[[nodiscard]] bool read(std::string_view bytes, RunRefusal& refusal);

// Reads one more element; false if there are too many.
template <class Element>
[[nodiscard]] bool read_more(std::string_view value, std::vector<Element>& list,
                             std::size_t most = kMostListed) {
  return list.size() < most && read(value, list.emplace_back());
}

[[nodiscard]] bool read(std::string_view bytes, FleetRoot& root) {
  return each_field(bytes, [&](std::string_view name, std::string_view value) {
    if (name == "name") return read(value, root.name);
    if (name == "path") return read(value, root.path);
    if (name == "inode") return read(value, root.probe.inode);
    return name != "entry" || read_more(value, root.probe.entries, kMostSampled);
  });
}

[[nodiscard]] std::string pack(const RunRefusal& refusal) {
  std::string bytes;
  append_field(bytes, "run", refusal.run);
  append_field(bytes, "why", refusal.why);
  return bytes;
}

[[nodiscard]] bool read(std::string_view bytes, RunRefusal& refusal) {
  return each_field(bytes, [&](std::string_view name, std::string_view value) {
    if (name == "run") return read(value, refusal.run);
    return name != "why" || read(value, refusal.why);
  });
}

[[nodiscard]] bool read_term(std::string_view value, std::chrono::milliseconds& term) {
  std::uint64_t count = 0;
  if (!read(value, count) || count > static_cast<std::uint64_t>(kLongestTerm.count())) return false;
  term = std::chrono::milliseconds(count);
  return true;
}

[[nodiscard]] bool take_version(std::string_view& bytes) {
  if (bytes.empty() || bytes.front() != kVersion) return false;
  bytes.remove_prefix(1);
  return true;
}

[[nodiscard]] bool read_field(std::string_view name, std::string_view value, PublishedRun& run) {
  if (name == "name") return read(value, run.name);
  if (name == "id") return read(value, run.id);
  if (name == "host") return read(value, run.host);
  if (name == "user") return read(value, run.user);
  if (name == "recipe") return read(value, run.recipe);
  if (name == "settings") return read(value, run.settings);
  if (name == "root") return read_more(value, run.roots);
  if (name == "weight") return read(value, run.weight);
  return name != "term" || read_term(value, run.term);
}

[[nodiscard]] bool read_field(std::string_view name, std::string_view value, FleetHost& host) {
  if (name == "consumer") return read(value, host.consumer);
  if (name == "host") return read(value, host.host);
  if (name == "pid") return read(value, host.pid);
  if (name == "version") return read(value, host.version);
  if (name == "places") return read(value, host.places);
  if (name == "busy") return read(value, host.busy);
  if (name == "done") return read(value, host.done);
  if (name == "recipe") return read_more(value, host.recipes);
  return name != "refusal" || read_more(value, host.refusals);
}

template <class Record>
[[nodiscard]] std::optional<Record> unpack(std::string_view bytes) {
  Record record;
  const bool is_valid =
      take_version(bytes) && each_field(bytes, [&](std::string_view name, std::string_view value) {
        return read_field(name, value, record);
      });
  return is_valid ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace

std::string pack(const PublishedRun& run) {
  std::string bytes(1, kVersion);
  append_field(bytes, "name", run.name);
  append_field(bytes, "id", run.id);
  append_field(bytes, "host", run.host);
  append_field(bytes, "user", run.user);
  append_field(bytes, "recipe", pack(run.recipe));
  append_field(bytes, "settings", run.settings);
  for (const FleetRoot& root : run.roots) append_field(bytes, "root", pack(root));
  append_field(bytes, "weight", run.weight);
  append_field(bytes, "term", run.term.count());
  return bytes;
}

std::optional<PublishedRun> unpack_run(std::string_view bytes) {
  return unpack<PublishedRun>(bytes);
}

std::string pack(const FleetHost& host) {
  std::string bytes(1, kVersion);
  append_field(bytes, "consumer", host.consumer);
  append_field(bytes, "host", host.host);
  append_field(bytes, "pid", host.pid);
  append_field(bytes, "version", host.version);
  append_field(bytes, "places", host.places);
  append_field(bytes, "busy", host.busy);
  append_field(bytes, "done", host.done);
  for (const RecipeId& recipe : host.recipes) append_field(bytes, "recipe", pack(recipe));
  const std::size_t told = std::min(host.refusals.size(), kMostListed);
  for (std::size_t i = 0; i < told; ++i) append_field(bytes, "refusal", pack(host.refusals[i]));
  return bytes;
}

std::optional<FleetHost> unpack_host(std::string_view bytes) { return unpack<FleetHost>(bytes); }

}  // namespace tidemill::fleet
