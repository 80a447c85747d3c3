#include "tidemill/formats/epub/repair/book_repair.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "tidemill/base/system_text.h"
#include "tidemill/base/try.h"
#include "tidemill/formats/epub/checker.h"
#include "tidemill/formats/epub/package/media_types.h"
#include "tidemill/formats/epub/repair/draft.h"
#include "tidemill/formats/epub/repair/fixers.h"
#include "tidemill/formats/epub/repair/xml_edit.h"
#include "tidemill/formats/epub/words.h"
#include "tidemill/io/files/copy_bytes.h"

namespace tidemill::epub {
namespace {

constexpr int kRounds = 4;   // a round may repair faults that the previous one uncovered
constexpr int kPasses = 12;  // a fixer left out of one pass may succeed in the next

struct Attempt {
  RepairPlan plan{};
  Findings after{};
  int result = -1;  // the descriptor of the result; -1: nothing was changed
  std::string refusal{};
  bool is_failed = false;  // a file could not be written (disk full); not a fault of the book
};

std::set<RuleId> broken(const Findings& findings) {
  std::set<RuleId> rules;
  for (const Finding& one : findings.kept()) {
    if (one.rule.severity() >= Severity::warning) rules.insert(one.rule);
  }
  return rules;
}

std::uint64_t errors(const Findings& findings) {
  return findings.count(Severity::error) + findings.count(Severity::fatal);
}

// Why the repaired book must not replace the old one; empty: it may.
std::string objection(const Findings& before, const Findings& after) {
  const std::set<RuleId> old = broken(before);
  for (const RuleId rule : broken(after)) {
    if (!old.contains(rule)) {
      return "it would break " + std::string(rule.text()) + ", which it does not break now";
    }
  }
  if (errors(after) >= errors(before)) return "it would not fix any error";
  return {};
}

bool has_text(const Item* item) {
  return item != nullptr && (item->media_type == kXhtmlType || item->media_type == kSvgType ||
                             item->media_type == kDtbookType);
}

// The name of a document whose text would change; nullopt: none.
std::optional<std::string> changed_text(const Inspection& found, const zip::Archive& archive,
                                        const BookDraft& draft) {
  for (const DraftEntry& entry : draft.entries()) {
    if (!entry.bytes || entry.source == nullptr) continue;
    if (!has_text(found.package.item_at(entry.source->name))) continue;
    const auto before = archive.read_whole(*entry.source, kLargestDocument);
    if (!before) return entry.name;
    // White space around the document is not part of its text.
    const std::string old = text_of_document(utf8_of_document(*before));
    const std::string now = text_of_document(*entry.bytes);
    if (trimmed(old) != trimmed(now)) return entry.name;
  }
  return std::nullopt;
}

void apply_fixers(const Inspection& found, const EpubRepairOptions& options, Repairability most,
                  BookDraft& draft, RepairPlan& plan) {
  const auto apply = [&](std::span<const Fixer> fixers) {
    for (const Fixer& fixer : fixers) {
      if (options.refused.contains(std::string(fixer.name))) continue;
      if (fixer.tier == Repairability::ask && !options.asked.contains(std::string(fixer.name)))
        continue;
      fixer.repair(found, draft, plan);
    }
  };
  apply(container_fixers());
  if (most == Repairability::container) return;
  apply(safe_fixers());
  apply(ask_fixers());
}

Result<void> clear(int fd) {
  if (::ftruncate(fd, 0) == 0) return {};
  return fail(Cure::give_up, FailureKind::unwritable, "truncate", system_text(errno));
}

// The files of a pass: the book, and two files that the rounds write alternately.
struct Turns {
  int book;
  int one;
  int other;
  [[nodiscard]] int next(int current) const { return current == one ? other : one; }
};

// Limits of an attempt.
struct Bounds {
  const EpubRepairOptions& options;
  Repairability most;
};

// One round; true if something was changed. `found` is the inspection of `current`.
Result<bool> one_round(int& current, Inspection& found, const Turns& turns, const Bounds& bounds,
                       Attempt& attempt) {
  LET(const auto archive, zip::Archive::open(current));
  found.archive = &archive;
  BookDraft draft(archive);
  RepairPlan plan;
  apply_fixers(found, bounds.options, bounds.most, draft, plan);
  // Keep those of the last round only: faults declined earlier may be repaired by now.
  attempt.plan.declined = std::move(plan.declined);
  if (!draft.is_changed()) return false;
  std::ranges::move(plan.changes, std::back_inserter(attempt.plan.changes));
  if (const auto entry = changed_text(found, archive, draft)) {
    return fail(Cure::give_up, "text", "the text of " + *entry + " would change");
  }
  const int target = turns.next(current);
  TRY(clear(target));
  TRY(draft.write(target));
  current = target;
  return true;
}

// A write error may go away later, so it is not a reason to decline the book.
bool is_of_machine(const Failure& failure) { return failure.kind == FailureKind::unwritable; }

// `first` is the inspection of the book.
Attempt attempt_with(const Turns& turns, std::string_view file_name, Inspection& first,
                     const Bounds& bounds) {
  Attempt attempt;
  int current = turns.book;
  std::optional<Inspection> later;
  for (int round = 0; round < kRounds; ++round) {
    const auto changed = one_round(current, later ? *later : first, turns, bounds, attempt);
    if (!changed) {
      attempt.refusal = changed.error().reason;
      attempt.is_failed = is_of_machine(changed.error());
      return attempt;
    }
    if (!*changed) break;
    later = check_epub(current, file_name, bounds.options.profile);
  }
  if (!later) return attempt;
  attempt.result = current;
  attempt.after = std::move(later->findings);
  return attempt;
}

Result<void> copy(int from, int to) {
  TRY(clear(to));
  return files::copy_bytes(from, to);
}

// Accepts the attempt if it is an improvement.
bool accept(Attempt& attempt, int out, Repaired& repaired) {
  if (attempt.result < 0 && attempt.refusal.empty()) {  // nothing to do
    repaired.plan.declined = std::move(attempt.plan.declined);
    return false;
  }
  if (attempt.refusal.empty()) attempt.refusal = objection(repaired.before, attempt.after);
  if (attempt.refusal.empty() && attempt.result != out) {
    if (const auto copied = copy(attempt.result, out); !copied) {
      attempt.refusal = copied.error().reason;
      attempt.is_failed = true;
    }
  }
  repaired.is_failed = attempt.is_failed;
  repaired.is_accepted = attempt.refusal.empty();
  repaired.refusal = std::move(attempt.refusal);
  repaired.plan = std::move(attempt.plan);
  repaired.after = std::move(attempt.after);
  return repaired.is_accepted;
}

// Why this book must not be changed; empty: it may.
std::string_view protection_of(const Container& container) {
  if (container.has_drm) return "the book is protected by DRM";
  if (container.is_signed) return "the book is signed, and a repair would break the signature";
  return {};
}

// The fixers of documents that made changes, in order and without duplicates.
std::vector<std::string> parts_of(const RepairPlan& plan) {
  std::vector<std::string> names;
  for (const Change& change : plan.changes) {
    const bool is_new = std::ranges::find(names, change.name) == names.end();
    if (change.tier != Repairability::container && is_new) names.push_back(change.name);
  }
  return names;
}

// Records the change that the fixer would have made as declined.
void decline(const std::string& fixer, const Repaired& whole, RepairPlan& plan) {
  for (const Change& change : whole.plan.changes) {
    if (change.name != fixer || change.repairs.empty()) continue;
    plan.declined.push_back({.rule = change.repairs.front(),
                             .entry = change.entry,
                             .why = "together with " + fixer + " " + whole.refusal});
    return;
  }
}

// The files of one pass over a book and its inspection.
struct Pass {
  Turns turns;
  int out;
  std::string_view file_name;
  Inspection& first;
};

// Tries without one of the fixers, each in turn; then each fixer alone; then the archive alone.
std::optional<Repaired> fix_in_part(const Pass& pass, const EpubRepairOptions& options,
                                    const Repaired& whole) {
  const auto attempt = [&](const EpubRepairOptions& some,
                           Repairability most) -> std::optional<Repaired> {
    Repaired part{.before = whole.before, .after = whole.before};
    Attempt one =
        attempt_with(pass.turns, pass.file_name, pass.first, {.options = some, .most = most});
    return accept(one, pass.out, part) ? std::optional(std::move(part)) : std::nullopt;
  };
  const std::vector<std::string> parts = parts_of(whole.plan);
  for (std::size_t at = 0; parts.size() > 1 && at < parts.size(); ++at) {
    EpubRepairOptions without = options;
    without.refused.insert(parts[at]);
    auto part = attempt(without, options.most);
    if (!part) continue;
    decline(parts[at], whole, part->plan);
    return part;
  }
  for (std::size_t at = 0; parts.size() > 2 && at < parts.size(); ++at) {
    EpubRepairOptions alone = options;
    alone.refused.insert(parts.begin(), parts.end());
    alone.refused.erase(parts[at]);
    if (auto part = attempt(alone, options.most)) return part;
  }
  return attempt(options, Repairability::container);
}

// The complete repair, or the part of it that is accepted.
Repaired one_pass(const Pass& pass, const EpubRepairOptions& options) {
  Repaired repaired{.before = pass.first.findings, .after = pass.first.findings};
  Attempt all = attempt_with(pass.turns, pass.file_name, pass.first,
                             {.options = options, .most = options.most});
  if (accept(all, pass.out, repaired) || options.most == Repairability::container ||
      repaired.refusal.empty() || repaired.is_failed) {
    return repaired;
  }
  // If no part is accepted either, the refusal of the complete repair is reported.
  auto part = fix_in_part(pass, options, repaired);
  return part ? *std::move(part) : repaired;
}

// Adds the result of a later pass.
void append(Repaired& repaired, Repaired later) {
  std::ranges::move(later.plan.changes, std::back_inserter(repaired.plan.changes));
  repaired.plan.declined = std::move(later.plan.declined);
  repaired.after = std::move(later.after);
}

// Repeats passes over the accepted result until one changes nothing.
void fix_again(const RepairFiles& files, std::string_view file_name,
               const EpubRepairOptions& options, Repaired& repaired) {
  for (int pass = 1; pass < kPasses && !repaired.after.is_valid(); ++pass) {
    Inspection found = check_epub(files.out, file_name, options.profile);
    Repaired later =
        one_pass({.turns = {.book = files.out, .one = files.scratch, .other = files.spare},
                  .out = files.out,
                  .file_name = file_name,
                  .first = found},
                 options);
    // The output may be incomplete.
    if (later.is_failed) {
      repaired.is_accepted = false;
      repaired.is_failed = true;
      repaired.refusal = std::move(later.refusal);
    }
    if (!later.is_accepted) return;
    append(repaired, std::move(later));
  }
}

}  // namespace

Repaired repair_epub(const RepairFiles& files, std::string_view file_name,
                     const EpubRepairOptions& options) {
  Inspection first = check_epub(files.book, file_name, options.profile);
  const Edition edition = first.edition();
  const bool is_read = first.package.is_read;
  Repaired repaired{.before = first.findings, .after = first.findings};
  if (!first.findings.is_valid()) repaired.refusal = protection_of(first.container);
  if (!first.findings.is_valid() && repaired.refusal.empty()) {
    repaired = one_pass({.turns = {.book = files.book, .one = files.out, .other = files.scratch},
                         .out = files.out,
                         .file_name = file_name,
                         .first = first},
                        options);
    first = {};  // it may be large
    if (repaired.is_accepted) fix_again(files, file_name, options, repaired);
  }
  repaired.edition = edition;
  repaired.is_read = is_read;
  return repaired;
}

}  // namespace tidemill::epub
