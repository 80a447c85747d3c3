#include "tidemill/formats/epub/repair/mend.h"

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

constexpr int kRounds = 4;   // what a repair lays bare may be mended by the next
constexpr int kPasses = 12;  // likewise: what was left out of one pass may be right after it

struct Attempt {
  Plan plan{};
  Findings after{};
  int result = -1;  // the descriptor that has it; -1: nothing was changed
  std::string refusal{};
  bool is_failed = false;  // the machine's fault, not the book's: there is no room
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

// Why the repaired book must not take the place of the old one; empty: it may.
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

// The text of each document is what it was; else the name of one that would change.
std::optional<std::string> changed_text(const Inspection& found, const zip::Archive& archive,
                                        const Draft& draft) {
  for (const DraftEntry& entry : draft.entries()) {
    if (!entry.bytes || entry.source == nullptr) continue;
    if (!has_text(found.package.item_at(entry.source->name))) continue;
    const auto before = archive.read_whole(*entry.source, kLargestDocument);
    if (!before) return entry.name;
    // White space before and behind the document is none of its text.
    const std::string old = text_of_document(utf8_of_document(*before));
    const std::string now = text_of_document(*entry.bytes);
    if (trimmed(old) != trimmed(now)) return entry.name;
  }
  return std::nullopt;
}

void apply_fixers(const Inspection& found, const MendOptions& options, Mend most, Draft& draft,
                  Plan& plan) {
  const auto apply = [&](std::span<const Fixer> fixers) {
    for (const Fixer& fixer : fixers) {
      if (options.refused.contains(std::string(fixer.name))) continue;
      if (fixer.tier == Mend::ask && !options.asked.contains(std::string(fixer.name))) continue;
      fixer.mend(found, draft, plan);
    }
  };
  apply(container_fixers());
  if (most == Mend::container) return;
  apply(safe_fixers());
  apply(ask_fixers());
}

Result<void> clear(int fd) {
  if (::ftruncate(fd, 0) == 0) return {};
  return fail(Cure::give_up, FailureKind::unwritable, "truncate", system_text(errno));
}

// The files of a pass: the book as it stands, and the two that take turns while it is worked on.
struct Turns {
  int book;
  int one;
  int other;
  [[nodiscard]] int next(int current) const { return current == one ? other : one; }
};

// What an attempt may do.
struct Bounds {
  const MendOptions& options;
  Mend most;
};

// One round: true when something was changed. `found` is what the check says of `current`.
Result<bool> one_round(int& current, Inspection& found, const Turns& turns, const Bounds& bounds,
                       Attempt& attempt) {
  LET(const auto archive, zip::Archive::open(current));
  found.archive = &archive;
  Draft draft(archive);
  Plan plan;
  apply_fixers(found, bounds.options, bounds.most, draft, plan);
  // Of the last round: what was declined earlier may be mended since.
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

// What can be written on another day is no reason to decline a book.
bool is_of_machine(const Failure& failure) { return failure.kind == FailureKind::unwritable; }

// `first` is what the check says of the book.
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

// Takes the attempt if it is an improvement.
bool accept(Attempt& attempt, int out, Mended& mended) {
  if (attempt.result < 0 && attempt.refusal.empty()) {  // nothing to do
    mended.plan.declined = std::move(attempt.plan.declined);
    return false;
  }
  if (attempt.refusal.empty()) attempt.refusal = objection(mended.before, attempt.after);
  if (attempt.refusal.empty() && attempt.result != out) {
    if (const auto copied = copy(attempt.result, out); !copied) {
      attempt.refusal = copied.error().reason;
      attempt.is_failed = true;
    }
  }
  mended.is_failed = attempt.is_failed;
  mended.is_accepted = attempt.refusal.empty();
  mended.refusal = std::move(attempt.refusal);
  mended.plan = std::move(attempt.plan);
  mended.after = std::move(attempt.after);
  return mended.is_accepted;
}

// Why this book must not be touched; empty: it may.
std::string_view protection_of(const Container& container) {
  if (container.has_drm) return "the book is protected by DRM";
  if (container.is_signed) return "the book is signed, and a repair would break the signature";
  return {};
}

// The fixers of documents that took part, in their order, each once.
std::vector<std::string> parts_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const Change& change : plan.changes) {
    const bool is_new = std::ranges::find(names, change.name) == names.end();
    if (change.tier != Mend::container && is_new) names.push_back(change.name);
  }
  return names;
}

