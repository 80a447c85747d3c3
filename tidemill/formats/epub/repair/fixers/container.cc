// The fixers of the archive around a book. They run first, because the faults they repair hide all
// others.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "tidemill/formats/epub/container/container.h"
#include "tidemill/formats/epub/repair/fixers.h"

namespace tidemill::epub {
namespace {

bool has_any(const Findings& findings, std::initializer_list<RuleId> rules) {
  return std::ranges::any_of(rules, [&](RuleId rule) { return findings.has(rule); });
}

// The folder that contains all entries, with its '/'; nullopt: no such folder.
std::optional<std::string> only_folder(const BookDraft& draft) {
  std::string folder;
  for (const DraftEntry& entry : draft.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash == std::string::npos || slash == 0) return std::nullopt;
    const std::string_view first = std::string_view(entry.name).substr(0, slash + 1);
    if (folder.empty()) folder = first;
    if (first != folder) return std::nullopt;
  }
  if (folder.empty() || draft.find(folder + std::string(kContainerPath)) == nullptr) {
    return std::nullopt;
  }
  return folder;
}

void hoist(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (!found.findings.has("RSC-002")) return;
  const auto folder = only_folder(draft);
  if (!folder) {
    plan.declined.push_back(
        {.rule = "RSC-002",
         .why = "META-INF/container.xml is missing, so the package document is not known"});
    return;
  }
  std::set<std::size_t> folders;
  for (std::size_t at = 0; at < draft.entries().size(); ++at) {
    std::string name = draft.entries()[at].name.substr(folder->size());
    if (name.empty()) {
      folders.insert(at);
    } else {
      draft.rename(at, std::move(name));
    }
  }
  draft.drop(folders);
  plan.changes.push_back({.tier = Repairability::container,
                          .name = "hoist",
                          .repairs = {"RSC-002"},
                          .what = "move everything out of the folder " + *folder});
}

DraftEntry mimetype() {
  return {.name = std::string(kMimetypePath),
          .bytes = std::string(kMimetypeContent),
          .is_stored = true};
}

bool is_right(const DraftEntry& entry, const BookDraft& draft) {
  if (entry.source == nullptr || entry.source->method != 0 || entry.source->local_extra != 0) {
    return false;
  }
  const auto contents = draft.contents(entry.name, 1024);
  return contents && *contents == kMimetypeContent;
}

void put_mimetype_first(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (!has_any(found.findings, {"PKG-005", "PKG-006", "PKG-007"})) return;
  if (draft.find(kContainerPath) == nullptr) return;  // may not be an EPUB
  const auto& entries = draft.entries();
  const auto at = std::ranges::find(entries, kMimetypePath, &DraftEntry::name);
  Change change{.tier = Repairability::container, .name = "mimetype"};
  for (const RuleId rule : {RuleId("PKG-005"), RuleId("PKG-006"), RuleId("PKG-007")}) {
    if (found.findings.has(rule)) change.repairs.push_back(rule);
  }
  if (at == entries.end()) {
    draft.add(mimetype(), 0);
    change.what = "add mimetype as the first entry";
  } else {
    const bool was_right = is_right(*at, draft);
    const auto position = static_cast<std::size_t>(at - entries.begin());
    if (!was_right) {
      draft.drop({position});
      draft.add(mimetype(), 0);
    } else if (position > 0) {
      draft.move_to_front(position);
    } else {
      draft.rebuild();  // first in the central directory, but not in the file
    }
    change.what =
        was_right ? "make mimetype the first entry"
                  : "rewrite mimetype: the first entry, not compressed, with its exact contents";
  }
  plan.changes.push_back(std::move(change));
}

// Compares the bytes, not only the checksums.
bool is_same(const zip::Archive& archive, const zip::ZipEntry* one, const zip::ZipEntry* other) {
  if (one == nullptr || other == nullptr) return false;
  if (one->crc != other->crc || one->size != other->size) return false;
  const auto first = archive.read_whole(*one, kLargestDocument);
  const auto second = archive.read_whole(*other, kLargestDocument);
  return first && second && *first == *second;
}

// Keeps one of several entries with the same name and the same contents.
void drop_doubles(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  if (!found.findings.has("OPF-060")) return;
  std::map<std::string, const zip::ZipEntry*> first;
  std::set<std::size_t> doubles;
  for (std::size_t at = 0; at < draft.entries().size(); ++at) {
    const DraftEntry& entry = draft.entries()[at];
    const auto [known, is_new] = first.try_emplace(entry.name, entry.source);
    if (is_new) continue;
    if (is_same(*found.archive, known->second, entry.source)) {
      plan.changes.push_back({.tier = Repairability::container,
                              .name = "duplicate-entries",
                              .repairs = {"OPF-060"},
                              .entry = entry.name,
                              .what = "remove a second entry with the same name and contents"});
      doubles.insert(at);
    } else {
      plan.declined.push_back({.rule = "OPF-060",
                               .entry = entry.name,
                               .why = "two entries have this name, and their contents differ"});
    }
  }
  if (!doubles.empty()) draft.drop(doubles);
}

bool is_damage(zip::Oddity::Kind kind) {
  using Kind = zip::Oddity::Kind;
  return kind == Kind::no_central_directory || kind == Kind::central_is_damaged ||
         kind == Kind::bytes_before || kind == Kind::bytes_after;
}

// Every entry can be read, so rewriting the archive loses nothing.
bool is_whole(const zip::Archive& archive) {
  return std::ranges::all_of(archive.entries(), [&](const zip::ZipEntry& entry) {
    return archive.read(entry, [](std::string_view) { return true; }).has_value();
  });
}

void rebuild_directory(const Inspection& found, BookDraft& draft, RepairPlan& plan) {
  const auto& oddities = found.archive->oddities();
  const auto damage = std::ranges::find_if(oddities, is_damage, &zip::Oddity::kind);
  if (damage == oddities.end()) return;
  if (!is_whole(*found.archive)) {
    plan.declined.push_back(
        {.rule = "PKG-008", .why = "some entries are damaged; rewriting the rest would hide that"});
    return;
  }
  draft.rebuild();
  plan.changes.push_back({.tier = Repairability::container,
                          .name = "central-directory",
                          .repairs = {"PKG-004", "PKG-008"},
                          .what = "rebuild the directory of the archive: " + damage->text});
}

constexpr std::array kFixers = {
    Fixer{.name = "central-directory",
          .tier = Repairability::container,
          .about = "rebuilds the archive's directory from the entries, if all of them can be read",
          .repair = rebuild_directory},
    Fixer{.name = "hoist",
          .tier = Repairability::container,
          .about = "moves everything out of a single top-level folder",
          .repair = hoist},
    Fixer{.name = "duplicate-entries",
          .tier = Repairability::container,
          .about = "removes a second entry with the same name and contents",
          .repair = drop_doubles},
    Fixer{.name = "mimetype",
          .tier = Repairability::container,
          .about = "makes mimetype the first entry, not compressed, with its exact contents",
          .repair = put_mimetype_first},
};

}  // namespace

std::span<const Fixer> container_fixers() { return kFixers; }

}  // namespace tidemill::epub