// What the fixer would have done goes among what was declined.
void decline(const std::string& fixer, const Mended& whole, Plan& plan) {
  for (const Change& change : whole.plan.changes) {
    if (change.name != fixer || change.mends.empty()) continue;
    plan.declined.push_back({.rule = change.mends.front(),
                             .entry = change.entry,
                             .why = "together with " + fixer + " " + whole.refusal});
    return;
  }
}

// A pass over a book: what is done with it, and what is known of it.
struct Pass {
  Turns turns;
  int out;
  std::string_view file_name;
  Inspection& first;
};

// The same without one of the fixers, each in turn, then each alone, then the archive alone.
std::optional<Mended> mend_in_part(const Pass& pass, const MendOptions& options,
                                   const Mended& whole) {
  const auto attempt = [&](const MendOptions& some, Mend most) -> std::optional<Mended> {
    Mended part{.before = whole.before, .after = whole.before};
    Attempt one =
        attempt_with(pass.turns, pass.file_name, pass.first, {.options = some, .most = most});
    return accept(one, pass.out, part) ? std::optional(std::move(part)) : std::nullopt;
  };
  const std::vector<std::string> parts = parts_of(whole.plan);
  for (std::size_t at = 0; parts.size() > 1 && at < parts.size(); ++at) {
    MendOptions without = options;
    without.refused.insert(parts[at]);
    auto part = attempt(without, options.most);
    if (!part) continue;
    decline(parts[at], whole, part->plan);
    return part;
  }
  for (std::size_t at = 0; parts.size() > 2 && at < parts.size(); ++at) {
    MendOptions alone = options;
    alone.refused.insert(parts.begin(), parts.end());
    alone.refused.erase(parts[at]);
    if (auto part = attempt(alone, options.most)) return part;
  }
  return attempt(options, Mend::container);
}

// The whole, or what of it can be done.
Mended one_pass(const Pass& pass, const MendOptions& options) {
  Mended mended{.before = pass.first.findings, .after = pass.first.findings};
  Attempt all = attempt_with(pass.turns, pass.file_name, pass.first,
                             {.options = options, .most = options.most});
  if (accept(all, pass.out, mended) || options.most == Mend::container || mended.refusal.empty() ||
      mended.is_failed) {
    return mended;
  }
  // When no part of it can be done either, what is said is why the whole cannot.
  auto part = mend_in_part(pass, options, mended);
  return part ? *std::move(part) : mended;
}

// Adds what a later pass has made of the book.
void append(Mended& mended, Mended later) {
  std::ranges::move(later.plan.changes, std::back_inserter(mended.plan.changes));
  mended.plan.declined = std::move(later.plan.declined);
  mended.after = std::move(later.after);
}

// Passes over what is accepted, until one changes nothing.
void mend_again(const MendFiles& files, std::string_view file_name, const MendOptions& options,
                Mended& mended) {
  for (int pass = 1; pass < kPasses && !mended.after.is_valid(); ++pass) {
    Inspection found = check_epub(files.out, file_name, options.profile);
    Mended later =
        one_pass({.turns = {.book = files.out, .one = files.scratch, .other = files.spare},
                  .out = files.out,
                  .file_name = file_name,
                  .first = found},
                 options);
    // Its part may be half written.
    if (later.is_failed) {
      mended.is_accepted = false;
      mended.is_failed = true;
      mended.refusal = std::move(later.refusal);
    }
    if (!later.is_accepted) return;
    append(mended, std::move(later));
  }
}

}  // namespace

Mended mend_epub(const MendFiles& files, std::string_view file_name, const MendOptions& options) {
  Inspection first = check_epub(files.book, file_name, options.profile);
  const Edition edition = first.edition();
  const bool is_read = first.package.is_read;
  Mended mended{.before = first.findings, .after = first.findings};
  if (!first.findings.is_valid()) mended.refusal = protection_of(first.container);
  if (!first.findings.is_valid() && mended.refusal.empty()) {
    mended = one_pass({.turns = {.book = files.book, .one = files.out, .other = files.scratch},
                       .out = files.out,
                       .file_name = file_name,
                       .first = first},
                      options);
    first = {};  // it may be large
    if (mended.is_accepted) mend_again(files, file_name, options, mended);
  }
  mended.edition = edition;
  mended.is_read = is_read;
  return mended;
}

}  // namespace tidemill::epub
